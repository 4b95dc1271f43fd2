/// How much of a file is taken.
public enum FileLimits {
    public static let bytesMax = 32 << 20
    public static let zonesMax = 10_000
    /// Elements of XML may be nested this deep.
    public static let depthMax = 64
    /// Rows with unknown keys of one zone.
    public static let extraRowsMax = 50
    /// Characters of such a row.
    public static let extraCharactersMax = 200
    /// Notes of one file; what comes after is counted only.
    public static let notesMax = 100
    /// Windows of a schedule, counted for each day.
    public static let scheduleWindowsMax = 50
    public static let scheduleExceptionsMax = 100
}
