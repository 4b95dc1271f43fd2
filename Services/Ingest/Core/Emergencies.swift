import Directory
import Model

/// Every signal of the last weeks and what became of it, as far as ingest has to answer for it.
///
/// The evaluator decides the life of an emergency; this follows it. Until the evaluator has
/// answered, a signal of a person with an active emergency counts as a part of that one.
struct Emergencies {
    private(set) var rows: [EmergencyID: EmergencyRow]
    /// The emergency of a person that goes on.
    private var active: [PersonID: EmergencyID] = [:]
    /// Emergencies to which an own call of the person belongs.
    private var ownCalls: Set<EmergencyID> = []
    /// When each person's newest signals came, the oldest first.
    private var received: [PersonID: [Timestamp]] = [:]
    /// What each person has called in the emergency that goes on.
    private var calls: [PersonID: FurtherCalls] = [:]

    init(rows: [EmergencyRow]) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for row in rows.sorted(by: { $0.received < $1.received }) { noteReceipt(of: row) }
        for row in rows where row.emergency == row.id && row.state.isActive {
            active[row.person] = row.id
        }
        for row in rows where row.trigger.isOwnCall { ownCalls.insert(row.emergency) }
        for row in rows.sorted(by: { $0.received < $1.received })
        where active[row.person] == row.emergency {
            calls[row.person, default: FurtherCalls()].store(receivedAt: row.received)
        }
        // Whether a call was stored since somebody acknowledged is not known: the next one is.
        for (person, id) in active where self.rows[id]?.told == .acknowledged {
            calls[person]?.isNextStored = true
        }
    }

    /// How many go on.
    var activeCount: Int { active.count }

    /// Since when the oldest that nobody has taken goes on, its countdown apart; nil: none does.
    var oldestUntaken: Timestamp? {
        active.values.compactMap { rows[$0] }
            .filter { $0.state != .acknowledged && $0.told != .acknowledged }
            .map { max($0.countdownEnds, $0.received) }.min()
    }

    /// The emergency of a person that goes on; nil if there is none.
    func current(of person: PersonID) -> EmergencyRow? { active[person].flatMap { rows[$0] } }

    /// Takes a signal in.
    ///
    /// - Returns: whether it is new; one seen before changes nothing.
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
        noteReceipt(of: row)
        // Whoever calls again calls everybody, also those for whom it had ended.
        if var joined = rows[emergency], !joined.endedCircles.isEmpty {
            joined.endedCircles = []
            save(joined, into: &effects)
        }
        if emergency == signal.id { calls[signal.person] = FurtherCalls() }
        calls[signal.person, default: FurtherCalls()].store(receivedAt: signal.received)
        return true
    }

    /// The emergency that a new call of a person joins without being stored; nil: it is stored.
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

    /// The last call that joined without being stored; from now on it is forgotten.
    mutating func takeLastJoined(
        of emergency: EmergencyID, into effects: inout [Effect]
    ) -> EmergencySignal? {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }), let last = row.lastJoined
        else { return nil }
        row.lastJoined = nil
        save(row, into: &effects)
        return last
    }

    /// A person has answered: the next call is stored whatever was called before.
    mutating func noteAnswer(to person: PersonID) { calls[person]?.isNextStored = true }

    /// Whether a person has answered since the newest call that was stored.
    func hasAnswer(to person: PersonID) -> Bool { calls[person]?.isNextStored ?? false }

    private mutating func noteReceipt(of row: EmergencyRow) {
        received[row.person, default: []].append(row.received)
        if received[row.person, default: []].count > Limits.receiptsPerPerson {
            received[row.person]?.removeFirst()
        }
    }

    /// Follows a decision of the evaluator.
    mutating func follow(_ news: EmergencyNews, at time: Timestamp, into effects: inout [Effect]) {
        var row =
            rows[news.emergency]
            ?? EmergencyRow(
                id: news.emergency, person: news.person, emergency: news.emergency,
                trigger: news.trigger, raised: news.raised, received: time,
                countdownEnds: news.countdownEnds, state: news.state)
        row.emergency = row.id
        // Taken by somebody once, and open again: nobody has taken it.
        let isOpenAgain = row.state == .acknowledged && news.state == .open
        row.state = news.state
        row.countdownEnds = news.countdownEnds
        row.ended = news.state.isActive ? nil : time
        if !news.state.isActive { row.endedCircles = [] }
        if news.state == .acknowledged {
            row.told = .acknowledged
            noteAnswer(to: row.person)
        }
        if news.reopened || isOpenAgain { row.told = .none }
        save(row, into: &effects)
        if news.state.isActive {
            active[news.person] = row.id
        } else if active[news.person] == row.id {
            active[news.person] = nil
        }
        guard news.signal != row.id, var signal = rows[news.signal] else { return }
        signal.emergency = row.id
        save(signal, into: &effects)
    }

    /// The notifier opened the ladder of a signal without waiting any longer; one that was lost
    /// here is known again.
    mutating func adopt(_ signal: EmergencySignal, into effects: inout [Effect]) {
        _ = raise(signal, into: &effects)
        guard var row = rows[signal.id].flatMap({ rows[$0.emergency] }), row.state == .countdown
        else { return }
        row.state = .open
        save(row, into: &effects)
    }

    /// A human has ended an emergency: the next call begins a new one, also while no evaluator is
    /// there to say so. One that was pressed again after the answer was given goes on.
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

    /// A message about an emergency has come this far with this recipient.
    mutating func tell(
        _ emergency: EmergencyID, _ told: Told, to recipient: PersonID? = nil,
        into effects: inout [Effect]
    ) {
        guard var row = rows[emergency].flatMap({ rows[$0.emergency] }) else { return }
        let before = row
        row.told = max(row.told, told)
        if told == .acknowledged { noteAnswer(to: row.person) }
        if let recipient, !row.recipients.contains(recipient) { row.recipients.append(recipient) }
        if row != before { save(row, into: &effects) }
    }

    /// A signal with the state of the emergency that it belongs to.
    func view(of id: EmergencyID) -> EmergencyView? {
        guard let signal = rows[id] else { return nil }
        let row = rows[signal.emergency] ?? signal
        return EmergencyView(
            id: id, emergency: row.id, person: row.person, trigger: signal.trigger,
            state: row.state, told: row.told, raised: signal.raised, received: signal.received,
            countdownEnds: signal.countdownEnds, endedCircles: row.endedCircles,
            joinedCalls: row.joinedCalls)
    }

    /// Whether an emergency goes on for somebody other than the person in danger: they share a
    /// circle with the person in which nobody has ended it.
    func goesOn(_ row: EmergencyRow, for viewer: PersonID, in directory: Replica) -> Bool {
        row.state.isActive
            && directory.commonCircles(of: row.person, and: viewer).contains {
                !row.endedCircles.contains($0)
            }
    }

    /// Whether somebody sees the exact position of a person because of the person's own call.
    ///
    /// Only recipients do, from the end of the countdown to the end of the emergency, and only
    /// while they share a circle with the person: who is removed is a recipient no more.
    func showsPosition(of person: PersonID, to viewer: PersonID, in directory: Replica) -> Bool {
        guard let row = current(of: person), row.state != .countdown, ownCalls.contains(row.id)
        else { return false }
        return row.recipients.contains(viewer) && goesOn(row, for: viewer, in: directory)
    }

    /// When the newest signals of a person came, as far as that was within a time; newest first.
    func receipts(of person: PersonID, in times: ClosedRange<Timestamp>) -> [Timestamp] {
        received[person, default: []].filter(times.contains).sorted(by: >)
    }

    /// How long no further call of a person can be cancelled, seconds; nil: one can.
    ///
    /// Whoever calls and cancels again and again fills the disk as well as somebody who only calls.
    /// What is refused is the cancel: a call is heard whatever came before.
    func cancelPause(of person: PersonID, at now: Timestamp) -> Int? {
        let span = Duration.seconds(Limits.cancelPauseSeconds)
        let newest = receipts(of: person, in: min(now, now - span)...now)
        guard newest.count >= Limits.callsBeforeCancelPause, let oldest = newest.last else {
            return nil
        }
        return max(1, Int((oldest + span - now).milliseconds / 1000))
    }

    /// Whether the emergency that a signal belongs to is open, and nobody has taken it.
    func isUntaken(_ id: EmergencyID) -> Bool {
        guard let row = rows[id].flatMap({ rows[$0.emergency] }) else { return false }
        return row.state == .open && row.told != .acknowledged
    }

    /// Whether this person was told of the emergency that a signal belongs to.
    func wasTold(_ person: PersonID, of id: EmergencyID) -> Bool {
        rows[id].flatMap { rows[$0.emergency] }?.recipients.contains(person) ?? false
    }

    /// Forgets what ended before a time, with the signals that belong to it.
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

    /// Forgets those of a person who is gone.
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

    /// The emergency that a person's further signals join.
    mutating func join(_ emergency: EmergencyID, of person: PersonID) {
        active[person] = emergency
    }

    /// Further signals of a person do not join this one.
    mutating func leave(_ emergency: EmergencyID, of person: PersonID) {
        if active[person] == emergency { active[person] = nil }
    }

    mutating func save(_ row: EmergencyRow, into effects: inout [Effect]) {
        rows[row.id] = row
        if row.trigger.isOwnCall { ownCalls.insert(row.emergency) }
        effects.append(.saveEmergency(row))
    }
}
