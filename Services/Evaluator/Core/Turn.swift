import Hashing
import Model

extension Timestamp {
    /// Whole seconds from an earlier time.
    @inline(__always)
    func seconds(since earlier: Timestamp) -> Int64 {
        microseconds.minusBounded(earlier.microseconds) / 1_000_000
    }

    /// So many seconds later: in integers of 64 bits, where adding a duration takes 128.
    func plus(seconds: Int64) -> Timestamp {
        Timestamp(
            microseconds: microseconds.plusBounded(seconds.timesBounded(1_000_000)))
    }
}

/// One record, as far as it is about one person: what it says, and what it leads to.
struct Turn {
    let rules: EvaluatorRules
    /// The record's.
    let time: Timestamp
    let trace: String
    /// The record's.
    let id: EventID
    /// What is decided is decided as of now: the record's time, that of the wait that was over
    /// before it, or that of a clock that ran ahead of ingest's.
    var now: Timestamp
    /// What changed between the person and zones since alarms, messages and hints followed last,
    /// in the order in which it was decided.
    var changes: [PresenceChange] = []
    /// The last fix that was judged and is trusted since alarms, messages and hints followed last.
    var believed: JudgedFix?
    /// Whether any was.
    var isMoved = false
    /// Whether zones, or whom they judge, are others now.
    var isArranged = false
    /// Whether they are some of a set of which more may follow.
    var isPage = false
    /// Whether the person is removed: then nothing more is kept of where they were.
    var isErased = false
    /// As of when alarms ring: the latest time that the record tells. Rings that were missed until
    /// then are no more.
    var end: Timestamp
    /// Zones whose messages are due.
    var fired = FiredZones()
    /// What is near the last fix that was judged, where that was found out.
    var glance: Glance?
    var outputs: [Event] = []

    init(_ event: Event, _ rules: EvaluatorRules) {
        self.rules = rules
        time = event.time
        trace = event.trace
        id = event.id
        now = event.time
        end = event.time
    }

    /// Tells something.
    ///
    /// - Parameter cause: what it is told because of; of kind, person, subject and cause it is told
    ///   once.
    mutating func tell(
        _ body: EventBody, of person: PersonID, subject: HashPart, cause: ID128
    ) {
        let id = Hash.meaning(kind: body.kind, person: person, subject: subject, cause: cause)
        outputs.append(Event(id: id, time: time, trace: trace, body: body))
    }

    /// The cause of what time alone leads to; the same whichever record comes first after it.
    static func cause(due: Timestamp) -> ID128 { Hash.id("due", .number(due.microseconds)) }
}
