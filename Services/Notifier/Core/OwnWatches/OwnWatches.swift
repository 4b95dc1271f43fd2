import Directory
import Hashing
import Model

/// Watches as their persons see them: reminders, extensions by SMS, arrivals that come too late.
struct OwnWatches: Sendable {
    private var watches: [PersonID: OwnWatch] = [:]

    init(_ rows: [OwnWatch]) {
        for row in rows { watches[row.watch.person] = row }
    }

    /// The running watch of a person.
    func running(of person: PersonID) -> Watch? {
        watches[person].flatMap { $0.watch.state.isRunning ? $0.watch : nil }
    }

    // MARK: Changes

    /// Applies a change: reminds the person, or closes the reminder once it is answered.
    mutating func apply(_ watch: Watch, _ delivery: inout Delivery, _ turn: inout Turn) {
        let known = watches[watch.person]
        // Streams may be read again.
        if let known, known.watch.id == watch.id, known.watch.version >= watch.version { return }
        if let known, known.watch.id != watch.id, known.watch.started > watch.started { return }
        turn.trace = watch.trace
        if known?.watch.state == .reminded {
            delivery.closeQuestions(to: watch.person, as: .watchReminder, &turn)
        }
        confirmExtension(of: watch, known, &delivery, &turn)
        switch watch.state {
        case .active: save(OwnWatch(watch), &turn)
        case .reminded:
            save(OwnWatch(watch), &turn)
            remind(of: watch, &delivery, &turn)
        case .expired where watch.destination != nil: save(OwnWatch(watch), &turn)
        case .ended, .arrived, .cancelled, .expired: remove(watch.person, &turn)
        }
    }

    /// Reminds the person before the deadline.
    private func remind(of watch: Watch, _ delivery: inout Delivery, _ turn: inout Turn) {
        var plan = DeliveryPlan(
            reason: .watchReminder, severity: .safety, scope: DerivedID.reminder(watch))
        plan.person = watch.person
        plan.expires = watch.deadline + .seconds(watch.graceSeconds)
        plan.question = watch.id.raw
        _ = delivery.notify(
            watch.person, .watchReminder(deadline: watch.deadline, note: watch.note), plan, &turn)
    }

    // MARK: Extension

    /// Extends the running watch of the person who has this number.
    ///
    /// It needs a verified number of exactly one person on a watch: with two, it is not known which
    /// of them replied.
    mutating func extend(
        _ minutes: Int64?, by reply: Reply, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let people = turn.directory.sortedPeople.filter { $0.hasVerified(reply.sender) }
        guard let first = people.first else { return }
        let onWatch = people.filter { running(of: $0.id) != nil }
        guard onWatch.count == 1, let person = onWatch.first,
            var row = watches[person.id]
        else {
            return Replies().answer(reply, .watch(.none), of: first, &delivery, &turn)
        }
        guard let minutes, (1...Limits.extensionMinutesMax).contains(minutes) else {
            return Replies().answer(reply, .watch(.howToExtend), of: person, &delivery, &turn)
        }
        let command = WatchCommand(
            person: person.id, watch: row.watch.id, action: .extend,
            seconds: minutes * 60, at: turn.now, trace: reply.trace)
        turn.publish(
            DerivedID.event(.watchCommandReceived, person.id, .id(reply.id)),
            .watchCommandReceived(command))
        row.extendedBy = reply.sender
        save(row, &turn)
    }

    /// Answers a requested extension once the timer has made it.
    private func confirmExtension(
        of watch: Watch, _ known: OwnWatch?, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let known, known.watch.id == watch.id, let number = known.extendedBy,
            watch.deadline > known.watch.deadline
        else { return }
        let id = Hash.id("extended", .id(watch.id), .number(watch.version))
        let request = Reply(id: id, sender: number, text: "", trace: watch.trace)
        Replies().answer(
            request, .watch(.extended(deadline: watch.deadline)),
            of: turn.directory.person(watch.person), &delivery, &turn)
    }

    // MARK: Arrival

    /// Notifies the recipients of an emergency that the person has arrived at the destination of
    /// the watch that expired. It closes nothing.
    mutating func entered(
        _ crossing: ZoneCrossing, _ escalation: Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard let watch = watches[crossing.person]?.watch, watch.state == .expired,
            watch.destination == crossing.zone, crossing.isConfirmedEntry,
            crossing.fix.time >= watch.started
        else { return }
        remove(watch.person, &turn)
        guard let id = escalation.book.active(of: watch.person).last else { return }
        escalation.book.notifyArrival(crossing, of: id, watch, &delivery, &turn)
    }

    // MARK: State

    private mutating func save(_ row: OwnWatch, _ turn: inout Turn) {
        watches[row.watch.person] = row
        turn.save(.watch(row))
    }

    private mutating func remove(_ person: PersonID, _ turn: inout Turn) {
        guard watches.removeValue(forKey: person) != nil else { return }
        turn.emit(.remove(.watch(person)))
    }
}

extension EmergencyBook {
    /// Notifies each recipient who may know the place that the person has arrived there.
    fileprivate func notifyArrival(
        _ crossing: ZoneCrossing, of id: EmergencyID, _ watch: Watch, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard let emergency = self[id] else { return }
        let scope = DerivedID.update(id, .arrived, cause: watch.id.raw)
        for recipient in emergency.recipients
        where mayKnow(crossing.zone, of: emergency, recipient, turn) {
            _ = notifyProgress(
                id, to: recipient, .arrived(zone: crossing.zoneName, at: crossing.fix.time),
                reason: .arrived, scope: scope, &delivery, &turn)
        }
    }

    /// Whether a recipient may learn by name that the person is in a zone.
    private func mayKnow(
        _ zone: ZoneID, of emergency: Emergency, _ recipient: PersonID, _ turn: Turn
    ) -> Bool {
        let directory = turn.directory
        return directory.commonCircles(of: emergency.person, and: recipient)
            .contains { id in
                guard let circle = directory.circle(id),
                    let member = circle.member(emergency.person)
                else { return false }
                let access = PositionAccess(
                    of: .person(recipient), in: circle, directory, at: turn.now)
                switch access.detail(of: member, sharesByOwnCall: emergency.isOwnCall) {
                case .exact: return true
                case .zone:
                    return directory.zone(zone).map {
                        ZoneNaming(in: directory).mayName($0, of: member, in: circle)
                    } ?? false
                case .nothing: return false
                }
            }
    }
}
