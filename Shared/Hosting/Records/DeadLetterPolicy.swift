import Model
import Wire

/// Decides when a record that failed is retried, dead-lettered, or stops its stream.
///
/// The first failure may have been caused by another input of the same turn, so the record is
/// retried alone. After three failures alone it is dead-lettered, and the stream goes on.
struct DeadLetterPolicy {
    /// How much the service depends on a record.
    enum Criticality: Hashable {
        /// It is dead-lettered until the operator retries or drops it.
        case skippable
        /// An emergency depends on it: it is dead-lettered and retried forever.
        case required
        /// Later records are wrong without it: its stream stops.
        case blocking
    }

    /// What to do with a record.
    enum Decision: Hashable {
        case apply
        /// Try it later, at the earliest after that time, in a transaction of its own.
        case wait(Duration)
        case deadLetter(reason: String, isRequired: Bool)
        case stop(reason: String)
    }

    /// A record that failed.
    struct Suspect: Hashable {
        var position: Position
        /// How often it failed alone.
        var tries = 0
        /// When it is retried next.
        var due: Timestamp
        var reason: String
        var criticality: Criticality
    }

    /// Pauses before the attempts that run alone.
    static let pauses: [Duration] = [.milliseconds(250), .seconds(1), .seconds(5)]
    /// Pause before each such attempt of a required record. It is short, because dead-lettering
    /// loses nothing and emergencies behind the record wait.
    static let pauseOfRequired = Duration.milliseconds(250)

    private(set) var suspects: [StreamName: Suspect] = [:]
    /// Records that the operator skips, and why each stopped its stream.
    private var skips: [StreamName: (position: Position, reason: String)] = [:]

    /// Decides what to do with the next record of a stream.
    ///
    /// - Parameter isAlone: whether the transaction contains nothing else
    func decide(
        _ stream: StreamName, _ position: Position, isAlone: Bool, now: Timestamp
    ) -> Decision {
        if let skip = skips[stream], skip.position == position {
            return .deadLetter(reason: skip.reason, isRequired: false)
        }
        guard let suspect = suspects[stream], suspect.position == position else { return .apply }
        let rest = max(.zero, suspect.due - now)
        guard isAlone, rest == .zero else { return .wait(rest) }
        guard suspect.tries >= DeadLetterPolicy.pauses.count else { return .apply }
        return suspect.criticality == .blocking
            ? .stop(reason: suspect.reason)
            : .deadLetter(reason: suspect.reason, isRequired: suspect.criticality == .required)
    }

    /// Counts a failure of a record that was not caused by the store.
    mutating func failed(
        _ stream: StreamName, _ position: Position, reason: String, criticality: Criticality,
        isAlone: Bool, now: Timestamp
    ) {
        var suspect = Suspect(
            position: position, due: now, reason: reason, criticality: criticality)
        if let known = suspects[stream], known.position == position { suspect.tries = known.tries }
        if isAlone { suspect.tries += 1 }
        if suspect.tries < DeadLetterPolicy.pauses.count {
            suspect.due =
                now
                + (criticality == .required
                    ? DeadLetterPolicy.pauseOfRequired : DeadLetterPolicy.pauses[suspect.tries])
        }
        suspects[stream] = suspect
    }

    /// Clears what is known of records up to a position, which has been committed.
    mutating func passed(_ stream: StreamName, _ position: Position) {
        if let suspect = suspects[stream], suspect.position.sequence <= position.sequence {
            suspects[stream] = nil
        }
        if let skip = skips[stream], skip.position.sequence <= position.sequence {
            skips[stream] = nil
        }
    }

    /// Clears the suspect of a stream that stopped; when the stream resumes, its attempts start
    /// over.
    mutating func stopped(_ stream: StreamName) { suspects[stream] = nil }

    /// Postpones the suspects that were due in a turn and did not arrive in it.
    mutating func suspectsRan(_ now: Timestamp) {
        for (stream, suspect) in suspects where suspect.due <= now {
            suspects[stream]?.due = now + DeadLetterPolicy.pauses[0]
        }
    }

    /// Skips a record at the operator's request.
    mutating func skip(_ stream: StreamName, _ position: Position, because reason: String) {
        skips[stream] = (position, reason)
    }

    /// When the next suspect is retried; nil if there is none.
    var nextDue: Timestamp? { suspects.values.map(\.due).min() }

    var isEmpty: Bool { suspects.isEmpty && skips.isEmpty }
}
