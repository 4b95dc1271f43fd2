import Model
import Wire

/// Records that an emergency depends on and that could not be applied: each is tried again for
/// ever, less and less often, while its stream goes on.
struct NeededRecords {
    /// One of them.
    struct Waiting: Hashable {
        var number: Int64
        var stream: StreamName
        var sequence: UInt64
        /// What it begins; nil if it begins nothing.
        var begins: EmergencyID?
        /// What it ends; nil if it ends nothing.
        var ends: EmergencyID?
        /// Times that it failed since the process began.
        var tries = 0
        /// When it is tried next.
        var due: Timestamp
        var reason: String
    }

    /// Pause before the first try, doubled with each failure …
    static let pauseMin = Duration.seconds(1)
    /// … up to this.
    static let pauseMax = Duration.seconds(60)

    /// In the order in which they came.
    private(set) var all: [Waiting] = []

    /// Takes over what the store has; what was known of an entry stays known.
    mutating func set(_ entries: [PoisonStore.Entry], now: Timestamp) {
        let known = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })
        all = entries.map { entry in
            if let waiting = known[entry.number] { return waiting }
            let body = try? EventCodec.decode(entry.record).body
            return Waiting(
                number: entry.number, stream: entry.stream, sequence: entry.position.sequence,
                begins: body?.begunEmergency, ends: body?.endedEmergency,
                due: now + NeededRecords.pauseMin, reason: entry.reason)
        }
    }

    /// The next to be tried; nil when the time of none has come.
    func next(at now: Timestamp) -> Waiting? {
        all.first { waiting in
            waiting.due <= now
                && blocker(of: waiting.ends, in: waiting.stream, before: waiting.number) == nil
        }
    }

    /// The entry without which an end must not be applied: the beginning that comes late would
    /// have nobody to end it.
    func blocker(
        of ended: EmergencyID?, in stream: StreamName, before number: Int64 = .max
    ) -> Int64? {
        guard let ended else { return nil }
        return all.first { $0.stream == stream && $0.begins == ended && $0.number < number }?.number
    }

    /// It could not be applied again.
    mutating func failed(_ number: Int64, reason: String, now: Timestamp) {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return }
        all[index].tries += 1
        all[index].reason = reason
        all[index].due =
            now
            + min(NeededRecords.pauseMax, NeededRecords.pauseMin * (1 << min(all[index].tries, 6)))
    }

    /// The store is to blame: a moment later.
    mutating func put(off number: Int64, now: Timestamp) {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return }
        all[index].due = now + NeededRecords.pauseMin
    }

    /// When one is to be tried.
    var nextDue: Timestamp? {
        all.filter { blocker(of: $0.ends, in: $0.stream, before: $0.number) == nil }
            .map(\.due).min()
    }

    /// What an operator must see to, as sentences.
    var troubles: [String] {
        all.map {
            "\($0.stream) \($0.sequence) is needed and cannot be applied: \($0.reason)"
        }
    }
}
