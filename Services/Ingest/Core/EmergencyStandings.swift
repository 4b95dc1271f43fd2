import Model

extension Emergencies {
    /// The notifier says how an emergency stands with it. What a store that was put back has lost
    /// is known again; what has ended stays so.
    mutating func stand(_ standing: LadderStanding, into effects: inout [Effect]) {
        for signal in standing.signals where rows[signal.id] == nil {
            learn(signal, standing, into: &effects)
        }
        guard var row = rows[standing.emergency].flatMap({ rows[$0.emergency] }) else { return }
        let before = row
        row.told = max(row.told, Told(standing))
        if standing.state == .acknowledged || standing.endedCircles != row.endedCircles {
            noteAnswer(to: row.person)
        }
        row.recipients += standing.told.filter { !row.recipients.contains($0) }
        if row.state.isActive { follow(standing, in: &row) }
        if !row.state.isActive { row.endedCircles = [] }
        if row != before { save(row, into: &effects) }
        if !row.state.isActive { leave(row.id, of: row.person) }
    }

    private mutating func learn(
        _ signal: EmergencySignal, _ standing: LadderStanding, into effects: inout [Effect]
    ) {
        let isOver = !standing.state.isActive
        let whole =
            isOver
            ? rows[standing.emergency]?.emergency ?? standing.emergency
            : current(of: signal.person)?.id ?? signal.id
        if !isOver { join(whole, of: signal.person) }
        save(
            EmergencyRow(
                id: signal.id, person: signal.person, emergency: whole, trigger: signal.trigger,
                raised: signal.raised, received: signal.received,
                countdownEnds: signal.countdownEnds, state: standing.state,
                ended: isOver ? standing.at : nil),
            into: &effects)
    }

    /// Of what goes on here, unless the person pressed again without the notifier's knowledge.
    private func follow(_ standing: LadderStanding, in row: inout EmergencyRow) {
        let whole = row.id
        guard standing.knows(rows.values.lazy.filter { $0.emergency == whole }.map(\.id)) else {
            return
        }
        row.endedCircles = standing.endedCircles
        switch (row.state, standing.state) {
        case (_, .countdown): break
        case (_, .resolved), (_, .cancelled):
            row.state = standing.state
            row.ended = standing.at
        case (_, .open):
            // Its ladder climbs again, also where no evaluator said that somebody had taken it.
            if row.state == .acknowledged || row.told == .acknowledged {
                row.told = Told(standing)
            }
            row.state = .open
        case (_, .acknowledged): row.state = standing.state
        }
    }
}

extension Told {
    /// How far an emergency has come with those who are told of it.
    fileprivate init(_ standing: LadderStanding) {
        switch (standing.state, standing.reached) {
        case (.acknowledged, _): self = .acknowledged
        case (_, .delivered): self = .delivered
        case (_, .accepted): self = .accepted
        case (_, .sink): self = .sink
        default: self = .none
        }
    }
}
