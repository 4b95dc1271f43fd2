import Directory
import Hashing
import Model

/// Ends of emergencies, in some circles or in all.
///
/// A resolution by somebody else ends an emergency in the circles that they share with the person.
/// It ends for all when the person confirms it, or when it has ended in every circle.
struct Endings: Sendable {
    var acknowledgements: Acknowledgements

    private var circles: CircleEscalations {
        get { acknowledgements.circles }
        _modify { yield &acknowledgements.circles }
    }
    private var book: EmergencyBook {
        get { acknowledgements.circles.book }
        _modify { yield &acknowledgements.circles.book }
    }

    // MARK: Commands

    mutating func resolve(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        turn.trace = command.trace
        let emergency: Emergency
        switch book.allowed(command.emergency, command.principal, .resolve, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return turn.answer(command, answer)
        }
        let person = command.principal.person
        switch emergency.state {
        case .countdown: return turn.answer(command, .notYet)
        case .resolved, .cancelled: break
        case .open, .acknowledged:
            if let person {
                // Read before anything ends: without the one under duress, the others are usual.
                let joined = book.joined(with: emergency)
                for one in [emergency] + joined {
                    resolve(one, by: person, command, &delivery, &turn)
                }
            } else {
                resolveForAll(
                    emergency, by: nil, note: command.note, trace: command.trace, &delivery, &turn)
            }
        }
        turn.answer(command, book.status(of: emergency.id, for: person, turn))
    }

    /// Ends an emergency whose person confirmed that it is over.
    mutating func confirm(
        _ emergency: Emergency, _ command: Command, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        resolveForAll(
            emergency, by: emergency.person, note: command.note, trace: command.trace, &delivery,
            &turn)
    }

    /// Ends an emergency in the circles that the resolver shares with the person, or for all if no
    /// active circle is left.
    private mutating func resolve(
        _ emergency: Emergency, by resolver: PersonID, _ command: Command,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let directory = turn.directory.seen(by: emergency)
        let common = directory.circles(of: emergency.person, answeredBy: resolver)
        let ended = emergency.circlesGoingOn(in: directory).filter(common.contains)
        let left = emergency.circlesGoingOn(in: directory).filter { !common.contains($0) }
        guard !ended.isEmpty || (left.isEmpty && !emergency.endedCircles.isEmpty) else { return }
        if left.isEmpty {
            return resolveForAll(
                emergency, by: resolver, note: command.note, trace: command.trace, &delivery, &turn)
        }
        end(emergency.id, in: ended, by: resolver, goesOnIn: left, &delivery, &turn)
    }

    // MARK: End for all

    /// Ends an emergency in all circles and publishes that.
    ///
    /// - Parameter person: nil = the operator
    private mutating func resolveForAll(
        _ emergency: Emergency, by person: PersonID?, note: String?, trace: String,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        end(emergency.id, as: .resolved, by: person, &delivery, &turn)
        publishResolution(
            of: emergency, by: person, note: note, trace: trace, signals: emergency.signals, &turn)
    }

    /// Publishes that a person ended an emergency that has not arrived here yet.
    func publishResolution(by cancel: EmergencyCancel, _ turn: inout Turn) {
        let answer = EmergencyAnswer(
            emergency: cancel.emergency, person: cancel.person, by: cancel.person,
            at: cancel.received, trace: cancel.trace)
        let id = DerivedID.event(
            .resolutionCommitted, cancel.person, .id(cancel.emergency), .id(cancel.id.raw))
        turn.publish(id, .resolutionCommitted(answer))
    }

    /// Publishes that an emergency was resolved here.
    func publishResolution(
        of emergency: Emergency, by person: PersonID?, note: String? = nil, trace: String,
        signals: [EmergencyID], _ turn: inout Turn
    ) {
        let answer = EmergencyAnswer(
            emergency: emergency.id, person: emergency.person, by: person, at: turn.now,
            note: note, trace: trace, signals: signals)
        let id = DerivedID.event(
            .resolutionCommitted, emergency.person, .id(emergency.id),
            .number(book[emergency.id]?.endings ?? 0))
        turn.publish(id, .resolutionCommitted(answer))
    }

    /// Ends an emergency: notifies all recipients once and expires unsent messages.
    ///
    /// - Parameter isDropped: true if it ended before anybody was notified; then nobody is
    mutating func end(
        _ id: EmergencyID, as state: EmergencyState, by: PersonID?, isDropped: Bool = false,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if turn.cause == nil { circles.releaseAnswered(id, &delivery, &turn) }
        let isDropped = dropOldEnd(id, &delivery, &turn) || isDropped
        guard var emergency = book[id], emergency.state.isActive else { return }
        let wasCounting = emergency.state == .countdown
        // Recipients for whom it ended earlier have been notified of that.
        let recipients = emergency.audience.filter {
            emergency.goesOn(for: $0, in: turn.directory)
        }
        emergency.circleEnds = nil
        book.cancelTimeouts(of: emergency, &turn)
        emergency.clearAcknowledgementDeadlines()
        emergency.state = state
        emergency.ended = turn.now
        emergency.endedBy = by
        let endings = (emergency.endings ?? 0) + 1
        emergency.endings = endings
        book.save(emergency, &delivery, &turn)
        circles.stop(id, &turn)
        delivery.expireMessages(id, &turn)
        if wasCounting { return }
        let scope = DerivedID.update(id, .standDown, cause: Hash.id("ending", .number(endings)))
        let name = by.flatMap { turn.directory.person($0)?.name }
        let content = NoticeContent.ended(cancelled: state == .cancelled, by: name)
        var decisions = recipients.map {
            book.notifyProgress(
                id, to: $0, content, reason: .standDown, scope: scope, &delivery, &turn)
        }
        let isKnown = !isDropped || !emergency.recipients.isEmpty
        if state == .resolved, by != emergency.person, isKnown {
            decisions.append(
                askPerson(
                    emergency, by: name, circles: nil, cause: Hash.id("ending", .number(endings)),
                    &delivery, &turn))
        }
        book.record(
            state == .cancelled ? .cancelled : .resolved, emergency, by: by, decisions: decisions,
            &turn)
    }

    /// Asks the person in danger on every channel whether it was right to end their emergency.
    ///
    /// - Parameters:
    ///   - name: who ended it; nil = the operator
    ///   - circles: names of the circles in which it ended; nil = it ended for all
    private func askPerson(
        _ emergency: Emergency, by name: String?, circles: String?, cause: ID128,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> NotifyDecision {
        book.notifyProgress(
            emergency.id, to: emergency.person, .ownEnded(by: name, circles: circles),
            reason: .ownEnded, scope: DerivedID.update(emergency.id, .ownEnded, cause: cause),
            onAllContacts: true, &delivery, &turn)
    }

    // MARK: End in some circles

    /// Ends an emergency in some circles.
    ///
    /// Their escalations stop, the other circles learn who ended it where, and the person is asked
    /// to confirm.
    private mutating func end(
        _ id: EmergencyID, in ended: [CircleID], by resolver: PersonID,
        goesOnIn left: [CircleID], _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if turn.cause == nil { acknowledgements.release(id, &delivery, &turn) }
        let directory = turn.directory
        guard var emergency = book[id], emergency.state.isActive else { return }
        // Only people for whom it was active until now are told that it ended.
        let recipients = emergency.audience.filter { emergency.goesOn(for: $0, in: directory) }
        emergency.circleEnds =
            (emergency.circleEnds ?? [])
            + ended.map { CircleEnd(circle: $0, by: resolver, at: turn.now) }
        emergency.partialEndings = (emergency.partialEndings ?? 0) + 1
        book.save(emergency, &delivery, &turn)
        circles.stop(id, in: ended, &turn)
        let part = emergency
        delivery.expireMessages(id, &turn) { recipient in
            recipient != part.person && !part.goesOn(for: recipient, in: directory)
        }
        let cause = Hash.id("circles-ended", .number(emergency.partialEndings ?? 0))
        let name = turn.directory.person(resolver)?.name
        let names = ended.compactMap { turn.directory.circle($0)?.name }.joined(separator: ", ")
        let scope = DerivedID.update(id, .endedElsewhere, cause: cause)
        var decisions = recipients.filter { part.goesOn(for: $0, in: directory) }.map {
            book.notifyProgress(
                id, to: $0, .endedElsewhere(by: name, circles: names), reason: .endedElsewhere,
                scope: scope, &delivery, &turn)
        }
        // If two people share a number and it is still active for one of them, only that message is
        // sent.
        let shared = Set(delivery.book.about(id).filter { $0.scope == scope }.map(\.address))
        decisions += recipients.filter { !part.goesOn(for: $0, in: directory) }.map {
            book.notifyProgress(
                id, to: $0, .ended(cancelled: false, by: name), reason: .standDown,
                scope: DerivedID.update(id, .standDown, cause: cause), except: shared, &delivery,
                &turn)
        }
        let asked = askPerson(emergency, by: name, circles: names, cause: cause, &delivery, &turn)
        for circle in ended {
            book.record(
                .resolved, emergency, circle: circle, by: resolver, decisions: decisions + [asked],
                &turn)
        }
        for circle in left {
            book.record(
                .resolvedElsewhere, emergency, circle: circle, by: resolver, decisions: decisions,
                text: names, &turn)
        }
        acknowledgements.removeEnded(of: id, &delivery, &turn)
        book.publishSnapshot(id, delivery, &turn)
        circles.notifyExhaustion(id, &delivery, &turn)
    }

    // MARK: Departures

    /// Re-evaluates all emergencies after people left circles or circles were removed.
    ///
    /// One that has ended in some circles and is active in no other has nobody left who could end
    /// it. A responder who shares no circle with the person any more cannot help.
    mutating func circlesChanged(_ delivery: inout Delivery, _ turn: inout Turn) {
        let trace = turn.trace
        defer { turn.trace = trace }
        for id in book.active.map(\.id).sorted() {
            guard let emergency = book[id] else { continue }
            turn.trace = emergency.trace
            endIfNoCircleLeft(emergency, &delivery, &turn)
            acknowledgements.dropDeparted(of: id, &delivery, &turn)
            circles.resumeUnanswered(id, &delivery, &turn)
        }
    }

    /// Ends an emergency for all if it has ended in some circles and is active in none.
    ///
    /// An emergency that has not ended in any circle stays active.
    private mutating func endIfNoCircleLeft(
        _ emergency: Emergency, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let ends = emergency.circleEnds, let last = ends.last,
            emergency.circlesGoingOn(in: turn.directory).isEmpty
        else { return }
        let known = ends.last { turn.directory.person($0.by) != nil }
        resolveForAll(
            emergency, by: (known ?? last).by, note: nil, trace: emergency.trace, &delivery, &turn)
    }

    // MARK: Outage hold

    /// Ends an emergency silently for unreached recipients if it was opened and ended long ago
    /// during the outage. A recent end is notified.
    ///
    /// - Returns: true if it was held and ended long ago
    private mutating func dropOldEnd(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) -> Bool {
        guard let outage = delivery.hold.outage, let cause = turn.cause,
            outage.until - cause > Limits.endNotificationAgeMax, book[id]?.isHeld == true
        else { return false }
        removeUnreachedRecipients(id, &delivery, &turn)
        if var emergency = book[id] {
            emergency.isHeld = nil
            book.keep(emergency, &delivery)
        }
        return true
    }

    /// Removes recipients of a held emergency to whom no message was ever attempted, under any of
    /// its ids. Older emergencies keep all recipients, because their sent messages are not in
    /// memory.
    private mutating func removeUnreachedRecipients(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = book[id], emergency.isHeld == true,
            let opened = emergency.signals.compactMap({ book[$0]?.opened }).min(),
            turn.now - opened < Limits.settledNotificationsKept
        else { return }
        let messages = emergency.signals.flatMap { delivery.book.about($0) }
        emergency.withheld = nil
        emergency.recipients = emergency.recipients.filter { person in
            let own = messages.filter { $0.recipients.contains(person) }
            return own.isEmpty || own.contains { $0.attempts > 0 }
        }
        book.save(emergency, &delivery, &turn)
    }

    /// Drops a held emergency for the operator: it ends, silently for unreached recipients.
    mutating func drop(_ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn) {
        removeUnreachedRecipients(id, &delivery, &turn)
        guard var emergency = book[id], emergency.isHeld == true else { return }
        turn.trace = emergency.trace
        for message in delivery.book.ids(of: id) { delivery.drop(message, &turn) }
        emergency.isHeld = false
        book.save(emergency, &delivery, &turn)
        book.deadlines.removeHeld { $0.deadline.emergency == id }
        guard emergency.state.isActive else { return }
        end(id, as: .resolved, by: nil, isDropped: true, &delivery, &turn)
        publishResolution(
            of: emergency, by: nil, trace: emergency.trace, signals: emergency.signals, &turn)
    }
}
