import Model
import Wire

/// Records that cannot be digested: which one of a stream it is, how often it was tried, what is
/// to be done with it.
///
/// The first failure may be that of another input of the same turn, so the record is tried alone.
/// What fails alone three times is put aside, and nobody behind it waits any longer.
struct PoisonWatch {
    /// What may become of a record.
    enum Worth: Hashable {
        /// It may be missing until somebody looks at it.
        case expendable
        /// An emergency depends on it: it is put aside, and tried again from there for ever.
        case needed
        /// What comes after it means something else without it: its stream stops.
        case indispensable
    }

    /// What to do with a record.
    enum Decision: Hashable {
        case apply
        /// Not now: at the earliest after that time, in a transaction of its own.
        case wait(Duration)
        case putAside(reason: String, isNeeded: Bool)
        case stop(reason: String)
    }

    /// A record that failed.
    struct Suspect: Hashable {
        var position: Position
        /// Times that it failed alone.
        var tries = 0
        /// When it is tried next.
        var due: Timestamp
        var reason: String
        var worth: Worth
    }

    /// Pauses before the times that a record is tried alone.
    static let pauses: [Duration] = [.milliseconds(250), .seconds(1), .seconds(5)]
    /// The same for what is needed: nothing is lost by putting it aside, and panics of others wait.
    static let pauseOfNeeded = Duration.milliseconds(250)

    private(set) var suspects: [StreamName: Suspect] = [:]
    /// What the operator wants to be left out, and why it stopped the stream.
    private var skips: [StreamName: (position: Position, reason: String)] = [:]

    /// - Parameter isAlone: nothing else is in this transaction
    func decide(
        _ stream: StreamName, _ position: Position, isAlone: Bool, now: Timestamp
    ) -> Decision {
        if let skip = skips[stream], skip.position == position {
            return .putAside(reason: skip.reason, isNeeded: false)
        }
        guard let suspect = suspects[stream], suspect.position == position else { return .apply }
        let rest = max(.zero, suspect.due - now)
        guard isAlone, rest == .zero else { return .wait(rest) }
        guard suspect.tries >= PoisonWatch.pauses.count else { return .apply }
        return suspect.worth == .indispensable
            ? .stop(reason: suspect.reason)
            : .putAside(reason: suspect.reason, isNeeded: suspect.worth == .needed)
    }

    /// A record could not be applied, and the store is not to blame.
    mutating func failed(
        _ stream: StreamName, _ position: Position, reason: String, worth: Worth, isAlone: Bool,
        now: Timestamp
    ) {
        var suspect = Suspect(position: position, due: now, reason: reason, worth: worth)
        if let known = suspects[stream], known.position == position { suspect.tries = known.tries }
        if isAlone { suspect.tries += 1 }
        if suspect.tries < PoisonWatch.pauses.count {
            suspect.due =
                now
                + (worth == .needed
                    ? PoisonWatch.pauseOfNeeded : PoisonWatch.pauses[suspect.tries])
        }
        suspects[stream] = suspect
    }

    /// A stream is applied up to there, for good.
    mutating func passed(_ stream: StreamName, _ position: Position) {
        if let suspect = suspects[stream], suspect.position.sequence <= position.sequence {
            suspects[stream] = nil
        }
        if let skip = skips[stream], skip.position.sequence <= position.sequence {
            skips[stream] = nil
        }
    }

    /// A stream has stopped at its suspect, which is tried as often again when it goes on.
    mutating func stopped(_ stream: StreamName) { suspects[stream] = nil }

    /// Those that were due have had their turn; one that did not come in it is waited for.
    mutating func hadTurn(_ now: Timestamp) {
        for (stream, suspect) in suspects where suspect.due <= now {
            suspects[stream]?.due = now + PoisonWatch.pauses[0]
        }
    }

    /// The operator wants a record to be left out.
    mutating func skip(_ stream: StreamName, _ position: Position, because reason: String) {
        skips[stream] = (position, reason)
    }

    /// When a record is to be tried alone.
    var nextDue: Timestamp? { suspects.values.map(\.due).min() }

    var isEmpty: Bool { suspects.isEmpty && skips.isEmpty }
}
