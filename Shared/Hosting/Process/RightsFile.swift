import Directory
import Runtime

/// The operator's file of overrides of the ``RightsTable``.
public enum RightsFile {
    public static let setting = Setting(
        "JAGA_RIGHTS_FILE", .path,
        help:
            "File with changes of the table of rights, see docs/rights.md; equal for all services.")

    private static let bytesMax = 256 << 10

    /// Reads the table with the changes of the file that the setting names, if it does.
    ///
    /// - Throws: `ConfigurationError` that names file, line and row; `SystemError`
    public static func read(_ configuration: Configuration) throws -> RightsTable {
        guard let path = configuration.optional("JAGA_RIGHTS_FILE") else { return .standard }
        return try read(path: path)
    }

    /// Reads a file.
    ///
    /// - Throws: `ConfigurationError` that names file, line and row; `SystemError`
    public static func read(path: String) throws -> RightsTable {
        let bytes = try Files.read(path, bytesMax: bytesMax)
        do throws(RightsOverrideError) {
            return try RightsOverrides.apply(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw ConfigurationError(
                "rights-row-invalid",
                "\(path) line \(error.line), row \(error.row): \(error.problem)", hint: error.fix)
        }
    }
}
