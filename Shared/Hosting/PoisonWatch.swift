import Model
import Wire

/// Records that cannot be digested: which one of a stream it is, how often it was tried, what is
/// to be done with it.
///
/// The first failure may be that of another input of the same turn, so the record is tried alone.
/// What fails alone three times is put aside; what carries an emergency never is, but tried for
/// ever, less and less often.
struct PoisonWatch {
    /// What to do with a record.
    enum Decision: Hashable {
        case apply
        /// Not now: at the earliest after that time, in a transaction of its own.
        case wait(Duration)
        case putAside(reason: String)
    }

    /// A record that failed.
    struct Suspect: Hashable {
        var position: Position
        /// Times that it failed alone.
        var tries = 0
        /// When it is tried next.
        var due: Timestamp
        var reason: String
        /// Carries an emergency, or is an input of an evaluator, which must compute with all.
        var isNeeded: Bool
        /// Last told of in the log; nil: never.
        var told: Timestamp?
    }

    /// Times that a record is tried alone.
    static let triesMax = 3
    static let backoffMin = Duration.milliseconds(250)
    static let backoffMax = Duration.seconds(10)
    /// A record that is tried for ever is told of so often.
    static let toldEach = Duration.seconds(60)

    private(set) var suspects: [StreamName: Suspect] = [:]
    /// What the operator wants to be left out, and why it stopped the stream.
    private var skips: [StreamName: (sequence: UInt64, reason: String)] = [:]

    /// - Parameter isAlone: nothing else is in this transaction
    func decide(
        _ stream: StreamName, _ position: Position, isAlone: Bool, now: Timestamp
    ) -> Decision {
        if let skip = skips[stream], skip.sequence == position.sequence {
            return .putAside(reason: skip.reason)
        }
        guard let suspect = suspects[stream], suspect.position == position else { return .apply }
        if suspect.tries >= PoisonWatch.triesMax, !suspect.isNeeded {
            return .putAside(reason: suspect.reason)
        }
        let rest = max(.zero, suspect.due - now)
        return isAlone && rest == .zero ? .apply : .wait(rest)
    }

    /// A record could not be applied, and the store is not to blame.
    ///
    /// - Returns: whether it is time for a line in the log
    mutating func failed(
        _ stream: StreamName, _ position: Position, reason: String, isNeeded: Bool, isAlone: Bool,
        now: Timestamp
    ) -> Bool {
        var suspect = Suspect(position: position, due: now, reason: reason, isNeeded: isNeeded)
        if let known = suspects[stream], known.position == position {
            suspect.tries = known.tries
            suspect.told = known.told
        }
        if isAlone { suspect.tries += 1 }
        if isNeeded {
            let doubled = PoisonWatch.backoffMin * (1 << min(suspect.tries, 10))
            suspect.due = now + min(PoisonWatch.backoffMax, doubled)
        }
        let isNews =
            isNeeded && isAlone
            && suspect.told.map { now - $0 >= PoisonWatch.toldEach } != false
        if isNews { suspect.told = now }
        suspects[stream] = suspect
        return isNews
    }

    /// A stream is applied up to there, for good.
    mutating func passed(_ stream: StreamName, _ position: Position) {
        if let suspect = suspects[stream], suspect.position.sequence <= position.sequence {
            suspects[stream] = nil
        }
        if let skip = skips[stream], skip.sequence <= position.sequence { skips[stream] = nil }
    }

    /// Those that were due have had their turn; one that did not come in it is waited for.
    mutating func hadTurn(_ now: Timestamp) {
        for (stream, suspect) in suspects where suspect.due <= now {
            suspects[stream]?.due = now + PoisonWatch.backoffMin
        }
    }

    /// The operator wants a record to be left out.
    mutating func skip(_ stream: StreamName, _ sequence: UInt64, because reason: String) {
        skips[stream] = (sequence, reason)
    }

    /// When a record is to be tried alone.
    var nextDue: Timestamp? { suspects.values.map(\.due).min() }

    var isEmpty: Bool { suspects.isEmpty && skips.isEmpty }

    /// What cannot be applied and is needed, as sentences.
    var troubles: [String] {
        suspects.filter { $0.value.isNeeded && $0.value.tries > 0 }
            .sorted { $0.key < $1.key }
            .map { "\($0) \($1.position.sequence) cannot be applied: \($1.reason)" }
    }
}
