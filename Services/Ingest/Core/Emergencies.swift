import Directory
import Model

/// Every signal of the last weeks with the state of its emergency.
///
/// The evaluator decides the state of an emergency; this type applies it. Until the evaluator has
/// responded, a signal of a person with an active emergency counts as part of that emergency.
struct Emergencies {
    private(set) var rows: [EmergencyID: EmergencyRow]
    /// The active emergency of each person.
    private var active: [PersonID: EmergencyID] = [:]
    /// Emergencies with a call made by the person in danger.
    private var ownCalls: Set<EmergencyID> = []
    /// Receipt times of each person's newest signals, oldest first.
    private var received: [PersonID: [Timestamp]] = [:]
    /// The calls of each person in their active emergency.
    private var calls: [PersonID: FurtherCalls] = [:]

    init(rows: [EmergencyRow]) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for row in rows.sorted(by: { $0.received < $1.received }) { recordReceipt(of: row) }
        for row in rows where row.emergency == row.id && row.state.isActive {
            active[row.person] = row.id
        }
        for row in rows where row.trigger.isOwnCall { ownCalls.insert(row.emergency) }
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
    var activeCount: Int { active.count }

    /// When the oldest active emergency without acknowledgement began, not counting its countdown;
    /// nil = none.
    var oldestUnacknowledged: Timestamp? {
        active.values.compactMap { rows[$0] }
            .filter { $0.state != .acknowledged && $0.deliveryState != .acknowledged }
            .map { max($0.countdownEnds, $0.received) }.min()
    }

    /// The active emergency of a person; nil = none.
    func current(of person: PersonID) -> EmergencyRow? { active[person].flatMap { rows[$0] } }

    /// Adds a signal.
    ///
    /// - Returns: whether it is new; a known signal changes nothing
    mutating func raise(_ signal: EmergencySignal, into effects: inout [Effect]) -> Bool {
        guard rows[signal.id] == nil else { return false }
        let emergency = active[signal.person] ?? signal.id
        active[signal.person] = emergency
        let row = EmergencyRow(
            id: signal.id, person: signal.person, emergency: emergency,
            trigger: signal.trigger, raised: signal.raised, received: signal.received,
            countdownEnds: signal.countdownEnds,
            state: signal.countdownEnds > signal.received ? .countdown : .open)
        save(row, into: &effects)
        recordReceipt(of: row)
        // A new call alerts everyone again, also circles in which the emergency had ended.
        if var joined = rows[emergency], !joined.endedCircles.isEmpty {
            joined.endedCircles = []
            save(joined, into: &effects)
        }
        if emergency == signal.id { calls[signal.person] = FurtherCalls() }
        calls[signal.person, default: FurtherCalls()].store(receivedAt: signal.received)
        return true
    }

    /// The emergency that a new call of a person would join without being stored; nil = the call is
    /// stored.
    func joinedUnstored(by person: PersonID, at now: Timestamp) -> EmergencyID? {
        guard let id = active[person], rows[id] != nil,
            calls[person]?.joinsUnstored(at: now) == true
        else { return nil }
        return id
    }

    /// Counts a call that joins without being stored, and keeps the last one.
    mutating func count(
        _ signal: EmergencySignal, in emergency: EmergencyID, into effects: inout [Effect]
    ) {
        guard var row = rows[emergency] else { return }
        row.joinedCalls += 1
        row.lastJoined = signal
        save(row, into: &effects)
    }

    /// Removes and returns the last call that joined without being stored.
    mutating func popLastJoined(
        of emergency: EmergencyID, into effects: inout [Effect]
    ) -> EmergencySignal? {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }), let last = row.lastJoined
        else { return nil }
        row.lastJoined = nil
        save(row, into: &effects)
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
    mutating func apply(_ change: EmergencyChange, at time: Timestamp, into effects: inout [Effect])
    {
        var row =
            rows[change.emergency]
            ?? EmergencyRow(
                id: change.emergency, person: change.person, emergency: change.emergency,
                trigger: change.trigger, raised: change.raised, received: time,
                countdownEnds: change.countdownEnds, state: change.state)
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
        save(row, into: &effects)
        if change.state.isActive {
            active[change.person] = row.id
        } else if active[change.person] == row.id {
            active[change.person] = nil
        }
        guard change.signal != row.id, var signal = rows[change.signal] else { return }
        signal.emergency = row.id
        save(signal, into: &effects)
    }

    /// Opens the emergency of a signal that the notifier escalated without the evaluator. Adds the
    /// signal if it was lost here.
    mutating func openFallback(_ signal: EmergencySignal, into effects: inout [Effect]) {
        _ = raise(signal, into: &effects)
        guard var row = rows[signal.id].flatMap({ rows[$0.emergency] }), row.state == .countdown
        else { return }
        row.state = .open
        save(row, into: &effects)
    }

    /// Resolves an emergency: the next call starts a new one, also without an evaluator. An
    /// emergency with a call after the resolution stays active.
    mutating func resolve(
        _ emergency: EmergencyID, given: Timestamp, at time: Timestamp,
        into effects: inout [Effect]
    ) {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }), row.state.isActive,
            !rows.values.contains(where: { $0.emergency == row.id && $0.received > given })
        else { return }
        row.state = .resolved
        row.ended = time
        save(row, into: &effects)
        leave(row.id, of: row.person)
    }

    /// Records the batch state that notifications of an emergency reached with a recipient.
    mutating func recordDelivery(
        _ emergency: EmergencyID, _ state: DeliveryState, to recipient: PersonID? = nil,
        into effects: inout [Effect]
    ) {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }) else { return }
        let before = row
        row.deliveryState = max(row.deliveryState, state)
        if state == .acknowledged { recordResponse(to: row.person) }
        if let recipient, !row.recipients.contains(recipient) { row.recipients.append(recipient) }
        if row != before { save(row, into: &effects) }
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
            joinedCalls: row.joinedCalls)
    }

    /// Whether an emergency is active for another person: both share a circle in which it has not
    /// ended.
    func isActive(_ row: EmergencyRow, for viewer: PersonID, in directory: Replica) -> Bool {
        row.state.isActive
            && directory.commonCircles(of: row.person, and: viewer).contains {
                !row.endedCircles.contains($0)
            }
    }

    /// Whether a viewer may see the exact position of a person because of the person's own call.
    ///
    /// Only recipients may, from the end of the countdown to the end of the emergency, and only
    /// while they share a circle with the person.
    func showsPosition(of person: PersonID, to viewer: PersonID, in directory: Replica) -> Bool {
        guard let row = current(of: person), row.state != .countdown, ownCalls.contains(row.id)
        else { return false }
        return row.recipients.contains(viewer) && isActive(row, for: viewer, in: directory)
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
    mutating func forget(endedBefore time: Timestamp, into effects: inout [Effect]) {
        let gone = rows.values.filter { row in
            guard let ended = (rows[row.emergency] ?? row).ended else { return false }
            return ended < time
        }
        for row in gone.sorted(by: { $0.id < $1.id }) {
            rows[row.id] = nil
            ownCalls.remove(row.id)
            received[row.person]?.removeAll { $0 == row.received }
            if received[row.person]?.isEmpty == true { received[row.person] = nil }
            effects.append(.removeEmergency(row.id))
        }
    }

    /// Deletes the emergencies of a removed person.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        active[person] = nil
        received[person] = nil
        calls[person] = nil
        let gone = rows.values.filter { $0.person == person }.map(\.id)
        for id in gone.sorted() {
            rows[id] = nil
            ownCalls.remove(id)
            effects.append(.removeEmergency(id))
        }
    }

    /// Makes a person's further signals join this emergency.
    mutating func join(_ emergency: EmergencyID, of person: PersonID) {
        active[person] = emergency
    }

    /// Makes a person's further signals start a new emergency.
    mutating func leave(_ emergency: EmergencyID, of person: PersonID) {
        if active[person] == emergency { active[person] = nil }
    }

    mutating func save(_ row: EmergencyRow, into effects: inout [Effect]) {
        rows[row.id] = row
        if row.trigger.isOwnCall { ownCalls.insert(row.emergency) }
        effects.append(.saveEmergency(row))
    }
}
