import Directory
import Hashing
import Model

/// The end of an emergency in one circle while it stays active in others.
public struct CircleEnd: Hashable, Sendable, Codable {
    public var circle: CircleID
    public var by: PersonID
    public var at: Timestamp
}

// A resolution by somebody else ends an emergency in the circles that they share with the person.
// It ends for all when the person confirms it, or when it has ended in every circle.
extension Notifier {
    /// Ends an emergency in the circles that the resolver shares with the person, or for all if no
    /// active circle is left.
    mutating func resolve(
        _ emergency: Emergency, by resolver: PersonID, note: String?, trace: String,
        _ turn: inout Turn
    ) {
        let directory = turn.directory
        let common = directory.commonCircles(of: emergency.person, and: resolver)
        let ended = emergency.circlesGoingOn(in: directory).filter(common.contains)
        let left = emergency.circlesGoingOn(in: directory).filter { !common.contains($0) }
        guard !ended.isEmpty || (left.isEmpty && !emergency.endedCircles.isEmpty) else { return }
        if left.isEmpty {
            return resolveForAll(
                emergency, by: resolver, note: note, trace: trace, &turn)
        }
        end(emergency.id, in: ended, by: resolver, goesOnIn: left, &turn)
    }

    /// Ends an emergency in all circles and publishes that.
    ///
    /// - Parameter person: nil = the operator
    mutating func resolveForAll(
        _ emergency: Emergency, by person: PersonID?, note: String?, trace: String,
        _ turn: inout Turn
    ) {
        end(emergency.id, as: .resolved, by: person, &turn)
        let answer = EmergencyAnswer(
            emergency: emergency.id, person: emergency.person, by: person, at: turn.now,
            note: note, trace: trace, signals: emergency.signals)
        let id = DerivedID.event(
            .resolutionCommitted, emergency.person, .id(emergency.id),
            .number(emergencies[emergency.id]?.endings ?? 0))
        turn.publish(id, .resolutionCommitted(answer))
    }

    /// Ends an emergency in some circles.
    ///
    /// Their escalations stop, the other circles learn who ended it where, and the person is asked
    /// to confirm.
    private mutating func end(
        _ id: EmergencyID, in ended: [CircleID], by resolver: PersonID,
        goesOnIn left: [CircleID], _ turn: inout Turn
    ) {
        if turn.cause == nil { endOutageHold(of: id, &turn) }
        let directory = turn.directory
        guard var emergency = emergencies[id], emergency.state.isActive else { return }
        // Only people for whom it was active until now are told that it ended.
        let recipients = emergency.recipients.filter { emergency.goesOn(for: $0, in: directory) }
        emergency.circleEnds =
            (emergency.circleEnds ?? [])
            + ended.map { CircleEnd(circle: $0, by: resolver, at: turn.now) }
        emergency.partialEndings = (emergency.partialEndings ?? 0) + 1
        save(emergency, &turn)
        stopEscalations(id, in: ended, &turn)
        let part = emergency
        expireMessages(id, &turn) { recipient in
            recipient != part.person && !part.goesOn(for: recipient, in: directory)
        }
        let cause = Hash.id("circles-ended", .number(emergency.partialEndings ?? 0))
        let name = turn.directory.person(resolver)?.name
        let circles = ended.compactMap { turn.directory.circle($0)?.name }.joined(separator: ", ")
        let scope = DerivedID.update(id, .endedElsewhere, cause: cause)
        var decisions = recipients.filter { part.goesOn(for: $0, in: directory) }.map {
            notifyProgress(
                id, to: $0, .endedElsewhere(by: name, circles: circles), reason: .endedElsewhere,
                scope: scope, &turn)
        }
        // If two people share a number and it is still active for one of them, only that message is
        // sent.
        let shared = notificationsOf[id, default: []].compactMap { notifications[$0] }
            .filter { $0.scope == scope }.map(\.address)
        decisions += recipients.filter { !part.goesOn(for: $0, in: directory) }.map {
            notifyProgress(
                id, to: $0, .ended(cancelled: false, by: name), reason: .standDown,
                scope: DerivedID.update(id, .standDown, cause: cause), except: Set(shared), &turn)
        }
        let asked = askPerson(id, by: name, circles: circles, cause: cause, &turn)
        for circle in ended {
            record(
                .resolved, emergency, circle: circle, by: resolver, decisions: decisions + [asked],
                &turn)
        }
        for circle in left {
            record(
                .resolvedElsewhere, emergency, circle: circle, by: resolver, decisions: decisions,
                text: circles, &turn)
        }
        removeEndedAcknowledgements(of: id, &turn)
        publishSnapshot(id, &turn)
        notifyExhaustion(id, &turn)
    }

    /// Asks the person in danger on every channel whether it was right to end their emergency.
    ///
    /// - Parameters:
    ///   - name: who ended it; nil = the operator
    ///   - circles: names of the circles in which it ended; nil = it ended for all
    mutating func askPerson(
        _ id: EmergencyID, by name: String?, circles: String?, cause: ID128, _ turn: inout Turn
    ) -> NotifyDecision {
        guard let emergency = emergencies[id] else {
            return NotifyDecision(recipient: PersonID(.zero), reason: .unreachable)
        }
        return notifyProgress(
            id, to: emergency.person, .ownEnded(by: name, circles: circles), reason: .ownEnded,
            scope: DerivedID.update(id, .ownEnded, cause: cause), onAllContacts: true, &turn)
    }

    /// Handles the person's confirmation that their emergency is over.
    mutating func confirmEnd(_ command: Command, _ turn: inout Turn) {
        turn.trace = command.trace
        guard let emergency = emergency(named: command.emergency),
            command.principal.person == emergency.person
        else {
            let isKnown = isReadable(command.emergency, by: command.principal, turn)
            return turn.answer(command, isKnown ? .denied(.personOnly) : .unknown)
        }
        let answer = confirmEnd(
            of: emergency, note: command.note, trace: command.trace, &turn)
        turn.answer(command, answer)
    }

    mutating func confirmEnd(
        of emergency: Emergency, note: String?, trace: String, _ turn: inout Turn
    ) -> Answer {
        switch emergency.state {
        case .countdown: return .notYet
        case .resolved, .cancelled: break
        case .open, .acknowledged:
            guard !emergency.endedCircles.isEmpty else { return .notEnded }
            resolveForAll(emergency, by: emergency.person, note: note, trace: trace, &turn)
        }
        return status(of: emergency.id, for: emergency.person, at: turn.now, turn)
    }

    /// Whether a principal may know that the emergency exists.
    private func isReadable(_ id: EmergencyID, by principal: Principal, _ turn: Turn) -> Bool {
        guard let emergency = emergency(named: id) else { return false }
        let isRecipient = principal.person.map(emergency.recipients.contains) ?? false
        return turn.directory.decide(
            principal, .readEmergency,
            on: .emergency(of: emergency.person, isRecipient: isRecipient, isAcknowledged: false),
            at: turn.now
        ).isAllowed
    }

    /// Makes an emergency active again in all circles, after a further call for help.
    ///
    /// - Returns: true if it had ended in some
    mutating func clearCircleEnds(of id: EmergencyID, _ turn: inout Turn) -> Bool {
        guard var emergency = emergencies[id], emergency.circleEnds?.isEmpty == false else {
            return false
        }
        emergency.circleEnds = nil
        save(emergency, &turn)
        return true
    }
}

extension Emergency {
    /// Circles in which it has ended, ids ascending.
    var endedCircles: [CircleID] { (circleEnds ?? []).map(\.circle).sorted() }

    /// Circles in which it is active, ids ascending.
    ///
    /// These are the person's circles with at least one other member, minus those in which it has
    /// ended.
    func circlesGoingOn(in directory: Replica) -> [CircleID] {
        guard state.isActive else { return [] }
        let ended = endedCircles
        return directory.circles(of: person).filter { id in
            !ended.contains(id)
                && directory.circle(id).map { !Recipients.helpers(of: person, in: $0).isEmpty }
                    ?? false
        }
    }

    /// Whether it is active for a recipient, that is in a circle that they share with the person.
    ///
    /// For a recipient who shares no circle with the person any more, it ends when it ends for all.
    func goesOn(for recipient: PersonID, in directory: Replica) -> Bool {
        guard state.isActive else { return false }
        let common = directory.commonCircles(of: person, and: recipient)
        guard !common.isEmpty else { return true }
        let ended = endedCircles
        return common.contains { !ended.contains($0) }
    }

    /// How it ended for a recipient for whom it is over while it is active for others.
    func end(for recipient: PersonID, in directory: Replica) -> CircleEnd? {
        guard !goesOn(for: recipient, in: directory) else { return nil }
        let common = directory.commonCircles(of: person, and: recipient)
        return (circleEnds ?? []).last { common.contains($0.circle) }
    }
}
