/// Limits of zone files.
public enum FileLimits {
    public static let bytesMax = 32 << 20
    public static let zonesMax = 10_000
    /// Maximum nesting of XML elements.
    public static let depthMax = 64
    /// Maximum notes per file. Further ones are only counted.
    public static let notesMax = 100
}
