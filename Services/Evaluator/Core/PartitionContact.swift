import Hashing
import Model

// Contact with phones: inputs, expiry, and the resulting events.
extension PartitionState {
    /// Records contact and battery by a report of the primary device.
    mutating func recordReport(_ report: Report, _ index: Int, _ turn: inout Turn) {
        if people[index].contact.expectation?.device == report.device {
            let now = turn.now
            if people[index].contact.phase == .ok {
                people[index].contact.lastContact = now
            } else {
                change(index, &turn) { contact, _ in contact.recordContact(at: now) }
            }
        }
        guard !report.late, let battery = report.battery else { return }
        let rules = turn.rules.contact
        guard
            battery <= rules.batteryGood || people[index].batteryNotice.notifiedMark != nil
        else { return }
        // An old report says nothing about the battery now.
        guard turn.now - report.fix.time <= .seconds(turn.rules.contactSeconds) else { return }
        recordBattery(
            battery, isCharging: report.charging == true, report.device, of: report.person, index,
            &turn)
    }

    /// Records the primary device's battery level, and emits a warning if one is due.
    private mutating func recordBattery(
        _ battery: UInt8, isCharging: Bool, _ device: DeviceID, of person: PersonID, _ index: Int,
        _ turn: inout Turn
    ) {
        let mark = people[index].batteryNotice.update(
            battery, isCharging: isCharging, turn.rules.contact)
        guard let mark else { return }
        let change = BatteryChange(person: person, device: device, battery: battery, mark: mark)
        turn.emit(.batteryLow(change), of: person, subject: .id(device), cause: turn.id.raw)
    }

    /// Records contact by a signal of the primary device.
    mutating func recordSignalContact(_ body: EventBody, _ index: Int, _ turn: inout Turn) {
        guard case .inputSignal(let signal) = body, let device = signal.device,
            people[index].primaryDevice == device,
            people[index].contact.expectation?.device == device
        else { return }
        let now = turn.now
        change(index, &turn) { contact, _ in contact.recordContact(at: now) }
    }

    /// Records activity of the person on any device.
    mutating func recordActivity(_ index: Int, _ turn: inout Turn) {
        let now = turn.now
        change(index, &turn) { contact, _ in contact.recordActivity(at: now) }
    }

    /// Handles inputs about contact: expectations, contacts, watches, outages, holds, impairments.
    mutating func handleContactInput(
        _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        switch event.body {
        case .inputContactExpectation(let announced):
            turn(announced.person, event, rules, into: &outputs) { state, index, turn in
                let now = turn.now
                let expectation = announced.contactTimeoutSeconds.map { seconds in
                    ContactMachine.Expectation(
                        device: announced.device,
                        contactTimeoutSeconds: min(
                            max(1, seconds), rules.contact.contactTimeoutSecondsMax))
                }
                state.change(index, &turn) { contact, primaryDevice in
                    contact.setExpectation(
                        expectation, isPrimary: primaryDevice == announced.device, at: now)
                }
            }
        case .inputContact(let contact):
            turn(contact.person, event, rules, into: &outputs) { state, index, turn in
                guard contact.kind == .heard else { return state.recordActivity(index, &turn) }
                let now = turn.now
                state.change(index, &turn) { contact, primaryDevice in
                    contact.expectation?.device == primaryDevice
                        ? contact.recordContact(at: now) : nil
                }
                guard let battery = contact.battery,
                    let primaryDevice = state.people[index].primaryDevice
                else { return }
                state.people[index].battery = battery
                state.recordBattery(
                    battery, isCharging: contact.charging == true, primaryDevice,
                    of: contact.person,
                    index, &turn)
            }
        case .inputWatch(let span):
            turn(span.person, event, rules, into: &outputs) { state, index, turn in
                let now = turn.now
                state.change(index, &turn) { contact, primaryDevice in
                    contact.applyWatch(
                        span, isPrimary: contact.expectation?.device == primaryDevice, at: now)
                }
            }
        case .inputIntakeOutage(let intakeOutage):
            exclude(intakeOutage, event, rules, into: &outputs)
        case .inputContactLossHold(let hold): self.hold(hold, event, rules, into: &outputs)
        case .inputImpairment(let reportingImpairment):
            // Ingest deduplicates this event. It passes through here to keep it in order with the
            // others.
            turn(reportingImpairment.person, event, rules, into: &outputs) { _, _, turn in
                turn.emit(
                    .deviceImpaired(reportingImpairment), of: reportingImpairment.person,
                    subject: .id(reportingImpairment.device),
                    cause: turn.id.raw)
            }
        default: break
        }
    }

    /// Excludes an intake outage before anything expires because of it.
    private mutating func exclude(
        _ intakeOutage: IntakeOutage, _ event: Event, _ rules: EvaluatorRules,
        into outputs: inout [Event]
    ) {
        for person in people.keys(where: { $0.contact.expectation != nil }) {
            let index = prepare(person)
            people[index].contact.exclude(intakeOutage)
            people[index].isWakeStale = true
            turn(person, event, rules, into: &outputs) { state, index, turn in
                state.applyDeadline(index, &turn)
            }
        }
    }

    private mutating func hold(
        _ hold: ContactLossHold, _ event: Event, _ rules: EvaluatorRules,
        into outputs: inout [Event]
    ) {
        guard isHeld != hold.isHeld else { return }
        advanceAll(
            people.keys { $0.contact.phase == .overdue || $0.contact.due <= event.time }, event,
            rules, into: &outputs)
        isHeld = hold.isHeld
        for person in people.keys(where: { $0.contact.phase == .overdue }) {
            turn(person, event, rules, into: &outputs) { state, index, turn in
                let now = turn.now
                state.change(index, &turn) { contact, _ in
                    contact.hold(hold.isHeld, at: now, rules.contact)
                    return nil
                }
            }
        }
    }

    /// Handles a change of the primary device.
    mutating func updatePrimaryDevice(before: DeviceID?, _ index: Int, _ turn: inout Turn) {
        guard people[index].primaryDevice != before else { return }
        people[index].batteryNotice = BatteryNotice()
        let now = turn.now
        change(index, &turn) { contact, primaryDevice in
            contact.setPrimary(contact.expectation?.device == primaryDevice, at: now)
        }
    }

    /// Clears the contact state and cancels its deadline.
    mutating func clearContact(_ index: Int, _ turn: inout Turn) {
        let deadline = people[index].contact.deadline
        people[index].contact = ContactMachine()
        people[index].contact.deadline = deadline
        applyDeadline(index, &turn)
    }

    /// Advances the contact state when its deadline expires.
    mutating func expireContact(_ index: Int, due: Timestamp, _ turn: inout Turn) {
        let rules = turn.rules.contact
        change(index, due: due, &turn) { [isHeld] contact, _ in
            contact.expire(rules, isHeld: isHeld)
        }
    }

    // MARK: Events

    /// Changes the contact state, and emits the resulting events.
    ///
    /// - Parameter due: when the wait ended that causes the change; nil = the record causes it.
    private mutating func change(
        _ index: Int, due: Timestamp? = nil, _ turn: inout Turn,
        _ body: (inout ContactMachine, _ primaryDevice: DeviceID?) -> ContactMachine.Step?
    ) {
        let primaryDevice = people[index].primaryDevice
        let before = people[index].contact
        let step = body(&people[index].contact, primaryDevice)
        guard people[index].contact != before else { return }
        people[index].isWakeStale = true
        if let step, let expectation = before.expectation {
            emit(step, expectation, since: before.lastContact, due: due, index, &turn)
        }
        if let due, step == .entered(.lost), before.isWatched(at: due) {
            raise(due: due, of: before.expectation?.device, index, &turn)
        }
        applyDeadline(index, &turn)
    }

    private func emit(
        _ step: ContactMachine.Step, _ expectation: ContactMachine.Expectation, since: Timestamp,
        due: Timestamp?,
        _ index: Int, _ turn: inout Turn
    ) {
        let person = people[index]
        var change = ContactChange(
            person: person.id, device: expectation.device, state: .quiet, at: turn.now,
            since: since,
            contactTimeoutSeconds: expectation.contactTimeoutSeconds,
            isWatched: person.contact.isWatched(at: due ?? turn.now), fix: person.lastFix,
            battery: person.battery)
        let body: EventBody
        switch step {
        case .entered(let state):
            change.state = state
            body =
                switch state {
                case .quiet: .contactLate(change)
                case .overdue: .contactOverdue(change)
                case .lost: .contactLost(change)
                }
        case .ended(let state, let end):
            (change.state, change.end) = (state, end)
            body = .contactOK(change)
        }
        turn.emit(
            body, of: person.id, subject: .id(expectation.device),
            cause: due.map { Turn.cause(due: $0) } ?? turn.id.raw)
    }

    /// Raises an emergency for a watched person who was asked and has not answered.
    private mutating func raise(
        due: Timestamp, of device: DeviceID?, _ index: Int, _ turn: inout Turn
    ) {
        let person = people[index]
        let signal = EmergencySignal(
            id: ContactMachine.signal(of: person.id, due: due), person: person.id, device: device,
            trigger: .lostContact, raised: turn.now, received: turn.now, countdownEnds: turn.now,
            fix: person.lastFix, battery: person.battery, trace: turn.trace)
        let steps = people[index].emergency.raise(signal, at: turn.now, rules: turn.rules)
        // The deadline has served its purpose.
        people[index].contact.deadline = nil
        emit(steps, of: people[index], &turn)
    }

    /// Schedules a separate deadline if an emergency is pending, so that the notifier can act if no
    /// evaluator handles its expiry.
    private mutating func applyDeadline(_ index: Int, _ turn: inout Turn) {
        let current = people[index].contact.deadline
        let next = people[index].contact.emergencyDue
        guard current != next else { return }
        people[index].contact.deadline = next
        for (due, isScheduled) in [(current, false), (next, true)] {
            guard let due else { continue }
            let deadline = ContactMachine.deadline(of: people[index].id, due: due)
            turn.emit(
                isScheduled ? .deadlineScheduled(deadline) : .deadlineCancelled(deadline),
                of: deadline.person,
                subject: .id(deadline.id), cause: turn.id.raw)
        }
    }
}

extension ContactMachine {
    /// Id of the emergency that a contact loss raises. It is the same in every service.
    static func signal(of person: PersonID, due: Timestamp) -> EmergencyID {
        EmergencyID(
            Hash.derivedID(
                kind: "signal." + EmergencyTrigger.lostContact.rawValue, person: person,
                subject: .number(due.microseconds), cause: person.raw))
    }

    static func deadline(of person: PersonID, due: Timestamp) -> Deadline {
        let rule = DeadlineKind.contact
        let signal = signal(of: person, due: due)
        let id = Hash.derivedID(
            kind: "clock." + rule.rawValue, person: person, subject: .id(signal),
            cause: person.raw)
        return Deadline(
            id: DeadlineID(id), rule: rule, person: person, emergency: signal, due: due)
    }
}
