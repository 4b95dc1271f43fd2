import Hashing
import Model

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

/// The context of handling one record about one person, with its outputs.
struct Turn {
    let rules: EvaluatorRules
    /// Time of the record.
    let time: Timestamp
    let trace: String
    /// Id of the record.
    let id: EventID
    /// The time of decisions: that of the record, of the wait being handled, or of a deadline that
    /// is ahead of ingest's clock.
    var now: Timestamp
    /// Presence changes since alarms, messages and policies were last updated, in order of
    /// decision.
    var changes: [PresenceChange] = []
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
    /// The latest time known from the record, as of which alarms ring. Rings missed before it are
    /// skipped.
    var end: Timestamp
    /// Zones whose messages are due.
    var triggered = TriggeredZones()
    /// Bounds of the distance from the last evaluated fix to the nearest edge, if known.
    var edgeBounds: NearestEdgeBounds?
    var outputs: [Event] = []

    init(_ event: Event, _ rules: EvaluatorRules) {
        self.rules = rules
        time = event.time
        trace = event.trace
        id = event.id
        now = event.time
        end = event.time
    }

    /// Appends an event.
    ///
    /// - Parameter cause: why it is emitted. Kind, person, subject and cause make its id, so each
    ///   combination counts once.
    mutating func emit(
        _ body: EventBody, of person: PersonID, subject: HashPart, cause: ID128
    ) {
        let id = Hash.derivedID(kind: body.kind, person: person, subject: subject, cause: cause)
        outputs.append(Event(id: id, time: time, trace: trace, body: body))
    }

    /// The cause of events by time alone; the same whichever record arrives first after it.
    static func cause(due: Timestamp) -> ID128 { Hash.id("due", .number(due.microseconds)) }
}
