import Foundation

/// Paths of programs and files for tests.
public enum Programs {
    /// The folder with Package.swift.
    public static let top = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A program of the system; its bare name if it is not installed.
    public static func installed(_ name: String) -> String {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }

    /// A program of the package, from the same build as the running test.
    public static func path(_ name: String) throws -> String {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let folders = [own, own.deletingLastPathComponent()]
        for folder in folders {
            let path = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("\(name) is not built: it is not in \(own.path)")
    }
}
