/// A service of the suite.
public enum ServiceName: String, Sendable, CaseIterable {
    case ingest, membership, evaluator, timer, notifier
}
