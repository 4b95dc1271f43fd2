import Model

/// Contact with a person's primary device: `ok → late → overdue → lost`, and back to `ok` by any
/// contact.
///
/// A pure state machine. It counts only for a device that has shown that it follows its reporting
/// policy. Contact only updates ``lastContact``. When the deadline expires, it is postponed if
/// there was contact meanwhile.
struct ContactMachine: Hashable, Sendable {
    enum Phase: UInt8 {
        case ok
        case late
        case overdue
        case lost
        /// Paused until the next contact: the person answered without the device, or another device
        /// is primary.
        case paused
    }

    /// The reporting interval that a device announced.
    struct Expectation: Hashable {
        var device: DeviceID
        var contactTimeoutSeconds: Int32
    }

    /// The result of a transition.
    enum Step: Hashable {
        case entered(ContactState)
        /// Contact is ok again; the state that ended, and why.
        case ended(ContactState, ContactEnd)
    }

    /// Nil = contact is not monitored.
    var expectation: Expectation?
    var phase = Phase.ok
    /// The last contact with the device or the person.
    var lastContact = Timestamp.zero
    /// When the state is checked next.
    var due = Timestamp.distantFuture
    /// The person's watch.
    var watch: Watch?
    /// The scheduled deadline that raises an emergency, if any. Equals ``emergencyDue`` between two
    /// records.
    var deadline: Timestamp?

    struct Watch: Hashable {
        var id: WatchID
        var until: Timestamp
    }

    func isWatched(at now: Timestamp) -> Bool { watch.map { now < $0.until } ?? false }

    /// The state if contact is not ok; nil otherwise.
    var state: ContactState? {
        switch phase {
        case .late: .quiet
        case .overdue: .overdue
        case .lost: .lost
        case .ok, .paused: nil
        }
    }

    /// When a watched person becomes lost without contact; nil if no emergency is pending.
    var emergencyDue: Timestamp? {
        guard phase == .overdue, due < .distantFuture, isWatched(at: due) else { return nil }
        return due
    }

    // MARK: Contact

    /// Records contact with the device.
    mutating func recordContact(at now: Timestamp) -> Step? {
        guard expectation != nil else { return nil }
        lastContact = now
        guard phase != .ok else { return nil }
        return restart(from: now, because: .heard)
    }

    /// Records activity of the person, with or without the device. A person who was asked is not
    /// asked again for the same contact loss, unless a watch is running.
    mutating func recordActivity(at now: Timestamp) -> Step? {
        guard expectation != nil else { return nil }
        switch phase {
        case .ok:
            lastContact = now
            return nil
        case .late: return restart(from: now, because: .answered)
        case .overdue, .lost:
            if isWatched(at: now) { return restart(from: now, because: .answered) }
            return pause(because: .answered)
        case .paused: return nil
        }
    }

    /// Sets how the device reports from now on.
    ///
    /// - Parameter isPrimary: whether it is the primary device.
    mutating func setExpectation(_ expectation: Expectation?, isPrimary: Bool, at now: Timestamp)
        -> Step?
    {
        let before = self.expectation
        guard expectation != nil else {
            let step = pause(because: .changed)
            (self.expectation, phase, lastContact) = (nil, .ok, .zero)
            return step
        }
        self.expectation = expectation
        guard isPrimary else { return pause(because: .changed) }
        return restart(
            from: now, because: before?.device == expectation?.device ? .heard : .changed)
    }

    /// Handles a change of the primary device.
    mutating func setPrimary(_ isPrimary: Bool, at now: Timestamp) -> Step? {
        guard expectation != nil else { return nil }
        return isPrimary ? restart(from: now, because: .changed) : pause(because: .changed)
    }

    /// Handles a watch that started, was extended, or ended. Starting a watch is activity of the
    /// person.
    mutating func applyWatch(_ span: WatchSpan, isPrimary: Bool, at now: Timestamp) -> Step? {
        guard let until = span.until else {
            if watch?.id == span.watch { watch = nil }
            return nil
        }
        let next = Watch(id: span.watch, until: until)
        guard watch != next else { return nil }
        let isLonger = watch.map { $0.id != next.id || $0.until < until } ?? true
        watch = next
        guard expectation != nil, isPrimary, isLonger, now < until else { return nil }
        return restart(from: now, because: .answered)
    }

    // MARK: Time

    /// Advances the state when its deadline expires.
    ///
    /// - Parameter isHeld: contact loss is held; nobody becomes lost.
    mutating func expire(_ rules: ContactRules, isHeld: Bool) -> Step? {
        guard let expectation else {
            due = .distantFuture
            return nil
        }
        let lateAt = lastContact + .seconds(Int64(expectation.contactTimeoutSeconds))
        switch phase {
        case .ok:
            guard lateAt <= due else {
                due = lateAt
                return nil
            }
            phase = .late
            due =
                lastContact
                + .seconds(Int64(expectation.contactTimeoutSeconds) * rules.overdueFactor)
            return .entered(.quiet)
        case .late:
            phase = .overdue
            due = isHeld ? .distantFuture : due + .seconds(rules.answerSeconds)
            return .entered(.overdue)
        case .overdue:
            phase = .lost
            due = .distantFuture
            return .entered(.lost)
        case .lost, .paused:
            due = .distantFuture
            return nil
        }
    }

    /// Starts or ends the contact-loss hold. After it, people who were asked get the full time to
    /// answer again.
    mutating func hold(_ isHeld: Bool, at now: Timestamp, _ rules: ContactRules) {
        guard phase == .overdue else { return }
        due = isHeld ? .distantFuture : now + .seconds(rules.answerSeconds)
    }

    /// Excludes an intake outage from the time without contact.
    mutating func exclude(_ intakeOutage: IntakeOutage) {
        let from = max(intakeOutage.from, lastContact)
        guard expectation != nil, phase != .paused, from < intakeOutage.to else { return }
        lastContact = lastContact + (intakeOutage.to - from)
        if due < .distantFuture { due = due + (intakeOutage.to - from) }
    }

    /// Restarts the contact timeout.
    private mutating func restart(from now: Timestamp, because end: ContactEnd) -> Step? {
        guard let expectation else { return nil }
        let step = state.map { Step.ended($0, end) }
        lastContact = now
        phase = .ok
        due = now + .seconds(Int64(expectation.contactTimeoutSeconds))
        return step
    }

    private mutating func pause(because end: ContactEnd) -> Step? {
        let step = state.map { Step.ended($0, end) }
        phase = .paused
        due = .distantFuture
        return step
    }
}
