import Directory
import Hashing
import Model

// Each circle of the person has its own escalation, so an acknowledgement stops it in the circles
// that the responder shares with the person. Other circles learn of it and go on until somebody of
// theirs responds. The operator's acknowledgement counts for all circles.
extension Notifier {
    /// Stores an acknowledgement: escalations of the responder's circles stop, and everyone who was
    /// notified learns who responds.
    mutating func take(_ id: EmergencyID, by: PersonID?, _ turn: inout Turn) {
        if turn.cause == nil { endHold(ofTaken: id, &turn) }
        guard var emergency = emergencies[id] else { return }
        let taken = emergency.acknowledge(by: by, at: turn.now)
        keep(emergency, &turn)
        let answered = ladders[id, default: []].map(\.circle).filter {
            emergency.isAnswered(in: $0, turn.directory)
        }
        stopLadders(id, in: answered, &turn)
        if !emergency.isRecordOnly { hold(id, taken, for: Limits.acknowledgementHold, &turn) }
        let scope = Meaning.news(
            id, .taken, cause: Hash.id("taking", .number(emergency.takings)))
        let name = by.flatMap { turn.directory.person($0)?.name }
        let others = emergency.told.filter {
            $0 != by && emergency.goesOn(for: $0, in: turn.directory)
        }
        let asked = others.filter {
            emergency.acknowledgement(for: $0, in: turn.directory) == nil
        }
        // Where a number is of two people it is still asked for one of them: that is said there.
        var decisions = asked.map {
            tellNews(
                id, to: $0, .takenElsewhere(by: name), reason: .taken, scope: scope, &turn)
        }
        decisions += others.filter { !asked.contains($0) }.map {
            tellNews(id, to: $0, .taken(by: name), reason: .taken, scope: scope, &turn)
        }
        decisions.append(
            tellNews(
                id, to: emergency.person, .ownTaken(by: name), reason: .ownTaken, scope: scope,
                &turn))
        record(.taken, emergency, by: by, decisions: decisions, &turn)
    }

    /// Waits before a responder is asked, or for their answer.
    mutating func hold(
        _ id: EmergencyID, _ taken: Taking, for wait: Duration, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        var taken = taken
        unwant(taken.clock, &turn)
        let clock = WantedClock(
            id: Meaning.hold(id, takings: emergency.takings, taken), rule: .acknowledgementHold,
            person: emergency.person, emergency: id, due: turn.now + wait)
        taken.clock = clock.id
        taken.due = clock.due
        emergency.update(taken)
        keep(emergency, &turn)
        want(clock, for: .hold(id), &turn)
    }

    /// The time of an acknowledgement is over: its responder is asked. Without an answer the
    /// escalations of their circles resume.
    mutating func holdEnded(_ id: EmergencyID, _ clock: ClockID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.state == .acknowledged,
            var taken = emergency.acknowledgements.first(where: { $0.clock == clock })
        else { return }
        turn.trace = emergency.trace
        guard taken.asked == nil else { return resume(id, without: taken, &turn) }
        taken.asked = turn.now
        taken.clock = nil
        emergency.update(taken)
        keep(emergency, &turn)
        let cause = Hash.id(
            "hold", .number(taken.number ?? emergency.takings), .number(taken.confirmations))
        let scope = Meaning.news(id, .holderAsked, cause: cause)
        let decisions = taken.by.map {
            [tellNews(id, to: $0, .holderAsked, reason: .holderAsked, scope: scope, &turn)]
        }
        record(.holderAsked, emergency, by: taken.by, decisions: decisions ?? [], &turn)
        hold(id, taken, for: Limits.holderAnswerWait, &turn)
    }

    /// A responder did not answer, or has left: their acknowledgement ends. Circles that have no
    /// other responder are notified again; where an escalation runs it goes on.
    mutating func resume(
        _ id: EmergencyID, without taken: Taking, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        record(.resumed, emergency, &turn)
        let running = ladders[id, default: []].filter { $0.clock != nil }.map(\.circle)
        emergency.remove(taken)
        guard !emergency.acknowledgements.isEmpty else {
            reopen(id, as: .unanswered, besides: running, &turn)
            return noticeStandstill(id, &turn)
        }
        keep(emergency, &turn)
        announce(id, &turn)
        restartLadders(id, as: .unanswered, besides: running, &turn)
    }

    /// Ends the acknowledgements of people for whom the emergency is over, as it has ended in all
    /// circles that they share with the person.
    mutating func dropAcknowledgements(of id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id] else { return }
        for taken in emergency.acknowledgements {
            guard let by = taken.by, !emergency.goesOn(for: by, in: turn.directory) else {
                continue
            }
            unwant(taken.clock, &turn)
            emergency.remove(taken)
        }
        if emergency.acknowledgements.isEmpty, emergency.state == .acknowledged {
            // Escalations of the other circles have never stopped: nobody is notified again.
            let since = emergency.notifiedSince ?? emergency.reopened ?? emergency.raised
            emergency.state = .open
            emergency.notifiedSince = since
            emergency.reopened = turn.now
        }
        keep(emergency, &turn)
    }
}

extension Emergency {
    /// Acknowledgements that hold, the oldest first.
    var acknowledgements: [Taking] { [taken].compactMap(\.self) + (furtherTaken ?? []) }

    /// Whether somebody responds for a circle: one of its members, or the operator.
    func isAnswered(in circle: CircleID, _ directory: Replica) -> Bool {
        acknowledgements.contains { $0.counts(for: person, in: circle, directory) }
    }

    /// Whether the escalation of a circle may notify its next tier.
    func escalates(in circle: CircleID, _ directory: Replica) -> Bool {
        (state == .open || state == .acknowledged) && !endedCircles.contains(circle)
            && !isAnswered(in: circle, directory)
    }

    /// The acknowledgement that counts for somebody: their own, else the first of a circle that
    /// they share with the person. The person and the operator see the first of all.
    func acknowledgement(for viewer: PersonID?, in directory: Replica) -> Taking? {
        guard let viewer, viewer != person else { return taken }
        let common = directory.commonCircles(of: person, and: viewer)
        let own = acknowledgements.first { $0.by == viewer }
        return own
            ?? acknowledgements.first { taken in
                common.contains { taken.counts(for: person, in: $0, directory) }
            } ?? (common.isEmpty ? taken : nil)
    }

    /// Whether an acknowledgement of this person would change nothing: they respond already, or
    /// somebody does for each of their circles in which it goes on.
    ///
    /// - Parameter responder: nil = the operator
    func hasAnswer(of responder: PersonID?, in directory: Replica) -> Bool {
        if acknowledgements.contains(where: { $0.by == responder }) { return true }
        let common = responder.map { directory.commonCircles(of: person, and: $0) }
        return circlesGoingOn(in: directory)
            .filter { common?.contains($0) ?? true }
            .allSatisfy { isAnswered(in: $0, directory) }
    }

    /// Adds an acknowledgement.
    mutating func acknowledge(by responder: PersonID?, at now: Timestamp) -> Taking {
        if taken?.number == nil { taken?.number = takings }
        state = .acknowledged
        takings += 1
        var new = Taking(by: responder, at: now)
        new.number = takings
        if taken == nil { taken = new } else { furtherTaken = (furtherTaken ?? []) + [new] }
        return new
    }

    /// Replaces the acknowledgement of the same responder.
    mutating func update(_ changed: Taking) {
        if taken?.by == changed.by, taken != nil {
            taken = changed
        } else if let index = furtherTaken?.firstIndex(where: { $0.by == changed.by }) {
            furtherTaken?[index] = changed
        }
    }

    /// Ends the acknowledgement of a responder; the next one becomes the first.
    mutating func remove(_ ended: Taking) {
        let left = acknowledgements.filter { $0.by != ended.by }
        taken = left.first
        furtherTaken = left.count > 1 ? Array(left.dropFirst()) : nil
    }

    /// No acknowledgement is waited for any more.
    mutating func stopHolds() {
        for var taken in acknowledgements {
            taken.clock = nil
            taken.due = nil
            update(taken)
        }
    }
}

extension Taking {
    /// Whether it counts for a circle of the person in danger.
    func counts(for person: PersonID, in circle: CircleID, _ directory: Replica) -> Bool {
        guard let by else { return true }
        return directory.commonCircles(of: person, and: by).contains(circle)
    }
}
