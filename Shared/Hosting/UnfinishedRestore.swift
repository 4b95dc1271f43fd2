import Runtime

/// A restore of a home that was interrupted: a part of its stores is in place, and the others would
/// begin as new ones and tell everything again.
public struct UnfinishedRestore: ExplainedError {
    /// What is in the home, or in the folder of a service, from before anything is moved until all
    /// is in place: a folder with ``contentsName`` in it, or a plain file where the mark is all.
    public static let name = "restoring"
    /// In the folder: what is put back, a line for each service, and one for secrets. Without it,
    /// it is what was made ready and never moved.
    public static let contentsName = "contents"

    let path: String
    public var operation = "start"

    public var code: String { "restore-unfinished" }
    public var message: String {
        "a restore was interrupted: \(path) is still there, and the stores may be in part the old "
            + "ones, in part the backup's, or gone"
    }
    public var hint: String {
        "Restore again, which goes on from there: run jaga restore DIR --force again, "
            + "in deploy/ docker compose run --rm restore NAME."
    }

    /// Whether a restore of what is in the folder began to move it, and did not come to its end.
    public static func isBegun(in folder: String) -> Bool {
        let path = "\(folder)/\(name)"
        guard Files.isFolder(path) else { return Files.exists(path) }
        return Files.exists("\(path)/\(contentsName)")
    }

    /// - Parameter operation: what is refused
    /// - Throws: itself, where a restore of the home was not finished, or one of the service's
    ///   folder where that is a volume of its own
    public static func refuse(
        home: String, service: String = "", operation: String = "start"
    ) throws(UnfinishedRestore) {
        for folder in [home] + (service.isEmpty ? [] : ["\(home)/\(service)"])
        where isBegun(in: folder) {
            throw UnfinishedRestore(path: "\(folder)/\(name)", operation: operation)
        }
    }
}
