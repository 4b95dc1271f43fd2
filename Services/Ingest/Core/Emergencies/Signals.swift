import Directory
import Model

/// Every signal of the last weeks with the state of its emergency.
///
/// The evaluator decides the state of an emergency; this type applies it. Until the evaluator has
/// responded, a signal of a person with an active emergency counts as part of that emergency.
public struct Signals: Sendable {
    private(set) var rows: [EmergencyID: EmergencyRow]
    /// The active emergency of each person.
    private var active: [PersonID: EmergencyID] = [:]
    /// The emergency of each person that goes on after they ended one with a duress PIN.
    private var covert: [PersonID: EmergencyID] = [:]
    /// People with such emergencies, active or ended.
    private var covertPeople: Set<PersonID> = []
    /// Emergencies with a call made by the person in danger.
    private var ownCalls: Set<EmergencyID> = []
    /// Receipt times of each person's newest signals, oldest first.
    private var received: [PersonID: [Timestamp]] = [:]
    /// The calls of each person in their active emergency.
    private var calls: [PersonID: FurtherCalls] = [:]

    init(rows: [EmergencyRow]) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for row in rows.sorted(by: { $0.received < $1.received }) where row.underDuress == nil {
            recordReceipt(of: row)
        }
        for row in rows where row.emergency == row.id && row.state.isActive {
            if row.underDuress == nil {
                active[row.person] = row.id
            } else {
                covert[row.person] = row.id
            }
        }
        for row in rows where row.trigger.isOwnCall { ownCalls.insert(row.emergency) }
        covertPeople = Set(rows.filter { $0.underDuress != nil }.map(\.person))
        for row in rows.sorted(by: { $0.received < $1.received })
        where active[row.person] == row.emergency {
            calls[row.person, default: FurtherCalls()].store(receivedAt: row.received)
        }
        // Whether a call was stored since the acknowledgement is unknown, so the next one is
        // stored.
        for (person, id) in active where self.rows[id]?.deliveryState == .acknowledged {
            calls[person]?.isNextStored = true
        }
    }

    /// Number of active emergencies.
    public var activeCount: Int { active.count }

    /// When the oldest active emergency without acknowledgement began, not counting its countdown;
    /// nil = none.
    public var oldestUnacknowledged: Timestamp? {
        active.values.compactMap { rows[$0] }
            .filter { $0.state != .acknowledged && $0.deliveryState != .acknowledged }
            .map { max($0.countdownEnds, $0.received) }.min()
    }

    /// The active emergency of a person; nil = none.
    public func current(of person: PersonID) -> EmergencyRow? {
        active[person].flatMap { rows[$0] }
    }

    /// The active emergencies of a person as others see them: the usual one, and the one that goes
    /// on after a duress PIN.
    private func allCurrent(of person: PersonID) -> [EmergencyRow] {
        [active[person], covert[person]].compactMap { $0.flatMap { rows[$0] } }
    }

    /// Adds a signal under duress, which opens an emergency of its own that its person never sees.
    ///
    /// - Returns: whether it is new; a known signal changes nothing
    mutating func raiseCovert(
        _ signal: EmergencySignal, from origin: EmergencyID, _ turn: inout Turn<Effect>
    ) -> Bool {
        guard rows[signal.id] == nil else { return false }
        let emergency = covert[signal.person] ?? signal.id
        covert[signal.person] = emergency
        save(
            EmergencyRow(
                id: signal.id, person: signal.person, emergency: emergency,
                trigger: signal.trigger, raised: signal.raised, received: signal.received,
                countdownEnds: signal.countdownEnds, state: .open, underDuress: origin), &turn)
        return true
    }

    /// Whether a signal belongs to an emergency that its person must not see.
    func isCovert(_ id: EmergencyID) -> Bool { rows[id]?.underDuress != nil }

    /// Whether an emergency goes on after a person ended one with a duress PIN.
    func hasCovert(_ person: PersonID) -> Bool { covert[person] != nil }

    /// Whether the person must not learn that a viewer looked: a recipient of an emergency under
    /// duress, staff or the operator, until a day after its end.
    ///
    /// The map of a phone goes on being recorded: phones ask for it by themselves.
    ///
    /// - Parameter viewer: nil = the operator
    public func hidesLook(
        at person: PersonID, by viewer: PersonID?, as kind: AccessKind, in directory: Replica,
        at now: Timestamp
    ) -> Bool {
        guard viewer != person, kind != .map, covertPeople.contains(person) else { return false }
        let isStaff = viewer.map { directory.person($0)?.staff != nil } ?? true
        return covertRows(of: person).contains { row in
            (isStaff || viewer.map(row.recipients.contains) == true)
                && row.ended.map { now - $0 < .seconds(Limits.covertLooksHiddenSeconds) } ?? true
        }
    }

    /// Emergencies of a person under duress, active or ended.
    private func covertRows(of person: PersonID) -> [EmergencyRow] {
        guard covertPeople.contains(person) else { return [] }
        return rows.values.filter {
            $0.person == person && $0.underDuress != nil && $0.emergency == $0.id
        }
    }

    /// A signal as a viewer sees it; nil = it does not exist for them.
    ///
    /// This decides everything about duress here: for its person an emergency that was ended with a
    /// duress PIN has ended, and the one that goes on does not exist. For others the first one
    /// shows the state of the second.
    func view(of id: EmergencyID, for viewer: PersonID?) -> EmergencyView? {
        guard let row = rows[id] else { return nil }
        if viewer == row.person { return row.underDuress == nil ? view(of: id) : nil }
        guard row.underDuress == nil, covertPeople.contains(row.person),
            let whole = rows[row.emergency], !whole.state.isActive,
            let covert = covertRows(of: row.person).filter({ $0.underDuress == whole.id })
                .max(by: { $0.received < $1.received }),
            var shown = view(of: covert.id)
        else { return view(of: id) }
        shown.id = id
        return shown
    }

    /// The emergency of a person that is open or acknowledged, also one under duress; nil = none.
    func openEmergency(of person: PersonID) -> EmergencyID? {
        allCurrent(of: person).last { $0.state.isActive && $0.state != .countdown }?.id
    }

    /// People with an open or acknowledged emergency, in no order.
    var openPeople: [PersonID] {
        Set(active.keys).union(covert.keys).filter { openEmergency(of: $0) != nil }
    }

    /// Adds a signal.
    ///
    /// - Returns: whether it is new; a known signal changes nothing
    mutating func raise(_ signal: EmergencySignal, _ turn: inout Turn<Effect>) -> Bool {
        guard rows[signal.id] == nil else { return false }
        let emergency = active[signal.person] ?? signal.id
        active[signal.person] = emergency
        let row = EmergencyRow(
            id: signal.id, person: signal.person, emergency: emergency,
            trigger: signal.trigger, raised: signal.raised, received: signal.received,
            countdownEnds: signal.countdownEnds,
            state: signal.countdownEnds > signal.received ? .countdown : .open,
            raisedBy: signal.raisedBy)
        save(row, &turn)
        recordReceipt(of: row)
        // A new call alerts everyone again, also circles in which the emergency had ended.
        if var joined = rows[emergency], !joined.endedCircles.isEmpty {
            joined.endedCircles = []
            save(joined, &turn)
        }
        if emergency == signal.id { calls[signal.person] = FurtherCalls() }
        calls[signal.person, default: FurtherCalls()].store(receivedAt: signal.received)
        return true
    }

    /// The emergency that a new call of a person would join without being stored; nil = the call is
    /// stored.
    private func joinedUnstored(by person: PersonID, at now: Timestamp) -> EmergencyID? {
        guard let id = active[person], rows[id] != nil,
            calls[person]?.joinsUnstored(at: now) == true
        else { return nil }
        return id
    }

    /// Whether a new call of a person would join without being stored.
    public func joinsUnstored(_ person: PersonID, at now: Timestamp) -> Bool {
        joinedUnstored(by: person, at: now) != nil
    }

    /// Counts a call if it joins without being stored, and keeps the last one.
    ///
    /// - Returns: the emergency that it joined; nil = the call must be raised
    mutating func join(_ signal: EmergencySignal, _ turn: inout Turn<Effect>) -> EmergencyID? {
        guard rows[signal.id] == nil,
            let emergency = joinedUnstored(by: signal.person, at: turn.now),
            var row = rows[emergency]
        else { return nil }
        row.joinedCalls += 1
        row.lastJoined = signal
        save(row, &turn)
        return emergency
    }

    /// Removes and returns the last call that joined without being stored.
    mutating func popLastJoined(of emergency: EmergencyID, _ turn: inout Turn<Effect>)
        -> EmergencySignal?
    {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }), let last = row.lastJoined
        else { return nil }
        row.lastJoined = nil
        save(row, &turn)
        return last
    }

    /// Records a person's response: the next call is stored in any case.
    mutating func recordResponse(to person: PersonID) { calls[person]?.isNextStored = true }

    /// Whether a person has responded since the newest stored call.
    func hasAnswer(to person: PersonID) -> Bool { calls[person]?.isNextStored ?? false }

    private mutating func recordReceipt(of row: EmergencyRow) {
        received[row.person, default: []].append(row.received)
        if received[row.person, default: []].count > Limits.receiptsPerPerson {
            received[row.person]?.removeFirst()
        }
    }

    /// Applies a decision of the evaluator.
    mutating func apply(_ change: EmergencyChange, at time: Timestamp, _ turn: inout Turn<Effect>) {
        var row =
            rows[change.emergency]
            ?? EmergencyRow(
                id: change.emergency, person: change.person, emergency: change.emergency,
                trigger: change.trigger, raised: change.raised, received: time,
                countdownEnds: change.countdownEnds, state: change.state,
                raisedBy: change.raisedBy)
        row.emergency = row.id
        // The acknowledgement was withdrawn.
        let isOpenAgain = row.state == .acknowledged && change.state == .open
        row.state = change.state
        row.countdownEnds = change.countdownEnds
        row.ended = change.state.isActive ? nil : time
        if !change.state.isActive { row.endedCircles = [] }
        if change.state == .acknowledged {
            row.deliveryState = .acknowledged
            recordResponse(to: row.person)
        }
        if change.reopened || isOpenAgain { row.deliveryState = .none }
        save(row, &turn)
        if change.state.isActive {
            active[change.person] = row.id
        } else if active[change.person] == row.id {
            active[change.person] = nil
        }
        guard change.signal != row.id, var signal = rows[change.signal] else { return }
        signal.emergency = row.id
        save(signal, &turn)
    }

    /// Opens the emergency of a signal that the notifier escalated without the evaluator. Adds the
    /// signal if it was lost here.
    mutating func openFallback(_ signal: EmergencySignal, _ turn: inout Turn<Effect>) {
        _ = raise(signal, &turn)
        guard var row = rows[signal.id].flatMap({ rows[$0.emergency] }), row.state == .countdown
        else { return }
        row.state = .open
        save(row, &turn)
    }

    /// Resolves an emergency: the next call starts a new one, also without an evaluator. An
    /// emergency with a call after the resolution stays active.
    mutating func resolve(
        _ emergency: EmergencyID, given: Timestamp, at time: Timestamp, _ turn: inout Turn<Effect>
    ) {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }), row.state.isActive,
            !rows.values.contains(where: { $0.emergency == row.id && $0.received > given })
        else { return }
        row.state = .resolved
        row.ended = time
        save(row, &turn)
        leave(row.id, of: row.person)
    }

    /// Records the batch state that notifications of an emergency reached with a recipient.
    mutating func recordDelivery(
        _ emergency: EmergencyID, _ state: DeliveryState, to recipient: PersonID? = nil,
        _ turn: inout Turn<Effect>
    ) {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }) else { return }
        let before = row
        row.deliveryState = max(row.deliveryState, state)
        if state == .acknowledged { recordResponse(to: row.person) }
        if let recipient, !row.recipients.contains(recipient) { row.recipients.append(recipient) }
        if row != before { save(row, &turn) }
    }

    /// A signal with the state of its emergency.
    func view(of id: EmergencyID) -> EmergencyView? {
        guard let signal = rows[id] else { return nil }
        let row = rows[signal.emergency] ?? signal
        return EmergencyView(
            id: id, emergency: row.id, person: row.person, trigger: signal.trigger,
            state: row.state, deliveryState: row.deliveryState, raised: signal.raised,
            received: signal.received,
            countdownEnds: signal.countdownEnds, endedCircles: row.endedCircles,
            joinedCalls: row.joinedCalls, raisedBy: signal.raisedBy)
    }

    /// Whether an emergency is active for another person: both share a circle in which it has not
    /// ended.
    func isActive(_ row: EmergencyRow, for viewer: PersonID, in directory: Replica) -> Bool {
        row.state.isActive
            && directory.circles(of: row.person, answeredBy: viewer).contains {
                !row.endedCircles.contains($0)
            }
    }

    /// Whether a viewer may see the exact position of a person because of the person's own call.
    ///
    /// Only recipients may, from the end of the countdown to the end of the emergency, and only
    /// while they share a circle with the person and are not on the person's never-notify list.
    func showsPosition(of person: PersonID, to viewer: PersonID, in directory: Replica) -> Bool {
        guard !directory.hidesEmergencies(of: person, from: viewer) else { return false }
        return allCurrent(of: person).contains { row in
            row.state != .countdown && ownCalls.contains(row.id)
                && row.recipients.contains(viewer) && isActive(row, for: viewer, in: directory)
        }
    }

    /// The emergency of a person that is open or acknowledged; nil = none.
    func incident(of person: PersonID) -> Incident? {
        let open = allCurrent(of: person).filter { $0.state.isActive && $0.state != .countdown }
        guard !open.isEmpty else { return nil }
        return open.contains { ownCalls.contains($0.id) } ? .ownCall : .automatic
    }

    /// Receipt times of a person's newest signals within a period, newest first.
    func receipts(of person: PersonID, in times: ClosedRange<Timestamp>) -> [Timestamp] {
        received[person, default: []].filter(times.contains).sorted(by: >)
    }

    /// Seconds until a call of a person can be cancelled again; nil = now.
    ///
    /// Repeated calls and cancels fill the disk like repeated calls do. The cancel is rejected,
    /// never the call.
    func cancelPause(of person: PersonID, at now: Timestamp) -> Int? {
        let span = Duration.seconds(Limits.cancelPauseSeconds)
        let newest = receipts(of: person, in: min(now, now - span)...now)
        guard newest.count >= Limits.callsBeforeCancelPause, let oldest = newest.last else {
            return nil
        }
        return max(1, Int((oldest + span - now).milliseconds / 1000))
    }

    /// Whether the emergency of a signal is in countdown or open, and nobody has acknowledged it or
    /// ended any part of it. A further call would then change nothing.
    public func isUnanswered(_ signal: EmergencyID) -> Bool {
        guard let view = view(of: signal) else { return false }
        return view.state.isActive && view.state != .acknowledged
            && view.deliveryState != .acknowledged && view.endedCircles.isEmpty
            && !hasAnswer(to: view.person)
    }

    /// Whether the emergency of a signal is open and nobody has acknowledged it.
    func isUnacknowledged(_ id: EmergencyID) -> Bool {
        guard let row = rows[id].flatMap({ rows[$0.emergency] }) else { return false }
        return row.state == .open && row.deliveryState != .acknowledged
    }

    /// Whether a person is a recipient of the emergency of a signal.
    func isRecipient(_ person: PersonID, of id: EmergencyID) -> Bool {
        rows[id].flatMap { rows[$0.emergency] }?.recipients.contains(person) ?? false
    }

    /// Deletes emergencies that ended before a time, with their signals.
    mutating func forget(endedBefore time: Timestamp, _ turn: inout Turn<Effect>) {
        let gone = rows.values.filter { row in
            guard let ended = (rows[row.emergency] ?? row).ended else { return false }
            return ended < time
        }
        for row in gone.sorted(by: { $0.id < $1.id }) {
            rows[row.id] = nil
            ownCalls.remove(row.id)
            received[row.person]?.removeAll { $0 == row.received }
            if received[row.person]?.isEmpty == true { received[row.person] = nil }
            turn.emit(.emergency(.remove(row.id)))
        }
    }

    /// Deletes the emergencies of a removed person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        active[person] = nil
        covert[person] = nil
        covertPeople.remove(person)
        received[person] = nil
        calls[person] = nil
        let gone = rows.values.filter { $0.person == person }.map(\.id)
        for id in gone.sorted() {
            rows[id] = nil
            ownCalls.remove(id)
            turn.emit(.emergency(.remove(id)))
        }
    }

    /// Makes a person's further signals join this emergency.
    mutating func join(_ emergency: EmergencyID, of person: PersonID) {
        active[person] = emergency
    }

    /// Makes a person's further signals start a new emergency.
    mutating func leave(_ emergency: EmergencyID, of person: PersonID) {
        if active[person] == emergency { active[person] = nil }
        if covert[person] == emergency { covert[person] = nil }
    }

    mutating func save(_ row: EmergencyRow, _ turn: inout Turn<Effect>) {
        rows[row.id] = row
        if row.trigger.isOwnCall { ownCalls.insert(row.emergency) }
        if row.underDuress != nil { covertPeople.insert(row.person) }
        turn.emit(.emergency(.save(row)))
    }

    // MARK: Snapshots

    /// Applies the notifier's snapshot of an emergency. It restores what a restored backup has
    /// lost; an ended emergency stays ended.
    mutating func apply(_ snapshot: EmergencySnapshot, _ turn: inout Turn<Effect>) {
        for signal in snapshot.signals where rows[signal.id] == nil {
            restore(signal, snapshot, &turn)
        }
        guard var row = rows[snapshot.emergency].flatMap({ rows[$0.emergency] }) else { return }
        let before = row
        row.deliveryState = max(row.deliveryState, DeliveryState(snapshot))
        if snapshot.state == .acknowledged || snapshot.endedCircles != row.endedCircles {
            recordResponse(to: row.person)
        }
        row.recipients += snapshot.recipients.filter { !row.recipients.contains($0) }
        if row.state.isActive { apply(snapshot, in: &row) }
        if !row.state.isActive { row.endedCircles = [] }
        if row != before { save(row, &turn) }
        if !row.state.isActive { leave(row.id, of: row.person) }
    }

    private mutating func restore(
        _ signal: EmergencySignal, _ snapshot: EmergencySnapshot, _ turn: inout Turn<Effect>
    ) {
        let isOver = !snapshot.state.isActive
        if let origin = signal.underDuress {
            guard !isOver, raiseCovert(signal, from: origin, &turn) else { return }
            return
        }
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
                ended: isOver ? snapshot.at : nil, raisedBy: signal.raisedBy), &turn)
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
