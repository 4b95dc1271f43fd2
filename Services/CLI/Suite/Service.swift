/// The five services, in display order.
enum Service: String, CaseIterable, Sendable {
    case ingest, membership, evaluator, timer, notifier

    /// The name of its program.
    var program: String { "jaga-\(rawValue)" }

    /// Offset of its ports.
    var number: Int { (Service.allCases.firstIndex(of: self) ?? 0) + 1 }
}
