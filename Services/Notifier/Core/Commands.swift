import Directory
import Model

// A human takes an emergency, or ends it. The first whose command is committed wins.
extension Notifier {
    mutating func acknowledge(_ command: Command, _ turn: inout Turn) {
        let answer = acknowledge(
            command.emergency, by: command.principal, note: command.note, trace: command.trace,
            &turn)
        turn.answer(command, answer)
    }

    mutating func acknowledge(
        _ id: EmergencyID, by principal: Principal, note: String?, trace: String,
        _ turn: inout Turn
    ) -> Answer {
        turn.trace = trace
        let emergency: Emergency
        switch allowed(id, principal, .acknowledge, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return answer
        }
        let person = principal.person
        switch emergency.state {
        case .countdown: return .notYet
        case .resolved, .cancelled: break
        // What goes on in other circles only is not theirs to stop.
        case .open where isOver(emergency, for: person, turn),
            .acknowledged where isOver(emergency, for: person, turn):
            break
        case .acknowledged where emergency.hasAnswer(of: person, in: turn.directory):
            confirmHold(emergency, by: person, &turn)
        case .open, .acknowledged:
            take(emergency.id, by: person, &turn)
            // To the other services an emergency has one responder, the first that holds.
            guard emergency.acknowledgements.isEmpty else { break }
            let answer = EmergencyAnswer(
                emergency: emergency.id, person: emergency.person, by: person, at: turn.now,
                note: note, trace: trace)
            let id = Meaning.event(
                .acknowledgementGiven, emergency.person, .id(emergency.id),
                .number(emergencies[emergency.id]?.takings ?? 0), .number(turn.now.microseconds))
            turn.publish(id, .acknowledgementGiven(answer))
        }
        return standing(of: emergency.id, for: person, at: turn.now, turn)
    }

    mutating func resolve(_ command: Command, _ turn: inout Turn) {
        turn.trace = command.trace
        let emergency: Emergency
        switch allowed(command.emergency, command.principal, .resolve, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return turn.answer(command, answer)
        }
        let person = command.principal.person
        switch emergency.state {
        case .countdown: return turn.answer(command, .notYet)
        case .resolved, .cancelled: break
        case .open, .acknowledged:
            if let person {
                resolve(
                    emergency, by: person, note: command.note, trace: command.trace, &turn)
            } else {
                resolveForAll(
                    emergency, by: nil, note: command.note, trace: command.trace, &turn)
            }
        }
        turn.answer(command, standing(of: emergency.id, for: person, at: turn.now, turn))
    }

    /// Whether an emergency that goes on is over for somebody: in all circles that they share with
    /// the person. Never for the operator.
    private func isOver(_ emergency: Emergency, for person: PersonID?, _ turn: Turn) -> Bool {
        person.map { !emergency.goesOn(for: $0, in: turn.directory) } ?? false
    }

    private enum Permission {
        case yes(Emergency)
        case no(Answer)
    }

    /// The emergency if the one who asks may do this to it, else the answer that they get.
    private func allowed(
        _ id: EmergencyID, _ principal: Principal, _ action: Action, _ turn: Turn
    ) -> Permission {
        guard let emergency = emergency(named: id) else {
            let isWaiting = signals[id]?.state == .waiting
            return .no(isWaiting && isHelper(id, principal, turn) ? .notYet : .unknown)
        }
        let isTold = principal.person.map(emergency.told.contains) ?? false
        // Once it is over there is nothing left to acknowledge first.
        let isAcknowledged =
            emergency.state != .open || isOver(emergency, for: principal.person, turn)
        let decision = turn.directory.decide(
            principal, action,
            on: .emergency(
                of: emergency.person, isTold: isTold, isAcknowledged: isAcknowledged),
            at: turn.now)
        switch decision {
        case .allowed: return .yes(emergency)
        case .denied(.notAMember): return .no(.unknown)
        case .denied(let denial): return .no(.denied(denial))
        }
    }

    /// An emergency by its own id or by that of a signal that joined it.
    func emergency(named id: EmergencyID) -> Emergency? {
        if let own = emergencies[id], own.state.isActive { return own }
        let active = activeOf.values.joined().compactMap { emergencies[$0] }
        return active.first { $0.joined.contains(id) } ?? emergencies[id]
    }

    /// Whether a signal that is still waiting may be known to the one who asks.
    private func isHelper(_ id: EmergencyID, _ principal: Principal, _ turn: Turn) -> Bool {
        guard let person = signals[id]?.signal?.person else { return false }
        return turn.directory.decide(
            principal, .readEmergency,
            on: .emergency(of: person, isTold: false, isAcknowledged: false), at: turn.now
        ).isAllowed
    }

    /// Still on it: another hold begins.
    private mutating func confirmHold(
        _ emergency: Emergency, by person: PersonID?, _ turn: inout Turn
    ) {
        guard var taken = emergency.acknowledgements.first(where: { $0.by == person }),
            !emergency.isRecordOnly
        else { return }
        var emergency = emergency
        let wasAsked = taken.asked != nil
        taken.confirmations += 1
        taken.asked = nil
        emergency.update(taken)
        keep(emergency, &turn)
        hold(emergency.id, taken, for: Limits.acknowledgementHold, &turn)
        if wasAsked { record(.confirmed, emergency, by: taken.by, &turn) }
    }

    func standing(
        of id: EmergencyID, for person: PersonID?, at now: Timestamp, _ turn: Turn
    ) -> Answer {
        guard let emergency = emergencies[id] else { return .unknown }
        if emergency.state.isActive, let person, person != emergency.person,
            let end = emergency.end(for: person, in: turn.directory)
        {
            return .standing(
                Standing(
                    emergency: id, state: .resolved, by: end.by, at: end.at,
                    isYours: end.by == person))
        }
        let isOver = !emergency.state.isActive
        let taken = emergency.acknowledgement(for: person, in: turn.directory)
        let by = isOver ? emergency.endedBy : taken?.by
        let at = isOver ? emergency.ended : taken?.at
        return .standing(
            Standing(
                emergency: id, state: emergency.state, by: by, at: at ?? now,
                isYours: by == person))
    }
}

extension Turn {
    mutating func answer(_ command: Command, _ answer: Answer) {
        effects.append(.answer(request: command.request, answer))
    }
}
