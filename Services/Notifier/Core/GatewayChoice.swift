import Model

// Choice of a gateway for a message, and gateway health.
extension Notifier {
    /// Chooses a gateway that is up.
    ///
    /// While all are down, messages about emergencies try them in turn. Other messages wait, except
    /// for one probe per back-off.
    func chooseGateway(for notification: Notification, at now: Timestamp) -> GatewayChoice {
        let serving = configuration.gateways.filter {
            $0.channels.contains(notification.channel)
                && (notification.requiredGateway ?? $0.name) == $0.name
        }
        guard !serving.isEmpty else { return .none }
        let usable = serving.map(\.name).filter {
            !notification.rejectingGateways.contains($0)
        }
        guard !usable.isEmpty else { return .exhausted }
        let up = usable.filter(isUp)
        if let ready = up.first(where: { !notification.isBackingOff($0, at: now) }) ?? up.first {
            return .use(ready)
        }
        if notification.severity != .routine {
            return .use(usable[notification.attempts % usable.count])
        }
        if let open = usable.first(where: { gateways[$0]?.isOpen(at: now) ?? true }) {
            return .use(open)
        }
        let until = usable.compactMap { gateways[$0]?.retryAt }.min() ?? now
        return .wait(until)
    }

    /// Whether another gateway of the channel is up and not backing off.
    func hasOpenAlternative(to notification: Notification, at now: Timestamp) -> Bool {
        guard notification.requiredGateway == nil else { return false }
        return configuration.gateways.contains {
            $0.name != notification.gateway && $0.channels.contains(notification.channel)
                && !notification.rejectingGateways.contains($0.name)
                && isUp($0.name) && !notification.isBackingOff($0.name, at: now)
        }
    }

    func isUp(_ gateway: String) -> Bool { gateways[gateway]?.isDown == false }

    /// Updates a gateway's health by the result of an attempt.
    mutating func recordGatewayResult(
        _ notification: Notification, _ result: AttemptResult, jitter: UInt64, _ turn: inout Turn
    ) {
        guard var health = gateways[notification.gateway] else { return }
        let wasDown = health.isDown
        health.record(result.outcome, notification.answer, at: turn.now, jitter: jitter)
        gateways[health.name] = health
        turn.save(.gateway(health))
        gatewaysChanged(&turn)
        if health.isDown, !wasDown {
            turn.effects.append(
                .warn(.gatewayDown(health.name, result.outcome, answer: health.lastAnswer)))
        } else if wasDown, !health.isDown {
            turn.effects.append(.warn(.gatewayUp(health.name)))
        }
    }
}

// Gateway tests by the operator.
extension Notifier {
    mutating func startTest(_ test: GatewayTest, _ turn: inout Turn) {
        let (request, name, to) = (test.request, test.gateway, test.to)
        guard let gateway = configuration.gateways.first(where: { $0.name == name }) else {
            return turn.effects.append(.answer(request: request, .unknownGateway))
        }
        let channel: Channel = to.contains("@") ? .email : to.hasPrefix("+") ? .sms : .push
        guard gateway.channels.contains(channel) else {
            return turn.effects.append(.answer(request: request, .wrongAddress))
        }
        turn.trace = test.trace
        let composer = Composer(
            Reader(language: .english, who: "", now: turn.now, map: configuration.map))
        let mail = composer.render(.test(gateway: name), on: .email)
        let short = composer.render(.test(gateway: name), on: .sms).text
        let notification = NotificationID(test.id)
        var message = Notification(
            id: notification, reason: .test, severity: .test, scope: EventID(test.id),
            channel: channel, address: to,
            rendered: RenderedMessage(short: short, subject: mail.subject, long: mail.text),
            reference: "",
            token: DerivedID.token(notification, secret: configuration.tokenSecret),
            created: turn.now, expires: turn.now + Limits.testAgeMax, trace: test.trace)
        message.requiredGateway = name
        if test.isDry {
            message.gateway = name
            message.attempts = 1
            return turn.effects.append(
                .answer(request: request, .wouldSend(delivery(of: message))))
        }
        tests[notification] = request
        enqueue(message, &turn)
    }

    /// Answers a test with the result of its only attempt.
    mutating func finishTest(
        _ id: NotificationID, _ result: AttemptResult, _ turn: inout Turn
    ) {
        let answer = notifications[id]?.answer ?? ""
        if let request = tests.removeValue(forKey: id) {
            let tested = TestResult(notification: id, outcome: result.outcome, answer: answer)
            turn.effects.append(.answer(request: request, .tested(tested)))
        }
        let state: NotificationState =
            switch result.outcome {
            case .accepted: .accepted
            case .sink: .sink
            case .refused, .unroutable: .refused
            case .unknown: .unknown
            case .later, .misconfigured, .unreachable: .expired
            }
        close(id, as: state, answer, &turn)
    }
}
