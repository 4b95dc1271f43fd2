import Hashing
import Model

/// Contact with a person's primary device: `ok → late → overdue → lost`, and back to `ok` by any
/// contact.
///
/// It counts only for a device that has shown that it follows its reporting policy. Contact only
/// updates ``lastContact``. When the deadline expires, it is postponed if there was contact
/// meanwhile. Transitions are pure; the inputs of a turn turn their steps into events.
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
    /// Battery warnings of the primary device.
    var batteryNotice = BatteryNotice()

    struct Watch: Hashable {
        var id: WatchID
        var until: Timestamp
    }

    func isWatched(at now: Timestamp) -> Bool { watch.map { now < $0.until } ?? false }

    /// The state if contact is not ok; nil otherwise.
    var state: ContactState? {
        switch phase {
        case .late: .late
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

    /// Whether the primary device follows its reporting policy and is not late.
    func isInContact(_ primaryDevice: DeviceID?) -> Bool {
        phase == .ok && expectation != nil && expectation?.device == primaryDevice
    }

    // MARK: Inputs

    /// Records contact and battery by a report of the primary device.
    mutating func record(
        _ report: borrowing Report, _ fixes: borrowing FixHistory,
        _ emergency: inout EmergencyMachine, _ turn: inout Turn
    ) {
        if expectation?.device == report.device {
            let now = turn.now
            if phase == .ok {
                lastContact = now
            } else {
                change(fixes, &emergency, &turn) { $0.recordContact(at: now) }
            }
        }
        let rules = turn.rules.contact
        guard !report.late, let battery = report.battery,
            battery <= rules.batteryGood || batteryNotice.notifiedMark != nil,
            // An old report says nothing about the battery now.
            turn.now - report.fix.time <= .seconds(turn.rules.contactSeconds)
        else { return }
        recordBattery(battery, isCharging: report.charging == true, report.device, &turn)
    }

    /// Records the primary device's battery level, and emits a warning if one is due.
    private mutating func recordBattery(
        _ battery: UInt8, isCharging: Bool, _ device: DeviceID, _ turn: inout Turn
    ) {
        guard
            let mark = batteryNotice.update(
                battery, isCharging: isCharging, turn.rules.contact)
        else { return }
        let change = BatteryChange(
            person: turn.person, device: device, battery: battery, mark: mark)
        turn.emit(.batteryLow(change), subject: .id(device))
    }

    /// Handles an input about contact, or one that shows activity of the person.
    mutating func handle(
        _ body: EventBody, _ fixes: inout FixHistory, _ emergency: inout EmergencyMachine,
        _ turn: inout Turn
    ) {
        let (now, rules, primaryDevice) = (turn.now, turn.rules.contact, fixes.primaryDevice)
        change(fixes, &emergency, &turn) { machine in
            let isPrimary = machine.expectation?.device == primaryDevice
            switch body {
            case .inputContactExpectation(let announced):
                let expectation = announced.contactTimeoutSeconds.map { seconds in
                    Expectation(
                        device: announced.device,
                        contactTimeoutSeconds: min(
                            max(1, seconds), rules.contactTimeoutSecondsMax))
                }
                return machine.setExpectation(
                    expectation, isPrimary: primaryDevice == announced.device, at: now)
            case .inputContact(let contact) where contact.kind == .seen:
                return isPrimary ? machine.recordContact(at: now) : nil
            // By its primary device.
            case .inputSignal(let signal):
                return isPrimary && signal.device != nil && signal.device == primaryDevice
                    ? machine.recordContact(at: now) : nil
            case .inputWatch(let span):
                return machine.applyWatch(span, isPrimary: isPrimary, at: now)
            case .inputContactLossHold(let hold):
                machine.hold(hold.isHeld, at: now, rules)
                return nil
            case .inputPerson: return machine.setPrimary(isPrimary, at: now)
            default: return machine.recordActivity(at: now)
            }
        }
        if case .inputContact(let contact) = body, contact.kind == .seen,
            let battery = contact.battery, let primaryDevice
        {
            fixes.battery = battery
            recordBattery(battery, isCharging: contact.charging == true, primaryDevice, &turn)
        }
    }

    /// Advances the state when its deadline expires.
    mutating func expire(
        due: Timestamp, _ fixes: borrowing FixHistory, _ emergency: inout EmergencyMachine,
        _ turn: inout Turn
    ) {
        let (rules, isHeld) = (turn.rules.contact, turn.isHeld)
        change(due: due, fixes, &emergency, &turn) { $0.expire(rules, isHeld: isHeld) }
    }

    /// Clears the state and cancels its deadline, because the person was deleted.
    mutating func removePerson(_ turn: inout Turn) {
        let deadline = deadline
        self = ContactMachine()
        self.deadline = deadline
        applyDeadline(&turn)
    }

    // MARK: Events

    /// Changes the state, and emits the resulting events.
    ///
    /// - Parameter due: when the wait ended that causes the change; nil = the record causes it.
    private mutating func change(
        due: Timestamp? = nil, _ fixes: borrowing FixHistory,
        _ emergency: inout EmergencyMachine, _ turn: inout Turn,
        _ transition: (inout ContactMachine) -> Step?
    ) {
        let before = self
        let step = transition(&self)
        guard self != before else { return }
        turn.areWaitsStale = true
        if let step, let expectation = before.expectation {
            emit(step, expectation, since: before.lastContact, due: due, fixes, &turn)
        }
        if let due, step == .entered(.lost), before.isWatched(at: due) {
            // The deadline has served its purpose.
            deadline = nil
            let signal = EmergencySignal(
                id: ContactMachine.signal(of: turn.person, due: due), person: turn.person,
                device: before.expectation?.device, trigger: .lostContact, raised: turn.now,
                received: turn.now, countdownEnds: turn.now, fix: fixes.lastFix,
                battery: fixes.battery, trace: turn.trace)
            emergency.raise(detected: signal, fixes, &turn)
        }
        applyDeadline(&turn)
    }

    private func emit(
        _ step: Step, _ expectation: Expectation, since: Timestamp, due: Timestamp?,
        _ fixes: borrowing FixHistory, _ turn: inout Turn
    ) {
        var change = ContactChange(
            person: turn.person, device: expectation.device, state: .late, at: turn.now,
            since: since, contactTimeoutSeconds: expectation.contactTimeoutSeconds,
            isWatched: isWatched(at: due ?? turn.now), fix: fixes.lastFix,
            battery: fixes.battery)
        let body: EventBody
        switch step {
        case .entered(let state):
            change.state = state
            body =
                switch state {
                case .late: .contactLate(change)
                case .overdue: .contactOverdue(change)
                case .lost: .contactLost(change)
                }
        case .ended(let state, let end):
            (change.state, change.end) = (state, end)
            body = .contactOK(change)
        }
        turn.emit(
            body, subject: .id(expectation.device), cause: due.map { Turn.cause(due: $0) })
    }

    /// Schedules a separate deadline if an emergency is pending, so that the notifier can act if no
    /// evaluator handles its expiry.
    mutating func applyDeadline(_ turn: inout Turn) {
        let next = emergencyDue
        guard deadline != next else { return }
        if let deadline { turn.cancel(Self.deadline(of: turn.person, due: deadline)) }
        if let next { turn.schedule(Self.deadline(of: turn.person, due: next)) }
        deadline = next
    }

    /// Id of the emergency that a contact loss raises. It is the same in every service.
    private static func signal(of person: PersonID, due: Timestamp) -> EmergencyID {
        EmergencyID(
            Hash.derivedID(
                kind: "signal." + EmergencyTrigger.lostContact.rawValue, person: person,
                subject: .number(due.microseconds), cause: person.raw))
    }

    private static func deadline(of person: PersonID, due: Timestamp) -> Deadline {
        let signal = signal(of: person, due: due)
        return Deadline(
            .contact, of: person, emergency: signal, subject: .id(signal), cause: person.raw,
            due: due)
    }

    // MARK: Transitions

    /// Records contact with the device.
    mutating func recordContact(at now: Timestamp) -> Step? {
        guard expectation != nil else { return nil }
        lastContact = now
        guard phase != .ok else { return nil }
        return restart(from: now, because: .seen)
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
            from: now, because: before?.device == expectation?.device ? .seen : .changed)
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
            return .entered(.late)
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
    mutating func exclude(_ outage: IntakeOutage) {
        let from = max(outage.from, lastContact)
        guard expectation != nil, phase != .paused, from < outage.to else { return }
        lastContact = lastContact + (outage.to - from)
        if due < .distantFuture { due = due + (outage.to - from) }
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
