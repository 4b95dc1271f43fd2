import Model

// Which gateway a message takes, and what its answers say of the gateway.
extension Notifier {
    /// Gateways that are up come first. While all are down, an emergency tries them in turn all the
    /// same; anything else waits but for one message that finds out.
    func choose(for notification: Notification, at now: Timestamp) -> GatewayChoice {
        let serving = configuration.gateways.filter {
            $0.channels.contains(notification.channel)
                && (notification.gatewayWanted ?? $0.name) == $0.name
        }
        guard !serving.isEmpty else { return .none }
        let usable = serving.map(\.name).filter {
            !notification.gatewaysRefusing.contains($0)
        }
        guard !usable.isEmpty else { return .exhausted }
        let up = usable.filter(isUp)
        if let ready = up.first(where: { !notification.rests($0, at: now) }) ?? up.first {
            return .use(ready)
        }
        if notification.severity != .news {
            return .use(usable[notification.attempts % usable.count])
        }
        if let open = usable.first(where: { gateways[$0]?.isOpen(at: now) ?? true }) {
            return .use(open)
        }
        let until = usable.compactMap { gateways[$0]?.retryAt }.min() ?? now
        return .wait(until)
    }

    /// Whether another gateway of the channel is up.
    func hasOpenAlternative(to notification: Notification, at now: Timestamp) -> Bool {
        guard notification.gatewayWanted == nil else { return false }
        return configuration.gateways.contains {
            $0.name != notification.gateway && $0.channels.contains(notification.channel)
                && !notification.gatewaysRefusing.contains($0.name)
                && isUp($0.name) && !notification.rests($0.name, at: now)
        }
    }

    func isUp(_ gateway: String) -> Bool { gateways[gateway]?.isDown == false }

    /// What the end of an attempt says of its gateway.
    mutating func heard(
        _ notification: Notification, _ result: AttemptResult, jitter: UInt64, _ turn: inout Turn
    ) {
        guard var health = gateways[notification.gateway] else { return }
        let wasDown = health.isDown
        health.heard(result.outcome, notification.answer, at: turn.now, jitter: jitter)
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

// An operator tries a gateway.
extension Notifier {
    mutating func begin(_ test: GatewayTest, _ turn: inout Turn) {
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
        let mail = composer.words(for: .test(gateway: name), on: .email)
        let short = composer.words(for: .test(gateway: name), on: .sms).text
        let notification = NotificationID(test.id)
        var message = Notification(
            id: notification, reason: .test, severity: .test, scope: EventID(test.id),
            channel: channel, address: to,
            words: Words(short: short, subject: mail.subject, long: mail.text), reference: "",
            token: Meaning.token(notification, secret: configuration.tokenSecret),
            created: turn.now, expires: turn.now + Limits.testAgeMax, trace: test.trace)
        message.gatewayWanted = name
        if test.isDry {
            message.gateway = name
            message.attempts = 1
            return turn.effects.append(
                .answer(request: request, .wouldSend(delivery(of: message))))
        }
        tests[notification] = request
        queue(message, &turn)
    }

    /// A test has one attempt, whose end is its answer.
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
