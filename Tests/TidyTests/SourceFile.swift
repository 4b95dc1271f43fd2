import Foundation

/// A text file of the repository.
struct SourceFile: Sendable {
    /// Relative to the repository's root, such as `Shared/Model/Event.swift`.
    let path: String
    let lines: [Substring]
    /// The lines without comments and string literals. Files that are not Swift stay as they are.
    let code: [Substring]
    let text: String
    private let codeText: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        codeText = path.hasSuffix(".swift") ? SwiftText.code(of: text) : text
        lines = SourceFile.split(text)
        code = SourceFile.split(codeText)
    }

    /// The words that occur somewhere in the file. Use it before checking lines: searching the
    /// whole text is much faster.
    func among(_ words: [String], codeOnly: Bool = true) -> [String] {
        words.filter { (codeOnly ? codeText : text).includes($0) }
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isProse: Bool { path.hasSuffix(".md") }
    /// The folders above the file, outermost first.
    var folders: [Substring] { Array(path.split(separator: "/").dropLast()) }

    private static func split(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// The folder with Package.swift.
    static let top = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All text files that people write, sorted by path.
    static let all: [SourceFile] = {
        let roots = [
            ".ci", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "Package.swift", "README.md",
            "Services", "Shared", "Tests", "deploy", "docs", "scripts",
        ]
        return roots.flatMap { paths(below: $0) }.compactMap { path in
            guard let data = FileManager.default.contents(atPath: top.path + "/" + path),
                let text = String(data: data, encoding: .utf8)
            else { return nil }
            return SourceFile(path: path, text: text)
        }
    }()

    private static func paths(below root: String) -> [String] {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: top.path + "/" + root, isDirectory: &isFolder) else {
            return []
        }
        guard isFolder.boolValue else { return [root] }
        let inside = (try? manager.subpathsOfDirectory(atPath: top.path + "/" + root)) ?? []
        return inside.sorted().map { root + "/" + $0 }
            .filter { !$0.includes("/__pycache__/") && !$0.includes("/.build") }
    }
}
