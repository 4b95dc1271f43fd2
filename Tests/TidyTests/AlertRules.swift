extension Rule {
    /// Alerts use metrics that the code declares, since others never fire, and docs/operating.md
    /// describes what to do about each alert.
    static let alertsUseKnownMetrics = Rule(name: "alerts use metrics that exist") { files in
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
                    .map { "no code declares \($0)" }
                let alerts = line.matches(of: /alert: (\w+)/).map { String($0.output.1) }
                    .filter { !guide.includes("`\($0)`") }
                    .map { "docs/operating.md does not describe \($0)" }
                return (unknown + alerts).map {
                    Finding(path: file.path, line: index + 1, text: $0)
                }
            }
        }
    }

    /// The metrics that a file declares; the bus derives some names from a part.
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
