import Foundation
import Synchronization

/// A new empty folder that is removed with its owner, at the latest when the process ends.
public final class TemporaryFolder {
    public let path: String

    private static let left = Mutex<Set<String>>([])
    private static let cleansUp: Bool =
        atexit {
            for path in TemporaryFolder.left.withLock({ $0 }) {
                try? FileManager.default.removeItem(atPath: path)
            }
        } == 0

    public init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("jaga-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        guard TemporaryFolder.cleansUp else { return }
        _ = TemporaryFolder.left.withLock { $0.insert(url.path) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        _ = TemporaryFolder.left.withLock { [path] in $0.remove(path) }
    }

    /// The path of a file inside.
    public func file(_ name: String) -> String { path + "/" + name }
}
