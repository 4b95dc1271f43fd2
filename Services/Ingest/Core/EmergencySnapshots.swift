import Model

extension Emergencies {
    /// Applies the notifier's snapshot of an emergency. It restores what a restored backup has
    /// lost; an ended emergency stays ended.
    mutating func apply(_ snapshot: EmergencySnapshot, into effects: inout [Effect]) {
        for signal in snapshot.signals where rows[signal.id] == nil {
            restore(signal, snapshot, into: &effects)
        }
        guard var row = rows[snapshot.emergency].flatMap({ rows[$0.emergency] }) else { return }
        let before = row
        row.deliveryState = max(row.deliveryState, DeliveryState(snapshot))
        if snapshot.state == .acknowledged || snapshot.endedCircles != row.endedCircles {
            recordResponse(to: row.person)
        }
        row.recipients += snapshot.told.filter { !row.recipients.contains($0) }
        if row.state.isActive { apply(snapshot, in: &row) }
        if !row.state.isActive { row.endedCircles = [] }
        if row != before { save(row, into: &effects) }
        if !row.state.isActive { leave(row.id, of: row.person) }
    }

    private mutating func restore(
        _ signal: EmergencySignal, _ snapshot: EmergencySnapshot, into effects: inout [Effect]
    ) {
        let isOver = !snapshot.state.isActive
        let whole =
            isOver
            ? rows[snapshot.emergency]?.emergency ?? snapshot.emergency
            : current(of: signal.person)?.id ?? signal.id
        if !isOver { join(whole, of: signal.person) }
        save(
            EmergencyRow(
                id: signal.id, person: signal.person, emergency: whole, trigger: signal.trigger,
                raised: signal.raised, received: signal.received,
                countdownEnds: signal.countdownEnds, state: snapshot.state,
                ended: isOver ? snapshot.at : nil),
            into: &effects)
    }

    /// Applies a snapshot to an active emergency, unless there was a further call that the notifier
    /// does not know.
    private func apply(_ snapshot: EmergencySnapshot, in row: inout EmergencyRow) {
        let whole = row.id
        guard snapshot.knows(rows.values.lazy.filter { $0.emergency == whole }.map(\.id)) else {
            return
        }
        row.endedCircles = snapshot.endedCircles
        switch (row.state, snapshot.state) {
        case (_, .countdown): break
        case (_, .resolved), (_, .cancelled):
            row.state = snapshot.state
            row.ended = snapshot.at
        case (_, .open):
            // Its escalation advances again, even if no evaluator reported the acknowledgement.
            if row.state == .acknowledged || row.deliveryState == .acknowledged {
                row.deliveryState = DeliveryState(snapshot)
            }
            row.state = .open
        case (_, .acknowledged): row.state = snapshot.state
        }
    }
}

extension DeliveryState {
    /// The batch state that a snapshot reports.
    fileprivate init(_ snapshot: EmergencySnapshot) {
        switch (snapshot.state, snapshot.reached) {
        case (.acknowledged, _): self = .acknowledged
        case (_, .delivered): self = .delivered
        case (_, .accepted): self = .accepted
        case (_, .sink): self = .sink
        default: self = .none
        }
    }
}
