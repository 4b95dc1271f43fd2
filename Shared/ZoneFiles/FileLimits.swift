/// Limits of zone files.
public enum FileLimits {
    public static let bytesMax = 32 << 20
    public static let zonesMax = 10_000
    /// Maximum nesting of XML elements.
    public static let depthMax = 64
    /// Maximum rows with unknown keys per zone.
    public static let extraRowsMax = 50
    /// Maximum characters of such a row.
    public static let extraCharactersMax = 200
    /// Maximum notes per file. Further ones are only counted.
    public static let notesMax = 100
    /// Maximum windows of a schedule, counted per day.
    public static let scheduleWindowsMax = 50
    public static let scheduleExceptionsMax = 100
}
