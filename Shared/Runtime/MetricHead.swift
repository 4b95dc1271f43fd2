import Model

/// Name, help and labels of a metric family, with the text format of its samples.
struct MetricHead {
    let name: String
    let kind: MetricKind
    let help: String
    let labels: [String]

    init(_ name: String, _ kind: MetricKind, _ help: String, _ labels: [String]) {
        if let problem = MetricHead.problem(name, kind, help, labels) {
            fatalError("metric \(name): \(problem)")
        }
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }

    /// The violated naming convention of Prometheus; nil if there is none.
    static func problem(
        _ name: String, _ kind: MetricKind, _ help: String, _ labels: [String]
    ) -> String? {
        let words = name.split(separator: "_", omittingEmptySubsequences: false)
        if !isSnakeCase(name) { return "use lower case with underscores" }
        if help.isEmpty { return "help is missing" }
        if kind == .counter, words.last != "total" { return "a counter ends in _total" }
        if kind != .counter, words.last == "total" { return "only a counter ends in _total" }
        if let last = words.last, ["count", "sum", "bucket", "info"].contains(last) {
            return "_\(last) is reserved"
        }
        let kinds: Set<Substring> = ["counter", "gauge", "histogram", "summary"]
        if words.contains(where: { kinds.contains($0) }) { return "remove the metric's kind" }
        let unit = kind == .counter ? words.dropLast().last : words.last
        if let unit, let base = baseUnits[unit] { return "use the base unit \(base)" }
        for label in labels where !isSnakeCase(label) || ["le", "quantile"].contains(label) {
            return "label \(label) is not allowed"
        }
        return nil
    }

    private static let baseUnits: [Substring: String] = [
        "ms": "seconds", "milliseconds": "seconds", "microseconds": "seconds",
        "minutes": "seconds", "hours": "seconds", "days": "seconds", "s": "seconds",
        "kilobytes": "bytes", "megabytes": "bytes", "kb": "bytes", "mb": "bytes",
        "percent": "ratio", "kilometres": "metres", "km": "metres",
    ]

    private static func isSnakeCase(_ name: String) -> Bool {
        guard let first = name.utf8.first, (97...122).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || $0 == 95
        }
    }

    /// Stops the process if the number of label values is wrong.
    func check(_ values: [String]) {
        invariant(
            values.count == labels.count,
            "metric \(name) has \(labels.count) labels, not \(values.count)")
    }

    func write(to out: inout String) {
        let text = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        out += "# HELP \(name) \(text)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes one sample.
    ///
    /// - Parameter end: upper bound of a histogram's bucket
    func sample(
        _ suffix: String, _ values: [String], _ value: Double, end: String? = nil,
        to out: inout String
    ) {
        var pairs = zip(labels, values).map { "\($0)=\"\(MetricHead.escaped($1))\"" }
        if let end { pairs.append("le=\"\(end)\"") }
        out += name + suffix
        if !pairs.isEmpty { out += "{" + pairs.joined(separator: ",") + "}" }
        out += " " + MetricHead.text(value) + "\n"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }

    static func text(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return String(whole) }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.isNaN ? "NaN" : "\(value)"
    }
}
