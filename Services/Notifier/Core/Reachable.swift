import Directory
import Model

// Who can be reached: what gateways and people have shown, kept for each contact point and
// published for the services that have to know it.
extension Notifier {
    /// The gateways as other services see them.
    var gatewayStates: [GatewayState] {
        configuration.gateways.map { gateway in
            let health = gateways[gateway.name]
            return GatewayState(
                name: gateway.name, kind: gateway.kind,
                channels: gateway.channels.sorted { $0.rawValue < $1.rawValue },
                failing: health?.isDown == true ? health?.lastAnswered : nil)
        }
    }

    /// Whether nothing that is sent leaves this machine.
    var isSinkOnly: Bool { configuration.gateways.allSatisfy(\.kind.isSink) }

    /// Reads the reachability of contact points from their rows.
    mutating func loadReachability() {
        let problems = numbers.values.compactMap { state in
            state.problem.map { (state.key, $0) }
        }
        reachability = Reachability(
            gateways: gatewayStates, problems: Dictionary(problems) { first, _ in first })
    }

    /// Publishes all of it, for whoever has not read it or has lost it.
    func publishReachability(_ turn: inout Turn) {
        publish(ReachabilityNews(gateways: reachability.gateways), &turn)
        let states = reachability.problems.sorted { $0.key < $1.key }.map {
            ContactPointState(contact: $0.key, problem: $0.value)
        }
        for start in stride(from: 0, to: states.count, by: Limits.contactStatesPerEvent) {
            let page = states[start...].prefix(Limits.contactStatesPerEvent)
            publish(ReachabilityNews(contacts: Array(page)), &turn)
        }
    }

    /// Publishes the gateways if one went down or came back, and from time to time while one fails.
    mutating func gatewaysChanged(_ turn: inout Turn) {
        let states = gatewayStates
        let isSame = reachability.gateways.map { known in
            known.elementsEqual(states) { old, new in
                guard let first = old.failing, let last = new.failing else { return old == new }
                return last - first < Limits.gatewayFailureRepeated
            }
        }
        guard isSame != true else { return }
        reachability.gateways = states
        publish(ReachabilityNews(gateways: states), &turn)
    }

    /// Keeps what is known of an address, and publishes a change of its reachability.
    mutating func keep(_ state: NumberState, _ turn: inout Turn) {
        numbers[state.number] = state
        turn.save(.number(state))
        guard reachability.set(state.problem, of: state.key) else { return }
        let contact = ContactPointState(contact: state.key, problem: state.problem)
        publish(ReachabilityNews(contacts: [contact]), &turn)
    }

    private func publish(_ news: ReachabilityNews, _ turn: inout Turn) {
        let id = Meaning.event(
            .reachabilityChanged, nil, .number(turn.now.microseconds),
            .number(news.gateways?.count ?? -1),
            .id(news.contacts.first?.contact.raw ?? .zero),
            .text(news.contacts.first?.problem?.rawValue ?? ""))
        turn.publish(id, .reachabilityChanged(news))
    }

    /// What the end of an attempt proves about its address.
    mutating func learn(
        from result: AttemptResult, about notification: Notification, _ turn: inout Turn
    ) {
        switch result.outcome {
        case .accepted:
            // A refusal of before does not hold any more; failed deliveries still do.
            guard var state = numbers[notification.address], state.failures == nil,
                state.dead != nil || state.optedOut != nil
            else { return }
            state.dead = nil
            state.optedOut = nil
            keep(state, &turn)
        case .refused:
            var state =
                numbers[notification.address] ?? NumberState(number: notification.address)
            if result.isOptOut {
                state.optedOut = state.optedOut ?? turn.now
            } else {
                state.dead = state.dead ?? turn.now
            }
            keep(state, &turn)
        case .later, .unroutable, .misconfigured, .unreachable, .unknown, .sink: break
        }
    }

    /// What a receipt proves about the address of its message.
    mutating func learn(
        from receipt: Receipt, about notification: Notification, _ turn: inout Turn
    ) {
        switch receipt.kind {
        case .delivered:
            guard var state = numbers[notification.address],
                state.dead != nil || state.optedOut != nil || state.failures != nil
            else { return }
            state.dead = nil
            state.optedOut = nil
            state.failures = nil
            keep(state, &turn)
        case .failed:
            guard notification.state.rank < NotificationState.refused.rank else { return }
            var state =
                numbers[notification.address] ?? NumberState(number: notification.address)
            if receipt.isOptOut {
                state.optedOut = state.optedOut ?? turn.now
            } else {
                let failures = min((state.failures ?? 0) + 1, Limits.failuresUntilDead)
                state.failures = failures
                if failures == Limits.failuresUntilDead { state.dead = state.dead ?? turn.now }
            }
            keep(state, &turn)
        case .accepted, .buffered: break
        }
    }
}

extension NumberState {
    var key: ContactPointKey {
        ContactPointKey(of: number.contains("@") ? .email : .sms, number)
    }

    /// Why it counts as unreachable; nil = it does not.
    var problem: ContactProblem? {
        if stopped != nil || optedOut != nil { return .optedOut }
        return dead == nil ? nil : .dead
    }
}
