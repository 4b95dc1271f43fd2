/// The identity of a key on the bus: a service or an operator.
public enum BusRole: String, Sendable, CaseIterable {
    case ingest, membership, evaluator, timer, notifier
    case `operator`

    /// Whether any number of processes may use the key.
    var hasSeveralProcesses: Bool {
        switch self {
        case .evaluator, .operator: true
        case .ingest, .membership, .timer, .notifier: false
        }
    }
}
