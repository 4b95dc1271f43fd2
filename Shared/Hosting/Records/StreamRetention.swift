import Bus
import Model
import Wire

// Retention of each stream: which consumers must have read a record before it is pruned.
extension StreamName {
    /// The services that must apply every record, besides the one that keeps the stream. Evaluators
    /// protect their inputs by checkpoints instead.
    var requiredConsumers: [ServiceName] {
        switch self {
        case .input: []
        case .events, .sos: [.notifier, .timer]
        case .directory: [.ingest, .notifier, .timer]
        case .deadlines: [.ingest, .notifier, .membership]
        case .deliveries: [.ingest, .timer, .membership]
        case .usage: [.membership]
        }
    }

    /// - Parameter age: minimum age of pruned records. Inputs have an age of their own, since
    ///   checkpoints replace them.
    func retention(keptFor age: Duration) -> Retention {
        if case .input = self {
            return Retention(required: [], ageMin: HostLimits.inputsKept, hasFloor: true)
        }
        return Retention(required: requiredConsumers.map(\.rawValue), ageMin: age)
    }
}
