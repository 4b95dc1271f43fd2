/// The identity of a key on the bus: a service or an operator.
public enum BusRole: String, Sendable, CaseIterable {
    case ingest, membership, evaluator, timer, notifier
    case `operator`
}
