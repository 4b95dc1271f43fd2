/// One of the five services, in the order in which they are shown.
enum Service: String, CaseIterable, Sendable {
    case ingest, membership, evaluator, timer, notifier

    /// The name of its program.
    var program: String { "jaga-\(rawValue)" }

    /// What its ports are counted with.
    var number: Int { (Service.allCases.firstIndex(of: self) ?? 0) + 1 }
}
