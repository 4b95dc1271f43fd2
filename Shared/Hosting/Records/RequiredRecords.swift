import Model
import Wire

/// Retry schedule of the dead letters that emergencies depend on.
///
/// Each is retried forever with growing pauses, while its stream goes on.
struct RequiredRecords {
    /// One dead letter.
    struct Waiting: Hashable {
        var number: Int64
        var stream: StreamName
        var sequence: UInt64
        /// The emergency that it begins.
        var begins: EmergencyID?
        /// The emergency that it ends.
        var ends: EmergencyID?
        /// How often it failed since the process started.
        var tries = 0
        /// When it is retried next.
        var due: Timestamp
        var reason: String
    }

    /// Pause before the first retry, doubled with each failure …
    static let pauseMin = Duration.seconds(1)
    /// … up to this value.
    static let pauseMax = Duration.seconds(60)

    /// In the order of their arrival.
    private(set) var all: [Waiting] = []

    /// Loads the entries of the store; known entries keep their schedule.
    mutating func set(_ entries: [DeadLetterStore.Entry], now: Timestamp) {
        let known = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })
        all = entries.map { entry in
            if let waiting = known[entry.number] { return waiting }
            let body = try? EventCodec.decode(entry.record).body
            return Waiting(
                number: entry.number, stream: entry.stream, sequence: entry.position.sequence,
                begins: body?.begunEmergency, ends: body?.endedEmergency,
                due: now + RequiredRecords.pauseMin, reason: entry.reason)
        }
    }

    /// The entry to retry now; nil if none is due.
    func next(at now: Timestamp) -> Waiting? {
        all.first { waiting in
            waiting.due <= now
                && blocker(of: waiting.ends, in: waiting.stream, before: waiting.number) == nil
        }
    }

    /// Returns the entry that must be applied before an emergency may end: a beginning that is
    /// applied after its end would stay open.
    func blocker(
        of ended: EmergencyID?, in stream: StreamName, before number: Int64 = .max
    ) -> Int64? {
        guard let ended else { return nil }
        return all.first { $0.stream == stream && $0.begins == ended && $0.number < number }?.number
    }

    /// Schedules the next retry after a failure.
    mutating func failed(_ number: Int64, reason: String, now: Timestamp) {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return }
        all[index].tries += 1
        all[index].reason = reason
        all[index].due =
            now
            + min(
                RequiredRecords.pauseMax, RequiredRecords.pauseMin * (1 << min(all[index].tries, 6))
            )
    }

    /// Schedules a retry after a failure of the store, without counting it.
    mutating func postpone(_ number: Int64, now: Timestamp) {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return }
        all[index].due = now + RequiredRecords.pauseMin
    }

    /// When the next entry is retried; nil if none can be.
    var nextDue: Timestamp? {
        all.filter { blocker(of: $0.ends, in: $0.stream, before: $0.number) == nil }
            .map(\.due).min()
    }

    /// One sentence per entry, for ``Service/alarms``.
    var healthProblems: [String] {
        all.map {
            "required record \($0.stream) \($0.sequence) cannot be applied: \($0.reason)"
        }
    }
}
