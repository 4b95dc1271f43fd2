import Model

/// The versions of the logic that a program can run, each with its rules.
///
/// Every log begins with ``first``; an `input.logic` record switches to another version. A program
/// runs its newest version and the one before. So processes can be upgraded one by one while one
/// logic decides each partition.
public struct EvaluatorLogics: Sendable {
    /// The version that a log begins with.
    public static let first = 1
    /// The versions of this program.
    public static let current = EvaluatorLogics(oldest: 1, [EvaluatorRules()])

    private let oldest: Int
    private let rules: [EvaluatorRules]

    /// - Parameter rules: the rules of the oldest version and of each following one; at least one.
    public init(oldest: Int, _ rules: [EvaluatorRules]) {
        invariant(!rules.isEmpty, "at least one logic version is required")
        self.oldest = oldest
        self.rules = rules
    }

    public var versions: ClosedRange<Int> { oldest...(oldest + rules.count - 1) }

    /// The rules of a version; nil if this program does not run it.
    func rules(of version: Int) -> EvaluatorRules? {
        versions.contains(version) ? rules[version - oldest] : nil
    }
}
