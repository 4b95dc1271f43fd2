import Bus
import Model
import Wire

// Who must have a stream before it is forgotten, and for how long it is kept anyway.
extension StreamName {
    /// The services that act on every record, besides the one that keeps the stream. Inputs of
    /// evaluators are kept by checkpoints instead.
    var requiredConsumers: [ServiceName] {
        switch self {
        case .input: []
        case .events, .sos: [.notifier, .timer]
        case .directory: [.ingest, .notifier, .timer]
        case .fired: [.ingest, .notifier]
        case .deliveries: [.ingest, .timer]
        }
    }

    /// - Parameter age: how long records are kept at least; inputs have an age of their own, since
    ///   a checkpoint stands for them
    func retention(keptFor age: Duration) -> Retention {
        if case .input = self {
            return Retention(required: [], ageMin: HostLimits.inputsKept, hasFloor: true)
        }
        return Retention(required: requiredConsumers.map(\.rawValue), ageMin: age)
    }
}
