import Directory
import Hashing
import Model

/// Acknowledgements of emergencies: who responds, for how long, and what follows if they do not.
///
/// An acknowledgement stops the escalation in the circles that the responder shares with the
/// person. Other circles are informed and escalate until one of their members responds. An
/// operator's acknowledgement counts for all circles.
struct Acknowledgements: Sendable {
    var circles: CircleEscalations

    private var book: EmergencyBook {
        get { circles.book }
        _modify { yield &circles.book }
    }

    // MARK: Commands

    /// Handles a command. The first committed one wins.
    mutating func acknowledge(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        let answer = acknowledge(
            command.emergency, by: command.principal, note: command.note, trace: command.trace,
            &delivery, &turn)
        turn.answer(command, answer)
    }

    mutating func acknowledge(
        _ id: EmergencyID, by principal: Principal, note: String?, trace: String,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> Answer {
        turn.trace = trace
        let emergency: Emergency
        switch book.allowed(id, principal, .acknowledge, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return answer
        }
        let person = principal.person
        switch emergency.state {
        case .countdown: return .notYet
        case .resolved, .cancelled: break
        // An emergency that is active only in other circles is not theirs to acknowledge.
        case .open where emergency.isOver(for: person, turn.directory),
            .acknowledged where emergency.isOver(for: person, turn.directory):
            break
        case .acknowledged where emergency.hasAnswer(of: person, in: turn.directory):
            renew(emergency, by: person, &delivery, &turn)
        case .open, .acknowledged:
            let joined = book.joined(with: emergency)
            for one in [emergency] + joined
            where one.id == emergency.id || !one.hasAnswer(of: person, in: turn.directory) {
                // One message is enough: that about the call which the person knows of.
                let informed =
                    one.underDuress == nil
                    ? [] : ([emergency] + joined).filter { $0.id != one.id }.flatMap(\.audience)
                commit(one.id, by: person, besides: Set(informed), &delivery, &turn)
                publish(one, by: person, note: note, trace: trace, &turn)
            }
        }
        return book.status(of: emergency.id, for: person, turn)
    }

    /// Publishes an acknowledgement that was committed here.
    ///
    /// - Parameter emergency: as it was before
    private func publish(
        _ emergency: Emergency, by person: PersonID?, note: String?, trace: String,
        _ turn: inout Turn
    ) {
        // Other services know one responder per emergency, the first.
        guard emergency.acknowledgements.isEmpty else { return }
        let answer = EmergencyAnswer(
            emergency: emergency.id, person: emergency.person, by: person, at: turn.now,
            note: note, trace: trace)
        let id = DerivedID.event(
            .acknowledgementCommitted, emergency.person, .id(emergency.id),
            .number(book[emergency.id]?.acknowledgementCount ?? 0),
            .number(turn.now.microseconds))
        turn.publish(id, .acknowledgementCommitted(answer))
    }

    /// Withdraws the caller's acknowledgement: circles without another responder are notified
    /// again at once. Without one, nothing changes.
    mutating func withdraw(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        let answer = withdraw(
            command.emergency, by: command.principal, trace: command.trace, &delivery, &turn)
        turn.answer(command, answer)
    }

    mutating func withdraw(
        _ id: EmergencyID, by principal: Principal, trace: String, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) -> Answer {
        turn.trace = trace
        let emergency: Emergency
        switch book.allowed(id, principal, .acknowledge, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return answer
        }
        let person = principal.person
        if emergency.state == .acknowledged,
            let own = emergency.acknowledgements.first(where: { $0.by == person })
        {
            book.deadlines.cancel(own.deadline, &turn)
            book.record(.withdrawn, emergency, by: person, &turn)
            resume(emergency.id, without: own, &delivery, &turn)
        }
        return book.status(of: emergency.id, for: person, turn)
    }

    /// Commits an acknowledgement.
    ///
    /// The escalations of the responder's circles stop, and everyone who was notified learns who
    /// responds.
    ///
    /// - Parameter informed: people whom other messages inform
    mutating func commit(
        _ id: EmergencyID, by: PersonID?, besides informed: Set<PersonID> = [],
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if turn.cause == nil { circles.releaseAnswered(id, &delivery, &turn) }
        guard var emergency = book[id] else { return }
        let acknowledgement = emergency.acknowledge(by: by, at: turn.now)
        book.save(emergency, &delivery, &turn)
        let answered = circles.of(id).map(\.circle).filter {
            emergency.isAnswered(in: $0, turn.directory)
        }
        circles.stop(id, in: answered, &turn)
        if !emergency.isRecordOnly {
            book.scheduleTimeout(
                of: acknowledgement, id, after: Limits.acknowledgementTimeout, &delivery, &turn)
        }
        let scope = DerivedID.update(
            id, .acknowledged, cause: Hash.id("taking", .number(emergency.acknowledgementCount)))
        let name = by.flatMap { turn.directory.person($0)?.name }
        let others = emergency.audience.filter {
            $0 != by && !informed.contains($0)
                && emergency.goesOn(for: $0, in: turn.directory)
        }
        let asked = others.filter {
            emergency.acknowledgement(for: $0, in: turn.directory) == nil
        }
        // A phone number of two people may still be asked for one of them; that message says who
        // responds.
        var decisions = asked.map {
            book.notifyProgress(
                id, to: $0, .acknowledgedElsewhere(by: name), reason: .acknowledged, scope: scope,
                &delivery, &turn)
        }
        decisions += others.filter { !asked.contains($0) }.map {
            book.notifyProgress(
                id, to: $0, .acknowledged(by: name), reason: .acknowledged, scope: scope,
                &delivery, &turn)
        }
        decisions.append(
            book.notifyProgress(
                id, to: emergency.person, .ownAcknowledged(by: name), reason: .ownAcknowledged,
                scope: scope, &delivery, &turn))
        book.record(.acknowledged, emergency, by: by, decisions: decisions, &turn)
    }

    /// Confirms an acknowledgement: its timeout starts again.
    private mutating func renew(
        _ acknowledged: Emergency, by person: PersonID?, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        var emergency = acknowledged
        guard var acknowledgement = emergency.acknowledgements.first(where: { $0.by == person }),
            !emergency.isRecordOnly
        else { return }
        let wasAsked = acknowledgement.asked != nil
        acknowledgement.confirmations += 1
        acknowledgement.asked = nil
        emergency.update(acknowledgement)
        book.save(emergency, &delivery, &turn)
        book.scheduleTimeout(
            of: acknowledgement, emergency.id, after: Limits.acknowledgementTimeout, &delivery,
            &turn)
        if wasAsked { book.record(.confirmed, emergency, by: acknowledgement.by, &turn) }
    }

    // MARK: Timeouts

    /// Handles an expired deadline. Its effect is held if it became due during the outage or its
    /// emergency is held.
    mutating func expire(
        _ entry: Deadlines<EmergencyDeadline>.Entry, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if var emergency = book[entry.purpose.emergency], emergency.isHeld != false,
            delivery.hold.isActive(at: turn.now),
            emergency.isHeld == true || delivery.hold.holds(entry.deadline.due, at: turn.now)
        {
            emergency.isHeld = true
            book.keep(emergency, &delivery)
            return book.deadlines.hold(entry)
        }
        switch entry.purpose {
        case .tier(let emergency, let circle):
            circles.tierExpired(emergency, circle, entry.deadline.id, &delivery, &turn)
        case .acknowledgement(let emergency):
            acknowledgementExpired(emergency, entry.deadline.id, &delivery, &turn)
        }
    }

    /// Handles an expired acknowledgement: sends the responder a reminder.
    ///
    /// Without an answer to the reminder, the escalations of their circles resume.
    private mutating func acknowledgementExpired(
        _ id: EmergencyID, _ deadline: DeadlineID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = book[id], emergency.state == .acknowledged,
            var acknowledgement = emergency.acknowledgements.first(where: {
                $0.deadline == deadline
            })
        else { return }
        turn.trace = emergency.trace
        guard acknowledgement.asked == nil else {
            return resume(id, without: acknowledgement, &delivery, &turn)
        }
        acknowledgement.asked = turn.now
        acknowledgement.deadline = nil
        emergency.update(acknowledgement)
        book.save(emergency, &delivery, &turn)
        let cause = Hash.id(
            "hold", .number(acknowledgement.number ?? emergency.acknowledgementCount),
            .number(acknowledgement.confirmations))
        let scope = DerivedID.update(id, .acknowledgementReminder, cause: cause)
        let decisions = acknowledgement.by.map {
            [
                book.notifyProgress(
                    id, to: $0, .acknowledgementReminder, reason: .acknowledgementReminder,
                    scope: scope, &delivery, &turn)
            ]
        }
        book.record(
            .acknowledgementReminder, emergency, by: acknowledgement.by, decisions: decisions ?? [],
            &turn)
        book.scheduleTimeout(
            of: acknowledgement, id, after: Limits.reminderAnswerWait, &delivery, &turn)
    }

    // MARK: Ends

    /// Withdraws acknowledgements of people who share no circle with the person any more.
    mutating func dropDeparted(of id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard let emergency = book[id], emergency.state == .acknowledged else { return }
        for acknowledgement in emergency.acknowledgements {
            guard let by = acknowledgement.by,
                turn.directory.seen(by: emergency)
                    .circles(of: emergency.person, answeredBy: by).isEmpty
            else { continue }
            book.deadlines.cancel(acknowledgement.deadline, &turn)
            resume(id, without: acknowledgement, &delivery, &turn)
        }
    }

    /// Withdraws an acknowledgement whose responder did not answer or has left.
    ///
    /// Circles without another responder are notified again. A running escalation continues.
    private mutating func resume(
        _ id: EmergencyID, without acknowledgement: Acknowledgement, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard var emergency = book[id] else { return }
        book.record(.resumed, emergency, &turn)
        let running = circles.running(id)
        emergency.remove(acknowledgement)
        guard !emergency.acknowledgements.isEmpty else {
            reopen(id, as: .unanswered, besides: running, &delivery, &turn)
            return circles.notifyExhaustion(id, &delivery, &turn)
        }
        book.save(emergency, &delivery, &turn)
        book.publishSnapshot(id, delivery, &turn)
        circles.restart(id, as: .unanswered, besides: running, &delivery, &turn)
    }

    /// Reopens an emergency without a responder: its escalations restart from the first tier.
    ///
    /// - Parameter running: circles whose escalation never stopped; it continues unchanged
    mutating func reopen(
        _ id: EmergencyID, as opening: Repetition, besides running: [CircleID] = [],
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = book[id] else { return }
        book.cancelTimeouts(of: emergency, &turn)
        emergency.firstAcknowledgement = nil
        emergency.furtherAcknowledgements = nil
        emergency.state = .open
        emergency.reopened = turn.now
        emergency.notifiedSince = nil
        emergency.isClosed = nil
        book.save(emergency, &delivery, &turn)
        book.publishSnapshot(id, delivery, &turn)
        if emergency.isRecordOnly { return }
        circles.restart(id, as: opening, besides: running, &delivery, &turn)
    }

    /// Removes acknowledgements of responders for whom the emergency has ended in all shared
    /// circles.
    mutating func removeEnded(of id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard var emergency = book[id] else { return }
        for acknowledgement in emergency.acknowledgements {
            guard let by = acknowledgement.by, !emergency.goesOn(for: by, in: turn.directory) else {
                continue
            }
            book.deadlines.cancel(acknowledgement.deadline, &turn)
            emergency.remove(acknowledgement)
        }
        if emergency.acknowledgements.isEmpty, emergency.state == .acknowledged {
            // The escalations of the other circles never stopped, so nobody is notified again.
            let since = emergency.notifiedSince ?? emergency.reopened ?? emergency.raised
            emergency.state = .open
            emergency.notifiedSince = since
            emergency.reopened = turn.now
        }
        book.save(emergency, &delivery, &turn)
    }

    /// Continues the acknowledgements of an emergency under another id.
    mutating func move(from old: Emergency, to emergency: inout Emergency, _ turn: inout Turn) {
        for var acknowledgement in old.acknowledgements {
            guard let due = acknowledgement.due, let before = acknowledgement.deadline else {
                continue
            }
            book.deadlines.cancel(before, &turn)
            let deadline = Deadline(
                id: DerivedID.acknowledgementTimeout(
                    emergency.id, acknowledgementCount: old.acknowledgementCount, acknowledgement),
                kind: .acknowledgementHold, person: emergency.person, emergency: emergency.id,
                due: due)
            acknowledgement.deadline = deadline.id
            emergency.update(acknowledgement)
            book.deadlines.schedule(deadline, for: .acknowledgement(emergency.id), &turn)
        }
    }

    // MARK: Outage hold

    /// Releases a held emergency: its messages are sent, and its expired deadlines take effect.
    mutating func release(_ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard circles.releaseMessages(of: id, &delivery, &turn) else { return }
        let expired = book.deadlines.held.filter { $0.deadline.emergency == id }
            .sorted { $0.deadline.id < $1.deadline.id }
        for entry in expired {
            book.deadlines.removeHeld(entry.deadline.id)
            expire(entry, &delivery, &turn)
        }
    }

    /// Releases the ended emergencies of a person before a new call for help. Otherwise their end
    /// could be mistaken for the end of the new one.
    mutating func releaseEnds(of person: PersonID, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard delivery.hold.isActive(at: turn.now) else { return }
        let over = book.all.filter { $0.person == person && !$0.state.isActive }.map(\.id)
        for id in over.sorted() {
            release(id, &delivery, &turn)
            for message in delivery.book.ids(of: id) { delivery.release(message, &turn) }
        }
    }
}

extension Directory.Turn where Effect == NotifierCore.Effect {
    mutating func answer(_ command: Command, _ answer: Answer) {
        emit(.answer(request: command.request, answer))
    }
}
