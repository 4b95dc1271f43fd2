/// Whom a key speaks for on the bus: a service, or whoever operates the suite.
public enum BusRole: String, Sendable, CaseIterable {
    case ingest, membership, evaluator, timer, notifier
    case `operator`
}
