import Directory
import Model

/// What a reader may see of an emergency, active or ended.
package struct IncidentView: Hashable, Sendable {
    package var state: EmergencyState
    /// When it ended for the reader; nil = it has not.
    package var ended: Timestamp?
    /// Who ended it; nil = the person or the operator, or nobody.
    package var endedBy: PersonID?
    package var acknowledgements: [Acknowledgement]
    /// Of people in the reader's circles.
    package var notes: [EmergencyNote]
    package var showsPosition: Bool
    /// People who were notified, as far as the reader knows them, ids ascending.
    package var recipients: [PersonID]
    /// Circles whose entries the reader may see.
    package var circles: [CircleID]
    /// Whether the reader sees the messages to everybody; otherwise only those to themselves.
    package var showsAllMessages: Bool
}

extension Notifier {
    /// The emergencies in memory that go on after a person ended another one with a duress PIN, by
    /// the one that ended: others than the person see the first.
    package var covertOrigins: Set<EmergencyID> {
        Set(escalation.book.active.compactMap(\.underDuress))
    }

    /// What a principal may see of an emergency; nil = they may not know that it exists.
    package func incident(
        _ emergency: Emergency, for principal: Principal, _ directory: Replica, at now: Timestamp
    ) -> IncidentView? {
        let reader = principal.person
        let isRecipient = emergency.isRecipient(reader)
        let target = RightsTarget.emergency(
            of: emergency.person, isRecipient: isRecipient,
            isAcknowledged: emergency.state != .open)
        guard emergency.isVisible(to: reader),
            directory.decide(principal, .readEmergency, on: target, at: now).isAllowed
        else { return nil }
        let turn = Turn(now: now, directory: directory)
        let own = directory.circles(of: emergency.person)
        let common = reader.map { directory.circles(of: emergency.person, answeredBy: $0) } ?? own
        let isTheirs = reader == emergency.person
        let isStaff = directory.decide(principal, .readIncidents, on: .suite, at: now).isAllowed
        let seesAll = isTheirs || isStaff
        var view = IncidentView(
            state: emergency.state, ended: emergency.ended, endedBy: emergency.endedBy,
            acknowledgements: emergency.acknowledgements,
            notes: (emergency.notes ?? []).filter { note in
                guard !seesAll, let author = note.by else { return true }
                return common.contains { directory.circle($0)?.member(author) != nil }
            },
            showsPosition: showsPosition(of: emergency, to: principal, isStaff: isStaff, turn),
            recipients: seesAll
                ? emergency.recipients
                : emergency.audience.filter { other in
                    common.contains { directory.circle($0)?.member(other)?.joined != nil }
                },
            circles: seesAll
                ? own
                : common.filter {
                    directory.decide(principal, .readTimeline, on: .circle($0), at: now).isAllowed
                },
            showsAllMessages: seesAll)
        if !isTheirs, isStaff {
            view.recipients.removeAll {
                directory.hidesEmergencies(of: emergency.person, from: $0)
            }
        }
        // It has ended in all circles of the reader: others are not theirs to know.
        if !seesAll, let reader, emergency.state.isActive,
            let end = emergency.end(for: reader, in: directory)
        {
            view.state = .resolved
            view.ended = end.at
            view.endedBy = end.by
        }
        return view
    }

    /// Whether a principal may see the exact position.
    ///
    /// The person's own call shows it to recipients and staff, also later: it is in the record.
    /// Otherwise sharing decides.
    private func showsPosition(
        of emergency: Emergency, to principal: Principal, isStaff: Bool, _ turn: Turn
    ) -> Bool {
        let reader = principal.person
        if reader == emergency.person { return true }
        if emergency.isOwnCall, isStaff || emergency.isRecipient(reader) { return true }
        let circles =
            isStaff
            ? turn.directory.circles(of: emergency.person)
            : reader.map { turn.directory.circles(of: emergency.person, answeredBy: $0) } ?? []
        let incident: Incident? = emergency.state.isActive ? .automatic : nil
        return circles.compactMap(turn.directory.circle).contains { circle in
            guard let member = circle.member(emergency.person) else { return false }
            return PositionAccess(
                of: principal, emergency.state.isActive ? .readPosition : .readHistory, in: circle,
                turn.directory, at: turn.now
            ).detail(of: member, incident: incident) == .exact
        }
    }
}
