import Directory
import Hashing
import Model
import Timing

/// State of a signal that waits for an evaluator's answer, or has got it.
package struct SignalWait: Hashable, Sendable, Codable {
    package enum State: String, Sendable, Codable, CaseIterable {
        /// The fallback deadline is running.
        case waiting
        /// An evaluator has opened, joined or cancelled an emergency for it.
        case answered
        /// No evaluator answered, so the escalation was opened here.
        case openedByFallback
        /// Cancelled by its person before anybody was notified.
        case cancelled
        /// Only the position is known; the signal itself has not been received yet.
        case located
    }

    package var id: EmergencyID
    package var state: State
    /// Nil if the answer came before the signal.
    package var signal: EmergencySignal?
    package var deadline: DeadlineID?
    package var due: Timestamp?
    /// Last position of the person, received from ingest before the signal.
    package var place: EmergencyPlace?
    /// When its state last changed.
    package var at: Timestamp

    package init(
        id: EmergencyID, state: State, signal: EmergencySignal? = nil, deadline: DeadlineID? = nil,
        due: Timestamp? = nil, place: EmergencyPlace? = nil, at: Timestamp
    ) {
        self.place = place
        self.id = id
        self.state = state
        self.signal = signal
        self.deadline = deadline
        self.due = due
        self.at = at
    }
}

/// Signals that wait for an evaluator's answer, or have got it, with their fallback deadlines.
///
/// An emergency never depends on an evaluator: every signal also reaches the notifier directly.
struct Signals: Sendable {
    private var waits: [EmergencyID: SignalWait] = [:]
    private(set) var deadlines = Deadlines<EmergencyID>()

    init(_ rows: [SignalWait], at now: Timestamp) {
        for wait in rows {
            waits[wait.id] = wait
            guard wait.state == .waiting, let deadline = wait.deadline, let due = wait.due,
                let signal = wait.signal
            else { continue }
            // Missed records are read first.
            deadlines.restore(
                Deadline(
                    id: deadline, kind: .fallback, person: signal.person, emergency: signal.id,
                    due: due),
                for: wait.id, earliest: now + Limits.fallbackWait, isStrict: true)
        }
    }

    subscript(id: EmergencyID) -> SignalWait? { waits[id] }

    func isWaiting(_ id: EmergencyID) -> Bool { waits[id]?.state == .waiting }

    /// Signals without an answer, in no order.
    var waiting: [EmergencySignal] {
        waits.values.filter { $0.state == .waiting }.compactMap(\.signal)
    }

    /// Signals of a person without an answer, in order of arrival.
    func waiting(of person: PersonID) -> [EmergencySignal] {
        waiting.filter { $0.person == person }
            .sorted { ($0.received, $0.id) < ($1.received, $1.id) }
    }

    /// Calls that joined an emergency only here after a time, in the order of arrival.
    func fallbackCalls(of emergency: Emergency, after time: Timestamp) -> [EmergencySignal] {
        emergency.joined.compactMap { waits[$0] }
            .filter { $0.id != emergency.id && $0.state == .openedByFallback }
            .compactMap(\.signal)
            .filter { time < $0.received }
            .sorted { ($0.received, $0.id) < ($1.received, $1.id) }
    }

    /// The signal as received, or built from its emergency.
    func signal(_ id: EmergencyID, of emergency: Emergency) -> EmergencySignal {
        let arrived = emergency.isLate ? emergency.opened ?? emergency.raised : emergency.raised
        var signal =
            waits[id]?.signal
            ?? EmergencySignal(
                id: id, person: emergency.person, trigger: emergency.trigger,
                raised: emergency.raised, received: arrived, countdownEnds: arrived,
                note: emergency.note, recipients: emergency.onlyRecipients,
                trace: emergency.trace)
        if id == emergency.id {
            signal.fix = emergency.fix ?? signal.fix
            signal.battery = emergency.battery ?? signal.battery
        }
        signal.underDuress = emergency.underDuress
        return signal
    }

    // MARK: Changes

    /// Receives a signal and schedules the fallback.
    mutating func receive(_ signal: EmergencySignal, _ turn: inout Turn) {
        let known = waits[signal.id]
        var signal = signal
        if signal.fix == nil {
            signal.fix = known?.place?.fix ?? known?.signal?.fix
            signal.battery = signal.battery ?? known?.place?.battery ?? known?.signal?.battery
        }
        if var wait = known, wait.state == .waiting {
            // An evaluator's record of it was read first, and has less of it.
            wait.signal = signal
            return save(wait, &turn)
        }
        guard known == nil || known?.state == .located else { return }
        // A signal received late may be cancelled by one of the next records. A fast clock at
        // ingest must not extend the countdown.
        let counted = max(.zero, signal.countdownEnds - signal.received)
        let ends = min(max(signal.countdownEnds, turn.now), turn.now + counted)
        let due = ends + Limits.fallbackWait
        let deadline = DerivedID.deadline(.fallback, signal.id.raw, .none)
        save(
            SignalWait(
                id: signal.id, state: .waiting, signal: signal, deadline: deadline, due: due,
                at: turn.now), &turn)
        deadlines.schedule(
            Deadline(
                id: deadline, kind: .fallback, person: signal.person, emergency: signal.id,
                due: due),
            for: signal.id, &turn)
    }

    /// Applies the last position of a person whose missed deadline raises an emergency. It opens
    /// nothing: a signal without a position gets this one, also if the signal comes later.
    mutating func locate(_ place: EmergencyPlace, _ turn: inout Turn) {
        guard var wait = waits[place.emergency] else {
            return save(
                SignalWait(id: place.emergency, state: .located, place: place, at: turn.now),
                &turn)
        }
        guard wait.state == .waiting, var signal = wait.signal, signal.fix == nil else { return }
        signal.fix = place.fix
        signal.battery = signal.battery ?? place.battery
        wait.signal = signal
        save(wait, &turn)
    }

    /// Marks a signal as answered by an evaluator, or cancelled by its person, and cancels the
    /// fallback. Does nothing if it has another answer.
    mutating func markAnswered(
        _ id: EmergencyID, as state: SignalWait.State = .answered, _ turn: inout Turn
    ) {
        switch waits[id]?.state {
        case nil, .located?: save(SignalWait(id: id, state: state, at: turn.now), &turn)
        case .waiting?: settle(id, as: state, &turn)
        case .answered?, .openedByFallback?, .cancelled?: break
        }
    }

    /// Marks a signal as opened here and publishes that.
    mutating func openFallback(_ signal: EmergencySignal, _ turn: inout Turn) {
        settle(signal.id, as: .openedByFallback, &turn)
        turn.publish(
            DerivedID.event(.escalationFallbackOpened, signal.person, .id(signal.id)),
            .escalationFallbackOpened(signal))
    }

    private mutating func settle(
        _ id: EmergencyID, as state: SignalWait.State, _ turn: inout Turn
    ) {
        guard var wait = waits[id] else { return }
        deadlines.cancel(wait.deadline, &turn)
        wait.state = state
        wait.deadline = nil
        wait.due = nil
        wait.at = turn.now
        save(wait, &turn)
    }

    private mutating func save(_ wait: SignalWait, _ turn: inout Turn) {
        waits[wait.id] = wait
        turn.save(.signal(wait))
    }

    /// Removes old signals that have an answer.
    mutating func sweep(_ turn: inout Turn) {
        let old = waits.values.filter {
            $0.state != .waiting && turn.now - $0.at > Limits.answeredSignalKept
        }
        for wait in old.sorted(by: { $0.id < $1.id }) {
            waits[wait.id] = nil
            turn.emit(.remove(.signal(wait.id)))
        }
    }

    // MARK: Outage hold

    /// Holds the fallback of a signal that was received during the outage.
    ///
    /// - Returns: false if it was received later
    mutating func hold(
        _ entry: Deadlines<EmergencyID>.Entry, _ hold: OutageHold<HeldItem>, at now: Timestamp
    ) -> Bool {
        guard let signal = waits[entry.purpose]?.signal, hold.holds(signal.received, at: now)
        else { return false }
        deadlines.hold(entry)
        return true
    }

    /// Signals whose fallback is held.
    var held: [EmergencySignal] { deadlines.held.compactMap { waits[$0.purpose]?.signal } }

    /// Ends the hold of a signal's fallback.
    ///
    /// - Returns: false if it is not held
    mutating func endHold(of id: EmergencyID) -> Bool {
        deadlines.removeHeld { $0.purpose == id }
    }

    mutating func popExpired(_ id: DeadlineID, at now: Timestamp) -> Deadlines<EmergencyID>.Entry? {
        deadlines.popExpired(id, at: now)
    }

    mutating func popOverdue(
        at now: Timestamp
    ) -> [(due: Timestamp, entry: Deadlines<EmergencyID>.Entry)] {
        deadlines.popOverdue(at: now)
    }
}
