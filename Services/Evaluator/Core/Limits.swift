/// Bounds of the evaluator. None is a setting: evaluators that differ in one would disagree about
/// the same log.
public enum EvaluatorLimits {
    /// Signals of a person that are remembered, so that a repeated one raises nothing.
    public static let signalsKeptMax = 1000
    /// For so long, seconds (30 days).
    public static let signalsKeptSeconds: Int64 = 30 * 86_400
    /// Versions of the logic that this program can run.
    public static let logicVersions = EvaluatorLogics.current.versions
    /// Version of the form in which states are written; others are refused.
    static let stateForm: UInt16 = 6
    /// The oldest form that is still read.
    static let stateFormMin: UInt16 = 5
}
