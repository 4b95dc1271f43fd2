import Directory
import Model

// Reachability of contact points, learned from gateways and replies, and published to services that
// need it.
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

    /// Whether every gateway is a sink, so no message leaves this machine.
    var isSinkOnly: Bool { configuration.gateways.allSatisfy(\.kind.isSink) }

    /// Loads the reachability of contact points from their rows.
    mutating func loadReachability() {
        let problems = numbers.values.compactMap { state in
            state.problem.map { (state.key, $0) }
        }
        reachability = Reachability(
            gateways: gatewayStates, problems: Dictionary(problems) { first, _ in first })
    }

    /// Publishes the whole state, for services that have not read it or have lost it.
    func publishReachability(_ turn: inout Turn) {
        publish(ReachabilityChange(gateways: reachability.gateways), &turn)
        let states = reachability.problems.sorted { $0.key < $1.key }.map {
            ContactPointState(contact: $0.key, problem: $0.value)
        }
        for start in stride(from: 0, to: states.count, by: Limits.contactStatesPerEvent) {
            let page = states[start...].prefix(Limits.contactStatesPerEvent)
            publish(ReachabilityChange(contacts: Array(page)), &turn)
        }
    }

    /// Publishes the gateways when one goes down or comes back, and periodically while one fails.
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
        publish(ReachabilityChange(gateways: states), &turn)
    }

    /// Saves the state of an address and publishes a change of its reachability.
    mutating func save(_ state: NumberState, _ turn: inout Turn) {
        numbers[state.number] = state
        turn.save(.number(state))
        guard reachability.set(state.problem, of: state.key) else { return }
        let contact = ContactPointState(contact: state.key, problem: state.problem)
        publish(ReachabilityChange(contacts: [contact]), &turn)
    }

    private func publish(_ change: ReachabilityChange, _ turn: inout Turn) {
        let id = DerivedID.event(
            .reachabilityChanged, nil, .number(turn.now.microseconds),
            .number(change.gateways?.count ?? -1),
            .id(change.contacts.first?.contact.raw ?? .zero),
            .text(change.contacts.first?.problem?.rawValue ?? ""))
        turn.publish(id, .reachabilityChanged(change))
    }

    /// Updates the reachability of an address by the result of an attempt.
    mutating func updateReachability(
        from result: AttemptResult, about notification: Notification, _ turn: inout Turn
    ) {
        switch result.outcome {
        case .accepted:
            // An accepted message clears an earlier rejection. Failed deliveries still count.
            guard var state = numbers[notification.address], state.failures == nil,
                state.dead != nil || state.optedOut != nil
            else { return }
            state.dead = nil
            state.optedOut = nil
            save(state, &turn)
        case .refused:
            var state =
                numbers[notification.address] ?? NumberState(number: notification.address)
            if result.isOptOut {
                state.optedOut = state.optedOut ?? turn.now
            } else {
                state.dead = state.dead ?? turn.now
            }
            save(state, &turn)
        case .later, .unroutable, .misconfigured, .unreachable, .unknown, .sink: break
        }
    }

    /// Updates the reachability of an address by a receipt.
    mutating func updateReachability(
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
            save(state, &turn)
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
            save(state, &turn)
        case .accepted, .buffered: break
        }
    }
}

extension NumberState {
    var key: ContactPointKey {
        ContactPointKey(of: number.contains("@") ? .email : .sms, number)
    }

    /// Why the address counts as unreachable; nil = it is reachable.
    var problem: ContactProblem? {
        if stopped != nil || optedOut != nil { return .optedOut }
        return dead == nil ? nil : .dead
    }
}
