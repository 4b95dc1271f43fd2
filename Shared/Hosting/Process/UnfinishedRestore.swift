import Runtime

/// Error: a restore of the home directory was interrupted.
///
/// Some stores are restored and others are missing. Services with missing stores would start empty
/// and notify people about old events again.
public struct UnfinishedRestore: ExplainedError {
    /// Name of the marker in the home directory or in a service's folder, from before the first
    /// move until the end of the restore: a folder that contains ``contentsName``, or a plain file.
    public static let name = "restoring"
    /// Name of the list in the marker folder: one line per restored service, and one for secrets. A
    /// folder without it was prepared, but nothing was moved.
    public static let contentsName = "contents"

    let path: String
    public var operation = "start"

    public var code: String { "restore-unfinished" }
    public var message: String {
        "a restore was interrupted: \(path) still exists, so some stores may be old, restored or "
            + "missing"
    }
    public var hint: String {
        "Run the restore again, which resumes it: jaga restore DIR --force, or in deploy/: "
            + "docker compose run --rm restore NAME."
    }

    /// Whether a restore of a folder started to move files and did not finish.
    public static func isBegun(in folder: String) -> Bool {
        let path = "\(folder)/\(name)"
        guard Files.isFolder(path) else { return Files.exists(path) }
        return Files.exists("\(path)/\(contentsName)")
    }

    /// Checks that no restore of the home directory, or of the service's folder if that is a volume
    /// of its own, was interrupted.
    ///
    /// - Parameter operation: the operation that the error names
    /// - Throws: ``UnfinishedRestore``
    public static func refuse(
        home: String, service: String = "", operation: String = "start"
    ) throws(UnfinishedRestore) {
        for folder in [home] + (service.isEmpty ? [] : ["\(home)/\(service)"])
        where isBegun(in: folder) {
            throw UnfinishedRestore(path: "\(folder)/\(name)", operation: operation)
        }
    }
}
