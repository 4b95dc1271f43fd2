import Directory
import Hashing
import Model

/// Somebody ended an emergency in one circle while it goes on in others.
public struct CircleEnd: Hashable, Sendable, Codable {
    public var circle: CircleID
    public var by: PersonID
    public var at: Timestamp
}

// Resolution by somebody else ends an emergency in the circles that they share with the person. It
// ends for all when the person confirms it, or when somebody has ended it in every circle.
extension Notifier {
    /// Ends an emergency as far as somebody else may: for all if no circle is left in which it goes
    /// on, else in the circles that they share with the person.
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
        let id = Meaning.event(
            .resolutionGiven, emergency.person, .id(emergency.id),
            .number(emergencies[emergency.id]?.endings ?? 0))
        turn.publish(id, .resolutionGiven(answer))
    }

    /// Ends an emergency in some circles: their escalation stops, the other circles are told who
    /// ended it where, and the person is asked whether that is right.
    private mutating func end(
        _ id: EmergencyID, in ended: [CircleID], by resolver: PersonID,
        goesOnIn left: [CircleID], _ turn: inout Turn
    ) {
        if turn.cause == nil { endHold(of: id, &turn) }
        let directory = turn.directory
        guard var emergency = emergencies[id], emergency.state.isActive else { return }
        // Whoever hears now that it is over is one of those for whom it went on until now.
        let told = emergency.told.filter { emergency.goesOn(for: $0, in: directory) }
        emergency.circleEnds =
            (emergency.circleEnds ?? [])
            + ended.map { CircleEnd(circle: $0, by: resolver, at: turn.now) }
        emergency.partialEndings = (emergency.partialEndings ?? 0) + 1
        keep(emergency, &turn)
        stopLadders(id, in: ended, &turn)
        let part = emergency
        supersede(id, &turn) { recipient in
            recipient != part.person && !part.goesOn(for: recipient, in: directory)
        }
        let cause = Hash.id("circles-ended", .number(emergency.partialEndings ?? 0))
        let name = turn.directory.person(resolver)?.name
        let circles = ended.compactMap { turn.directory.circle($0)?.name }.joined(separator: ", ")
        let scope = Meaning.news(id, .endedElsewhere, cause: cause)
        var decisions = told.filter { part.goesOn(for: $0, in: directory) }.map {
            tellNews(
                id, to: $0, .endedElsewhere(by: name, circles: circles), reason: .endedElsewhere,
                scope: scope, &turn)
        }
        // Where a number is of two people it goes on for one of them, which is all that counts.
        let shared = notificationsOf[id, default: []].compactMap { notifications[$0] }
            .filter { $0.scope == scope }.map(\.address)
        decisions += told.filter { !part.goesOn(for: $0, in: directory) }.map {
            tellNews(
                id, to: $0, .ended(cancelled: false, by: name), reason: .standDown,
                scope: Meaning.news(id, .standDown, cause: cause), except: Set(shared), &turn)
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
                words: circles, &turn)
        }
        dropAcknowledgements(of: id, &turn)
        announce(id, &turn)
        noticeStandstill(id, &turn)
    }

    /// Asks the person in danger on every channel whether it was right to end their emergency.
    ///
    /// - Parameters:
    ///   - name: who ended it; nil = the operator
    ///   - circles: the names of the circles in which it ended; nil = it ended for all
    mutating func askPerson(
        _ id: EmergencyID, by name: String?, circles: String?, cause: ID128, _ turn: inout Turn
    ) -> NotifyDecision {
        guard let emergency = emergencies[id] else {
            return NotifyDecision(recipient: PersonID(.zero), reason: .unreachable)
        }
        return tellNews(
            id, to: emergency.person, .ownEnded(by: name, circles: circles), reason: .ownEnded,
            scope: Meaning.news(id, .ownEnded, cause: cause), onAllContacts: true, &turn)
    }

    /// The person confirms that what somebody else has ended is over.
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
        return standing(of: emergency.id, for: emergency.person, at: turn.now, turn)
    }

    /// Whether somebody may know that there is such an emergency.
    private func isReadable(_ id: EmergencyID, by principal: Principal, _ turn: Turn) -> Bool {
        guard let emergency = emergency(named: id) else { return false }
        let isTold = principal.person.map(emergency.told.contains) ?? false
        return turn.directory.decide(
            principal, .readEmergency,
            on: .emergency(of: emergency.person, isTold: isTold, isAcknowledged: false),
            at: turn.now
        ).isAllowed
    }

    /// Somebody calls for help again: it goes on in all circles.
    ///
    /// - Returns: whether it had ended in some
    mutating func forgetCircleEnds(of id: EmergencyID, _ turn: inout Turn) -> Bool {
        guard var emergency = emergencies[id], emergency.circleEnds?.isEmpty == false else {
            return false
        }
        emergency.circleEnds = nil
        keep(emergency, &turn)
        return true
    }
}

extension Emergency {
    /// Circles in which somebody ended it, ids ascending.
    var endedCircles: [CircleID] { (circleEnds ?? []).map(\.circle).sorted() }

    /// The circles in which it goes on, ids ascending: those of the person with anybody else in
    /// them in which nobody has ended it.
    func circlesGoingOn(in directory: Replica) -> [CircleID] {
        guard state.isActive else { return [] }
        let ended = endedCircles
        return directory.circles(of: person).filter { id in
            !ended.contains(id)
                && directory.circle(id).map { !Audience.helpers(of: person, in: $0).isEmpty }
                    ?? false
        }
    }

    /// Whether it goes on for somebody else: in a circle that they share with the person. Who
    /// shares none has left, and it is over for them only when it is over for all.
    func goesOn(for recipient: PersonID, in directory: Replica) -> Bool {
        guard state.isActive else { return false }
        let common = directory.commonCircles(of: person, and: recipient)
        guard !common.isEmpty else { return true }
        let ended = endedCircles
        return common.contains { !ended.contains($0) }
    }

    /// Who ended it for somebody for whom it does not go on though it does for others.
    func end(for recipient: PersonID, in directory: Replica) -> CircleEnd? {
        guard !goesOn(for: recipient, in: directory) else { return nil }
        let common = directory.commonCircles(of: person, and: recipient)
        return (circleEnds ?? []).last { common.contains($0.circle) }
    }
}
