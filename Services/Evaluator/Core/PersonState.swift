import Model

/// The state of one person: machines that handle what happens to the person, and their order in a
/// turn.
struct PersonState: Sendable {
    let id: PersonID
    var presence = PresenceMachine()
    var alarms = AlarmMachine()
    var emergency = EmergencyMachine()
    /// Contact with the primary device.
    var contact = ContactMachine()
    /// The reporting policy of the primary device.
    var policy = ReportingMachine()
    var waits = WaitSchedule()

    init(id: PersonID) { self.id = id }

    // MARK: Inputs

    /// Handles a report. A fix of the primary device that is not older than the last one changes
    /// presence; any other is only history.
    mutating func handle(_ report: Report, _ zones: inout KnownZones, _ turn: inout Turn) {
        presence.fixes.record(report)
        guard presence.fixes.primaryDevice == report.device else { return }
        contact.record(report, presence.fixes, &emergency, &turn)
        if !report.late { presence.evaluate(EvaluatedFix(report), &zones, &turn) }
    }

    /// Handles an input about this person that is no report.
    mutating func handle(_ body: EventBody, _ zones: inout KnownZones, _ turn: inout Turn) {
        switch body {
        case .inputDeadline(let expired)
        where expired.deadline.kind == .presence || expired.deadline.kind == .contact:
            // It proves that its time has come, even if ingest's clock is behind. So does an
            // outdated deadline, because it expires only once.
            advance(to: expired.deadline.due, &zones, &turn)
        case .inputSignal:
            contact.handle(body, &presence.fixes, &emergency, &turn)
            emergency.handle(body, presence.fixes, &turn)
        case .inputCancel, .inputDeadline, .inputAcknowledgement, .inputResolution,
            .inputFallbackOpened, .inputEmergencySnapshot:
            emergency.handle(body, presence.fixes, &turn)
        case .inputArming(let arming):
            alarms.arm(arming, presence, zones, &turn)
            contact.handle(body, &presence.fixes, &emergency, &turn)
        case .inputAlarmAnswer(let answer):
            contact.handle(body, &presence.fixes, &emergency, &turn)
            alarms.answer(answer, presence, zones, &turn)
        case .inputContactExpectation, .inputContact, .inputWatch, .inputContactLossHold:
            contact.handle(body, &presence.fixes, &emergency, &turn)
        case .inputIntakeOutage: contact.applyDeadline(&turn)
        case .inputImpairment(let impairment):
            // It passes through here to keep it in order with the others.
            turn.emit(.deviceImpaired(impairment), subject: .id(impairment.device))
        case .inputPerson(let person):
            zones.generation += 1
            let device = presence.fixes.primaryDevice
            let before = presence.configure(person, &zones)
            if presence.fixes.primaryDevice != device {
                contact.batteryNotice = BatteryNotice()
                contact.handle(body, &presence.fixes, &emergency, &turn)
            }
            presence.reconfigure(
                .all(before: before, at: turn.now), cause: turn.cause, &zones, &turn)
        case .inputPersonRemoved: remove(&zones, &turn)
        // Inputs of other people or of the partition, and events of other streams.
        default: break
        }
    }

    /// Ends everything about the person. A running emergency is resolved and deadlines are
    /// cancelled, so that nobody is notified any more.
    private mutating func remove(_ zones: inout KnownZones, _ turn: inout Turn) {
        turn.isErased = true
        let before = presence.configure(
            ConfiguredPerson(person: id, primaryDevice: nil, circles: [], zones: []), &zones)
        presence.reconfigure(
            .all(before: before, at: turn.now), cause: turn.cause, &zones, &turn)
        presence.fixes.suspect = nil
        // No phone gets a reporting policy.
        presence.fixes.firstDevice = nil
        contact.removePerson(&turn)
        emergency.removePerson(presence.fixes, &turn)
    }

    // MARK: A turn

    /// Handles all waits of the person up to a time, in order. So a late deadline and an earlier
    /// record lead to the same decisions.
    mutating func advance(
        to time: Timestamp, _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        turn.isEmergency = emergency.isActive
        turn.end = max(turn.end, time, waits.passed)
        if waits.wake <= time {
            zones.build(presence.applicable.sets)
            while let wait = nextWait(zones, turn.rules), wait.due <= time {
                turn.now = max(wait.due, waits.passed)
                handle(wait, &zones, &turn)
                updateAlarms(zones, &turn)
            }
            presence.invalidateWake()
        }
        turn.now = max(waits.passed, time)
        waits.passed = turn.now
    }

    /// Ends a turn: updates what depends on the record, and schedules the deadline of the next
    /// wait.
    mutating func finish(_ zones: inout KnownZones, _ turn: inout Turn) {
        updateAlarms(zones, &turn)
        while turn.areWaitsStale || presence.isWakeStale {
            turn.areWaitsStale = false
            findWake(zones, turn.rules)
            // An edit may make a wait shorter than the time already waited.
            if waits.wake <= waits.passed { advance(to: waits.passed, &zones, &turn) }
        }
        if let fix = presence.fixes.trusted?.fix,
            let due = turn.triggered.drain(for: id, fix: fix)
        {
            turn.emit(.messagesDue(due), subject: .none)
        }
        policy.update(presence, &zones, &turn)
        waits.schedule(&turn)
        if turn.isMoved { beginQuietFixes(turn.rules, zones.generation) }
    }

    /// Updates alarms by what has changed since the last update.
    private mutating func updateAlarms(_ zones: KnownZones, _ turn: inout Turn) {
        alarms.update(presence, zones, &turn)
        for signal in turn.zoneSignals { emergency.raise(zone: signal, presence.fixes, &turn) }
        turn.zoneSignals.removeAll()
        if turn.trustedFix != nil { turn.isMoved = true }
        turn.trustedFix = nil
        if !turn.changes.isEmpty { turn.changes.removeAll(keepingCapacity: true) }
    }

    // MARK: Waits

    /// Computes the person's first wait.
    func nextWait(_ zones: KnownZones, _ rules: EvaluatorRules) -> Wait? {
        var next = FirstWait()
        presence.addZoneWaits(to: &next, after: waits.passed, zones)
        addOtherWaits(to: &next, rules)
        return next.wait
    }

    /// Recomputes when the first wait ends. Zones are read only if their waits may have changed.
    mutating func findWake(_ zones: KnownZones, _ rules: EvaluatorRules) {
        presence.updateWake(after: waits.passed, zones)
        var next = FirstWait()
        addOtherWaits(to: &next, rules)
        waits.wake = min(presence.zoneWake, next.due)
    }

    private func addOtherWaits(to next: inout FirstWait, _ rules: EvaluatorRules) {
        presence.addOtherWaits(
            to: &next, after: waits.passed, isEmergency: emergency.isActive, rules)
        if let fix = presence.fixes.trusted?.fix.time {
            next.add(alarms.nextRing(fix: fix, rules: rules), .alarm)
        }
        next.add(contact.due, .contact)
    }

    private mutating func handle(
        _ wait: Wait, _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        let due = wait.due
        switch wait.kind {
        case .leaving, .schedule, .suspect, .pause: presence.fastPath.invalidate()
        // These change nothing about zones.
        case .dwell, .absence, .alarm, .contact: break
        }
        switch wait.kind {
        case .leaving: wait.zone.map { presence.confirmLeaving($0, zones, &turn) }
        case .dwell: wait.zone.map { presence.dwell($0, zones, &turn) }
        case .schedule: wait.zone.map { presence.openOrClose($0, due: due, zones, &turn) }
        case .absence:
            let isInContact = contact.isInContact(presence.fixes.primaryDevice)
            presence.evaluateAbsence(due: due, isInContact: isInContact, zones, &turn)
        case .alarm: alarms.ring(presence, zones, &turn)
        case .suspect: presence.trustSuspect(&zones, &turn)
        case .contact: contact.expire(due: due, presence.fixes, &emergency, &turn)
        case .pause:
            wait.circle.map { presence.endSharingPause(of: $0, due: due, &zones, &turn) }
        }
    }
}

extension EventBody {
    /// The person whom an input concerns, and whether it counts for an unknown person, too. Nil for
    /// inputs that concern the whole partition, and events of other streams.
    var concerned: (person: PersonID, isAlsoNew: Bool)? {
        switch self {
        case .inputReport(let report): (report.person, true)
        case .inputDeadline(let expired): (expired.deadline.person, false)
        // A signal counts even for a person who was never configured.
        case .inputSignal(let signal), .inputFallbackOpened(let signal): (signal.person, true)
        case .inputEmergencySnapshot(let snapshot): (snapshot.person, true)
        case .inputCancel(let cancel): (cancel.person, false)
        case .inputAcknowledgement(let answer), .inputResolution(let answer):
            (answer.person, false)
        case .inputArming(let arming): (arming.person, true)
        case .inputAlarmAnswer(let answer): (answer.person, false)
        case .inputContactExpectation(let announced): (announced.person, true)
        case .inputContact(let contact): (contact.person, true)
        case .inputWatch(let span): (span.person, true)
        case .inputImpairment(let impairment): (impairment.person, true)
        case .inputPerson(let person): (person.person, true)
        case .inputPersonRemoved(let removal): (removal.person, false)
        default: nil
        }
    }
}
