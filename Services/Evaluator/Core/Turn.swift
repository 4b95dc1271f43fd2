import Hashing
import Model

/// Context in which the machines of one person handle one record.
struct Turn {
    /// Reusable memory, so that a turn allocates nothing. Meaningless between turns.
    struct Buffers: Sendable {
        var changes: [PresenceChange] = []
        var search = ActiveZones.Search()
        var alertStays: [AlarmStay] = []
        var probe = ZoneProbe()
        var nearby = NearbyZoneSearch()
    }

    let rules: EvaluatorRules
    let person: PersonID
    /// Time of the record.
    let time: Timestamp
    let trace: String
    /// Id of the record: the cause of outputs that have no other.
    let cause: ID128
    /// Whether contact loss is held.
    let isHeld: Bool
    /// Whether the fast path may be used.
    let usesFastPath: Bool
    /// The time of decisions: that of the record, of the wait being handled, or of a deadline that
    /// is ahead of ingest's clock.
    var now: Timestamp
    /// The latest time known from the record, as of which alarms ring. Rings missed before it are
    /// skipped.
    var end: Timestamp
    /// Events so far, in order.
    var outputs: [Event] = []

    // What machines tell those after them

    /// Presence changes since alarms, messages and policies were last updated, in order of
    /// decision.
    var changes: [PresenceChange] {
        _read { yield buffers.changes }
        _modify { yield &buffers.changes }
    }
    /// The last fix that was trusted since alarms, messages and policies were last updated.
    var trustedFix: EvaluatedFix?
    /// Whether any fix was trusted in this turn.
    var isMoved = false
    /// Whether zones, or their applicability, changed.
    var isReconfigured = false
    /// Whether the changed zones are one page of a set; more may follow.
    var isPage = false
    /// Whether the person is being removed; no more locations are recorded then.
    var isErased = false
    /// Whether the person has an emergency.
    var isEmergency = false
    /// Whether the first wait may be another one.
    var areWaitsStale = false
    /// Zones whose messages are due.
    var triggered = TriggeredZones()
    /// Signals of zones that raise an emergency, in order.
    var zoneSignals: [EmergencySignal] = []
    /// Bounds of the distance from the last evaluated fix to the nearest edge, if known.
    var edgeBounds: NearestEdgeBounds?
    var buffers = Buffers()

    init(
        _ event: Event, of person: PersonID, _ rules: EvaluatorRules, isHeld: Bool = false,
        usesFastPath: Bool = true
    ) {
        self.rules = rules
        self.person = person
        self.isHeld = isHeld
        self.usesFastPath = usesFastPath
        time = event.time
        trace = event.trace
        cause = event.id.raw
        now = event.time
        end = event.time
    }

    /// Appends an event about the person.
    ///
    /// - Parameter cause: why it is emitted; nil = the record. Kind, person, subject and cause make
    ///   its id, so each combination counts once.
    mutating func emit(_ body: EventBody, subject: HashPart, cause: ID128? = nil) {
        let id = Hash.derivedID(
            kind: body.kind, person: person, subject: subject, cause: cause ?? self.cause)
        outputs.append(Event(id: id, time: time, trace: trace, body: body))
    }

    mutating func schedule(_ deadline: Deadline, cause: ID128? = nil) {
        emit(.deadlineScheduled(deadline), subject: .id(deadline.id), cause: cause)
    }

    mutating func cancel(_ deadline: Deadline, cause: ID128? = nil) {
        emit(.deadlineCancelled(deadline), subject: .id(deadline.id), cause: cause)
    }

    /// The cause of events by time alone; the same whichever record arrives first after it.
    static func cause(due: Timestamp) -> ID128 { Hash.id("due", .number(due.microseconds)) }
}

extension Deadline {
    /// A deadline of the evaluator. The same wait always has the same id.
    init(
        _ kind: DeadlineKind, of person: PersonID, emergency: EmergencyID? = nil,
        subject: HashPart, cause: ID128, due: Timestamp
    ) {
        let id = Hash.derivedID(
            kind: "clock." + kind.rawValue, person: person, subject: subject, cause: cause)
        self.init(
            id: DeadlineID(id), kind: kind, person: person, emergency: emergency, due: due)
    }
}

extension Timestamp {
    /// Whole seconds since an earlier time.
    @inline(__always)
    func seconds(since earlier: Timestamp) -> Int64 {
        microseconds.minusBounded(earlier.microseconds) / 1_000_000
    }

    /// Adds seconds with 64-bit arithmetic; adding a `Duration` needs 128 bits.
    func plus(seconds: Int64) -> Timestamp {
        Timestamp(
            microseconds: microseconds.plusBounded(seconds.timesBounded(1_000_000)))
    }
}

extension Event {
    /// A canary deadline is cancelled by its reader, which returns it to the notifier.
    func cancellation(ofCanary deadline: Deadline) -> Event {
        Event(
            id: Hash.derivedID(
                kind: .deadlineCancelled, person: deadline.person, subject: .id(deadline.id),
                cause: id.raw),
            time: time, trace: trace, body: .deadlineCancelled(deadline))
    }

    /// The record of one report of a batch, as if it had arrived alone.
    func single(_ report: Report) -> Event {
        Event(
            id: EventID(report.id.raw), time: time, trace: report.trace,
            body: .inputReport(report))
    }
}
