import Directory
import Model

/// Reachability of contact points, learned from gateways and replies, and published to services
/// that need it.
struct ContactReachability: Sendable {
    /// Addresses with a known state, such as an opt-out or recent texts.
    private var numbers: [String: NumberState] = [:]
    /// Reachability as last published.
    private(set) var published = Reachability()

    init(_ rows: [NumberState], gateways: [GatewayState]) {
        for state in rows { numbers[state.number] = state }
        let problems = numbers.values.compactMap { state in
            state.problem.map { (state.key, $0) }
        }
        published = Reachability(
            gateways: gateways, problems: Dictionary(problems) { first, _ in first })
    }

    /// State of an address; empty if nothing is known of it.
    subscript(_ address: String) -> NumberState {
        numbers[address] ?? NumberState(number: address)
    }

    /// Whether a contact point accepts a severity. After STOP, a number gets emergencies only, as
    /// does a contact point that is not verified.
    func accepts(_ severity: Severity, at contact: ContactPoint) -> Bool {
        guard severity == .routine || severity == .drill else { return true }
        return contact.verified != nil
            && (!contact.channel.rules.acceptsReplies || !hasOptedOut(contact.address))
    }

    /// Whether a number replied STOP.
    func hasOptedOut(_ address: String) -> Bool { numbers[address]?.stopped != nil }

    /// Whether an address counts as unreachable.
    func isUnreachable(_ address: String) -> Bool { numbers[address]?.problem != nil }

    /// Whether no problem of a contact point was published.
    func isWorking(_ contact: ContactPoint) -> Bool { published.problems[contact.key] == nil }

    /// Saves the state of an address whose reachability is the same as before.
    mutating func saveUsage(_ state: NumberState, _ turn: inout Turn) {
        numbers[state.number] = state
        turn.save(.number(state))
    }

    /// Saves the state of an address and publishes a change of its reachability.
    mutating func save(_ state: NumberState, _ turn: inout Turn) {
        saveUsage(state, &turn)
        guard published.set(state.problem, of: state.key) else { return }
        let contact = ContactPointState(contact: state.key, problem: state.problem)
        publish(ReachabilityChange(contacts: [contact]), &turn)
    }

    /// Removes the state of numbers that is empty.
    mutating func sweep(_ turn: inout Turn) {
        for number in numbers.keys.sorted() {
            numbers[number]?.prune(before: turn.now - Limits.numberWindow)
            guard numbers[number]?.isDefault == true else { continue }
            numbers[number] = nil
            turn.emit(.remove(.number(number)))
        }
    }

    // MARK: Proven deliveries

    /// Records that a message to a person was delivered, exact to the day.
    ///
    /// Others read the day. So a message about an emergency under duress proves nothing: its person
    /// would read that somebody was notified.
    mutating func recordProof(by message: Notification, isCovert: Bool, _ turn: inout Turn) {
        guard message.recipient != nil, !isCovert else { return }
        var state = self[message.address]
        let day = Timestamp(seconds: turn.now.seconds - turn.now.seconds % 86_400)
        guard state.proven.map({ $0 < day }) ?? true else { return }
        state.proven = day
        saveUsage(state, &turn)
    }

    // MARK: Publishing

    /// Publishes the whole state, for services that have not read it or have lost it.
    func publishAll(_ turn: inout Turn) {
        publish(ReachabilityChange(gateways: published.gateways), &turn)
        let states = published.problems.sorted { $0.key < $1.key }.map {
            ContactPointState(contact: $0.key, problem: $0.value)
        }
        for start in stride(from: 0, to: states.count, by: Limits.contactStatesPerEvent) {
            let page = states[start...].prefix(Limits.contactStatesPerEvent)
            publish(ReachabilityChange(contacts: Array(page)), &turn)
        }
    }

    /// Publishes the gateways when one goes down or comes back, and periodically while one fails.
    mutating func gatewaysChanged(_ states: [GatewayState], _ turn: inout Turn) {
        let isSame = published.gateways.map { known in
            known.elementsEqual(states) { old, new in
                guard let first = old.failing, let last = new.failing else { return old == new }
                return last - first < Limits.gatewayFailureRepeated
            }
        }
        guard isSame != true else { return }
        published.gateways = states
        publish(ReachabilityChange(gateways: states), &turn)
    }

    private func publish(_ change: ReachabilityChange, _ turn: inout Turn) {
        let id = DerivedID.event(
            .reachabilityChanged, nil, .number(turn.now.microseconds),
            .number(change.gateways?.count ?? -1),
            .id(change.contacts.first?.contact.raw ?? .zero),
            .text(change.contacts.first?.problem?.rawValue ?? ""))
        turn.publish(id, .reachabilityChanged(change))
    }

    // MARK: Updates

    /// Updates the reachability of an address by the result of an attempt.
    mutating func update(
        from result: AttemptResult, about notification: Notification, _ turn: inout Turn
    ) {
        var state = self[notification.address]
        switch result.outcome {
        case .accepted:
            // An accepted message clears an earlier rejection. Failed deliveries still count.
            guard state.failures == nil, state.dead != nil || state.optedOut != nil else { return }
            state.dead = nil
            state.optedOut = nil
        case .rejected:
            if result.isOptOut {
                state.optedOut = state.optedOut ?? turn.now
            } else {
                state.dead = state.dead ?? turn.now
            }
        case .later, .unroutable, .misconfigured, .unreachable, .unknown, .sink: return
        }
        save(state, &turn)
    }

    /// Updates the reachability of an address by a receipt.
    mutating func update(
        from receipt: Receipt, about notification: Notification, _ turn: inout Turn
    ) {
        var state = self[notification.address]
        switch receipt.kind {
        case .delivered:
            guard state.dead != nil || state.optedOut != nil || state.failures != nil else {
                return
            }
            state.dead = nil
            state.optedOut = nil
            state.failures = nil
        case .failed:
            guard notification.state.rank < NotificationState.rejected.rank else { return }
            if receipt.isOptOut {
                state.optedOut = state.optedOut ?? turn.now
            } else {
                let failures = min((state.failures ?? 0) + 1, Limits.failuresUntilDead)
                state.failures = failures
                if failures == Limits.failuresUntilDead { state.dead = state.dead ?? turn.now }
            }
        case .accepted, .buffered: return
        }
        save(state, &turn)
    }
}
