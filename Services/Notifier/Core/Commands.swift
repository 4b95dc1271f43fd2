import Directory
import Model

// People acknowledge emergencies and end them. The first committed command wins.
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
        // An emergency that is active only in other circles is not theirs to acknowledge.
        case .open where isOver(emergency, for: person, turn),
            .acknowledged where isOver(emergency, for: person, turn):
            break
        case .acknowledged where emergency.hasAnswer(of: person, in: turn.directory):
            renewAcknowledgement(emergency, by: person, &turn)
        case .open, .acknowledged:
            acknowledge(emergency.id, by: person, &turn)
            // Other services know one responder per emergency, the first.
            guard emergency.acknowledgements.isEmpty else { break }
            let answer = EmergencyAnswer(
                emergency: emergency.id, person: emergency.person, by: person, at: turn.now,
                note: note, trace: trace)
            let id = DerivedID.event(
                .acknowledgementCommitted, emergency.person, .id(emergency.id),
                .number(emergencies[emergency.id]?.acknowledgementCount ?? 0),
                .number(turn.now.microseconds))
            turn.publish(id, .acknowledgementCommitted(answer))
        }
        return status(of: emergency.id, for: person, at: turn.now, turn)
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
        turn.answer(command, status(of: emergency.id, for: person, at: turn.now, turn))
    }

    /// Whether an active emergency has ended for somebody, that is in all circles that they share
    /// with the person. Never true for the operator.
    private func isOver(_ emergency: Emergency, for person: PersonID?, _ turn: Turn) -> Bool {
        person.map { !emergency.goesOn(for: $0, in: turn.directory) } ?? false
    }

    private enum Permission {
        case yes(Emergency)
        case no(Answer)
    }

    /// The emergency if the principal may do this to it, otherwise the answer to send.
    private func allowed(
        _ id: EmergencyID, _ principal: Principal, _ action: Action, _ turn: Turn
    ) -> Permission {
        guard let emergency = emergency(named: id) else {
            let isWaiting = signals[id]?.state == .waiting
            return .no(isWaiting && isHelper(id, principal, turn) ? .notYet : .unknown)
        }
        let isRecipient = principal.person.map(emergency.recipients.contains) ?? false
        // An ended emergency needs no acknowledgement first.
        let isAcknowledged =
            emergency.state != .open || isOver(emergency, for: principal.person, turn)
        let decision = turn.directory.decide(
            principal, action,
            on: .emergency(
                of: emergency.person, isRecipient: isRecipient, isAcknowledged: isAcknowledged),
            at: turn.now)
        switch decision {
        case .allowed: return .yes(emergency)
        case .denied(.notAMember): return .no(.unknown)
        case .denied(let denial): return .no(.denied(denial))
        }
    }

    /// Finds an emergency by its own id or by the id of a signal that joined it.
    func emergency(named id: EmergencyID) -> Emergency? {
        if let own = emergencies[id], own.state.isActive { return own }
        let active = activeOf.values.joined().compactMap { emergencies[$0] }
        return active.first { $0.joined.contains(id) } ?? emergencies[id]
    }

    /// Whether the principal may know about a signal that waits for an evaluator.
    private func isHelper(_ id: EmergencyID, _ principal: Principal, _ turn: Turn) -> Bool {
        guard let person = signals[id]?.signal?.person else { return false }
        return turn.directory.decide(
            principal, .readEmergency,
            on: .emergency(of: person, isRecipient: false, isAcknowledged: false), at: turn.now
        ).isAllowed
    }

    /// Confirms an acknowledgement: its timeout starts again.
    private mutating func renewAcknowledgement(
        _ emergency: Emergency, by person: PersonID?, _ turn: inout Turn
    ) {
        guard var acknowledgement = emergency.acknowledgements.first(where: { $0.by == person }),
            !emergency.isRecordOnly
        else { return }
        var emergency = emergency
        let wasAsked = acknowledgement.asked != nil
        acknowledgement.confirmations += 1
        acknowledgement.asked = nil
        emergency.update(acknowledgement)
        save(emergency, &turn)
        scheduleAcknowledgementTimeout(
            emergency.id, acknowledgement, for: Limits.acknowledgementTimeout, &turn)
        if wasAsked { record(.confirmed, emergency, by: acknowledgement.by, &turn) }
    }

    func status(
        of id: EmergencyID, for person: PersonID?, at now: Timestamp, _ turn: Turn
    ) -> Answer {
        guard let emergency = emergencies[id] else { return .unknown }
        if emergency.state.isActive, let person, person != emergency.person,
            let end = emergency.end(for: person, in: turn.directory)
        {
            return .status(
                EmergencyStatus(
                    emergency: id, state: .resolved, by: end.by, at: end.at,
                    isYours: end.by == person))
        }
        let isOver = !emergency.state.isActive
        let acknowledgement = emergency.acknowledgement(for: person, in: turn.directory)
        let by = isOver ? emergency.endedBy : acknowledgement?.by
        let at = isOver ? emergency.ended : acknowledgement?.at
        return .status(
            EmergencyStatus(
                emergency: id, state: emergency.state, by: by, at: at ?? now,
                isYours: by == person))
    }
}

extension Turn {
    mutating func answer(_ command: Command, _ answer: Answer) {
        effects.append(.answer(request: command.request, answer))
    }
}
