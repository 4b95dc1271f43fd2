import Directory
import Hashing
import Model

// Each circle of the person has its own escalation. An acknowledgement stops it in the circles that
// the responder shares with the person. Other circles are informed and escalate until one of their
// members responds. An operator's acknowledgement counts for all circles.
extension Notifier {
    /// Commits an acknowledgement.
    ///
    /// The escalations of the responder's circles stop, and everyone who was notified learns who
    /// responds.
    mutating func acknowledge(_ id: EmergencyID, by: PersonID?, _ turn: inout Turn) {
        if turn.cause == nil { endOutageHold(ofTaken: id, &turn) }
        guard var emergency = emergencies[id] else { return }
        let acknowledgement = emergency.acknowledge(by: by, at: turn.now)
        save(emergency, &turn)
        let answered = escalations[id, default: []].map(\.circle).filter {
            emergency.isAnswered(in: $0, turn.directory)
        }
        stopEscalations(id, in: answered, &turn)
        if !emergency.isRecordOnly {
            scheduleAcknowledgementTimeout(
                id, acknowledgement, for: Limits.acknowledgementTimeout, &turn)
        }
        let scope = DerivedID.update(
            id, .acknowledged, cause: Hash.id("taking", .number(emergency.acknowledgementCount)))
        let name = by.flatMap { turn.directory.person($0)?.name }
        let others = emergency.recipients.filter {
            $0 != by && emergency.goesOn(for: $0, in: turn.directory)
        }
        let asked = others.filter {
            emergency.acknowledgement(for: $0, in: turn.directory) == nil
        }
        // A phone number of two people may still be asked for one of them; that message says who
        // responds.
        var decisions = asked.map {
            notifyProgress(
                id, to: $0, .acknowledgedElsewhere(by: name), reason: .acknowledged, scope: scope,
                &turn)
        }
        decisions += others.filter { !asked.contains($0) }.map {
            notifyProgress(
                id, to: $0, .acknowledged(by: name), reason: .acknowledged, scope: scope, &turn)
        }
        decisions.append(
            notifyProgress(
                id, to: emergency.person, .ownAcknowledged(by: name), reason: .ownAcknowledged,
                scope: scope,
                &turn))
        record(.acknowledged, emergency, by: by, decisions: decisions, &turn)
    }

    /// Schedules the deadline after which a responder is asked again, or the deadline for their
    /// answer.
    mutating func scheduleAcknowledgementTimeout(
        _ id: EmergencyID, _ acknowledgement: Acknowledgement, for wait: Duration,
        _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        var acknowledgement = acknowledgement
        cancelDeadline(acknowledgement.deadline, &turn)
        let deadline = Deadline(
            id: DerivedID.acknowledgementTimeout(
                id, acknowledgementCount: emergency.acknowledgementCount, acknowledgement),
            rule: .acknowledgementHold,
            person: emergency.person, emergency: id, due: turn.now + wait)
        acknowledgement.deadline = deadline.id
        acknowledgement.due = deadline.due
        emergency.update(acknowledgement)
        save(emergency, &turn)
        schedule(deadline, for: .acknowledgement(id), &turn)
    }

    /// Handles an expired acknowledgement: sends the responder a reminder.
    ///
    /// Without an answer to the reminder, the escalations of their circles resume.
    mutating func acknowledgementExpired(
        _ id: EmergencyID, _ deadline: DeadlineID, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], emergency.state == .acknowledged,
            var acknowledgement = emergency.acknowledgements.first(where: {
                $0.deadline == deadline
            })
        else { return }
        turn.trace = emergency.trace
        guard acknowledgement.asked == nil else {
            return resume(id, without: acknowledgement, &turn)
        }
        acknowledgement.asked = turn.now
        acknowledgement.deadline = nil
        emergency.update(acknowledgement)
        save(emergency, &turn)
        let cause = Hash.id(
            "hold", .number(acknowledgement.number ?? emergency.acknowledgementCount),
            .number(acknowledgement.confirmations))
        let scope = DerivedID.update(id, .acknowledgementReminder, cause: cause)
        let decisions = acknowledgement.by.map {
            [
                notifyProgress(
                    id, to: $0, .acknowledgementReminder, reason: .acknowledgementReminder,
                    scope: scope, &turn)
            ]
        }
        record(
            .acknowledgementReminder, emergency, by: acknowledgement.by, decisions: decisions ?? [],
            &turn)
        scheduleAcknowledgementTimeout(id, acknowledgement, for: Limits.reminderAnswerWait, &turn)
    }

    /// Withdraws an acknowledgement whose responder did not answer or has left.
    ///
    /// Circles without another responder are notified again. A running escalation continues.
    mutating func resume(
        _ id: EmergencyID, without acknowledgement: Acknowledgement, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        record(.resumed, emergency, &turn)
        let running = escalations[id, default: []].filter { $0.deadline != nil }.map(\.circle)
        emergency.remove(acknowledgement)
        guard !emergency.acknowledgements.isEmpty else {
            reopen(id, as: .unanswered, besides: running, &turn)
            return notifyExhaustion(id, &turn)
        }
        save(emergency, &turn)
        publishSnapshot(id, &turn)
        restartEscalations(id, as: .unanswered, besides: running, &turn)
    }

    /// Removes acknowledgements of responders for whom the emergency has ended in all shared
    /// circles.
    mutating func removeEndedAcknowledgements(of id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id] else { return }
        for acknowledgement in emergency.acknowledgements {
            guard let by = acknowledgement.by, !emergency.goesOn(for: by, in: turn.directory) else {
                continue
            }
            cancelDeadline(acknowledgement.deadline, &turn)
            emergency.remove(acknowledgement)
        }
        if emergency.acknowledgements.isEmpty, emergency.state == .acknowledged {
            // The escalations of the other circles never stopped, so nobody is notified again.
            let since = emergency.notifiedSince ?? emergency.reopened ?? emergency.raised
            emergency.state = .open
            emergency.notifiedSince = since
            emergency.reopened = turn.now
        }
        save(emergency, &turn)
    }
}

extension Emergency {
    /// Active acknowledgements, oldest first.
    var acknowledgements: [Acknowledgement] {
        [firstAcknowledgement].compactMap(\.self) + (furtherAcknowledgements ?? [])
    }

    /// Whether a circle has a responder: one of its members, or the operator.
    func isAnswered(in circle: CircleID, _ directory: Replica) -> Bool {
        acknowledgements.contains { $0.counts(for: person, in: circle, directory) }
    }

    /// Whether the circle's escalation may notify its next tier.
    func escalates(in circle: CircleID, _ directory: Replica) -> Bool {
        (state == .open || state == .acknowledged) && !endedCircles.contains(circle)
            && !isAnswered(in: circle, directory)
    }

    /// The acknowledgement that applies to a viewer.
    ///
    /// It is their own, or the first of a circle that they share with the person. The person and
    /// the operator see the first of all.
    func acknowledgement(for viewer: PersonID?, in directory: Replica) -> Acknowledgement? {
        guard let viewer, viewer != person else { return firstAcknowledgement }
        let common = directory.commonCircles(of: person, and: viewer)
        let own = acknowledgements.first { $0.by == viewer }
        return own
            ?? acknowledgements.first { acknowledgement in
                common.contains { acknowledgement.counts(for: person, in: $0, directory) }
            } ?? (common.isEmpty ? firstAcknowledgement : nil)
    }

    /// Whether an acknowledgement by this person would change nothing.
    ///
    /// True if they respond already, or if each of their circles in which the emergency is active
    /// has a responder.
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
    mutating func acknowledge(by responder: PersonID?, at now: Timestamp) -> Acknowledgement {
        if firstAcknowledgement?.number == nil {
            firstAcknowledgement?.number = acknowledgementCount
        }
        state = .acknowledged
        acknowledgementCount += 1
        var new = Acknowledgement(by: responder, at: now)
        new.number = acknowledgementCount
        if firstAcknowledgement == nil {
            firstAcknowledgement = new
        } else {
            furtherAcknowledgements = (furtherAcknowledgements ?? []) + [new]
        }
        return new
    }

    /// Replaces the acknowledgement of the same responder.
    mutating func update(_ changed: Acknowledgement) {
        if firstAcknowledgement?.by == changed.by, firstAcknowledgement != nil {
            firstAcknowledgement = changed
        } else if let index = furtherAcknowledgements?.firstIndex(where: { $0.by == changed.by }) {
            furtherAcknowledgements?[index] = changed
        }
    }

    /// Removes the acknowledgement of a responder; the next one becomes the first.
    mutating func remove(_ ended: Acknowledgement) {
        let left = acknowledgements.filter { $0.by != ended.by }
        firstAcknowledgement = left.first
        furtherAcknowledgements = left.count > 1 ? Array(left.dropFirst()) : nil
    }

    /// Clears the deadlines of all acknowledgements.
    mutating func clearAcknowledgementDeadlines() {
        for var acknowledgement in acknowledgements {
            acknowledgement.deadline = nil
            acknowledgement.due = nil
            update(acknowledgement)
        }
    }
}

extension Acknowledgement {
    /// Whether it applies to a circle of the person in danger.
    func counts(for person: PersonID, in circle: CircleID, _ directory: Replica) -> Bool {
        guard let by else { return true }
        return directory.commonCircles(of: person, and: by).contains(circle)
    }
}
