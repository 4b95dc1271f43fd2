import Runtime

/// A restore of a home that was interrupted: a part of its stores is in place, and the others would
/// begin as new ones and tell everything again.
public struct UnfinishedRestore: ExplainedError {
    /// What is in the home, or in the folder of a service, from before anything is moved until all
    /// is in place.
    public static let name = "restoring"

    let path: String

    public var code: String { "restore-unfinished" }
    public var operation: String { "start" }
    public var message: String {
        "a restore was interrupted: \(path) is still there, and the stores may be in part the old "
            + "ones, in part the backup's, or gone"
    }
    public var hint: String {
        "Restore again, which goes on from there: run jaga restore DIR --force again, "
            + "in deploy/ docker compose run --rm restore NAME."
    }

    /// - Throws: itself, where a restore of the home was not finished, or one of the service's
    ///   folder where that is a volume of its own
    public static func refuse(home: String, service: String = "") throws(UnfinishedRestore) {
        for folder in [home] + (service.isEmpty ? [] : ["\(home)/\(service)"]) {
            let path = "\(folder)/\(name)"
            if Files.exists(path) { throw UnfinishedRestore(path: path) }
        }
    }
}
