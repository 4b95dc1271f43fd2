/// Limits of the evaluator. They are not settings: evaluators with different limits would disagree
/// about the same log.
public enum EvaluatorLimits {
    /// Number of a person's signals that are remembered, so that a repeated one raises nothing.
    public static let signalsKeptMax = 1000
    /// How long they are remembered, seconds (30 days).
    public static let signalsKeptSeconds: Int64 = 30 * 86_400
    /// Versions of the logic that this program can run.
    public static let logicVersions = EvaluatorLogics.current.versions
    /// Version of the state encoding that is written; newer ones are rejected.
    static let stateForm: UInt16 = 6
    /// Oldest version of the state encoding that can be read.
    static let stateFormMin: UInt16 = 5
}
