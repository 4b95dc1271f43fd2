extension Rule {
    /// An alert on a number that nobody tells never fires: the metrics that alerts go by are
    /// declared in the code, and docs/operating.md says of each alert what to do.
    static let alertsAreFounded = Rule(name: "alerts go by metrics that exist") { files in
        let rules = files.filter { $0.path.hasPrefix("deploy/prometheus/rules/") }
        guard !rules.isEmpty else { return [] }
        let declared = Set(files.filter(\.isMetricSource).flatMap(metrics))
        let guides = files.filter { $0.path == "docs/operating.md" }
        let guide = guides.flatMap(\.lines).joined(separator: "\n")
        return rules.flatMap { file in
            file.lines.enumerated().flatMap { index, line -> [Finding] in
                guard !line.drop(while: { $0 == " " }).hasPrefix("#") else { return [] }
                let unknown = line.matches(of: /\bjaga_[a-z0-9_]+/).map { String($0.output) }
                    .filter { !declared.contains($0) }
                    .map { "nothing tells \($0)" }
                let alerts = line.matches(of: /alert: (\w+)/).map { String($0.output.1) }
                    .filter { !guide.contains("`\($0)`") }
                    .map { "docs/operating.md does not say what to do about \($0)" }
                return (unknown + alerts).map {
                    Finding(path: file.path, line: index + 1, text: $0)
                }
            }
        }
    }

    /// Names that a file declares; the bus makes some of a part.
    private static func metrics(in file: SourceFile) -> [String] {
        file.lines.flatMap { line -> [String] in
            line.matches(of: /"(jaga_[a-z0-9_]+)"/).map { String($0.output.1) }
                + line.matches(of: /total\("([a-z_]+)"/).map { "jaga_bus_\($0.output.1)_total" }
        }
    }
}

extension SourceFile {
    fileprivate var isMetricSource: Bool {
        isSwift && (path.hasPrefix("Services/") || path.hasPrefix("Shared/"))
    }
}
