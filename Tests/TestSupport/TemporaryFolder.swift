import Foundation

/// A new empty folder that goes away with its owner.
public final class TemporaryFolder {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("jaga-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file inside.
    public func file(_ name: String) -> String { path + "/" + name }
}
