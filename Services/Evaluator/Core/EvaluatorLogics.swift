import Model

/// The versions of the logic that a program runs, each with its numbers.
///
/// Every log begins with ``first``; `input.logic` in it switches to another. A program runs its
/// newest version and the one before, so that programs are replaced one after the other while
/// every partition is decided by one logic.
public struct EvaluatorLogics: Sendable {
    /// The logic of a log that has not said otherwise.
    public static let first = 1
    /// Those of this program.
    public static let current = EvaluatorLogics(oldest: 1, [EvaluatorRules()])

    private let oldest: Int
    private let rules: [EvaluatorRules]

    /// - Parameter rules: of the oldest version and of those after it, at least one.
    public init(oldest: Int, _ rules: [EvaluatorRules]) {
        invariant(!rules.isEmpty, "a program runs at least one logic")
        self.oldest = oldest
        self.rules = rules
    }

    public var versions: ClosedRange<Int> { oldest...(oldest + rules.count - 1) }

    /// Nil for a version that is not run.
    func rules(of version: Int) -> EvaluatorRules? {
        versions.contains(version) ? rules[version - oldest] : nil
    }
}
