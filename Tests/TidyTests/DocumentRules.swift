import Foundation

extension Rule {
    /// Every `JAGA_` setting of the code is documented.
    static let settingsAreDocumented = Rule(name: "every setting is documented") { files in
        let documents = files.filter { $0.isProse && !$0.path.hasPrefix("Tests/") }
        let documented = Set(documents.flatMap { $0.lines.flatMap(settings) })
        var seen: Set<String> = []
        return files.filter { $0.isSwift && isOurs($0) }.flatMap { file in
            file.lines.enumerated().flatMap { index, line in
                settings(in: line).compactMap { name in
                    guard !documented.contains(name), seen.insert(name).inserted else { return nil }
                    return Finding(path: file.path, line: index + 1, text: name)
                }
            }
        }
    }

    /// Names such as `JAGA_PORT_BASE`; a bare prefix does not count.
    private static func settings(in line: Substring) -> [String] {
        guard line.includes("JAGA_") else { return [] }
        return line.matches(of: /JAGA_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)/).map { String($0.output) }
    }

    /// Links in documents to files of the repository resolve.
    static let linksResolve = Rule.each("links in documents resolve") { file in
        guard file.isProse else { return [] }
        return file.lines.enumerated().flatMap { index, line in
            line.matches(of: /\]\(([^)#:\s]+)(?:#[^)]*)?\)/).compactMap { match in
                let folder = SourceFile.top.appending(path: file.path).deletingLastPathComponent()
                let target = folder.appending(path: String(match.output.1)).standardized
                guard !FileManager.default.fileExists(atPath: target.path) else { return nil }
                return Finding(
                    path: file.path, line: index + 1, text: "\(match.output.1) does not exist")
            }
        }
    }
}
