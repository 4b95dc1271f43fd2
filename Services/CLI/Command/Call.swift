import Hosting
import Model
import Runtime

/// Arguments of a subcommand: parameters, options and environment.
struct Call: Sendable {
    let syntax: Syntax
    private(set) var parameters: [String] = []
    private var values: [String: [String]] = [:]
    let environment: [String: String]

    /// Parses the arguments after the subcommand's name. Options may be anywhere; `--` ends them.
    init(
        _ words: [String], of syntax: Syntax,
        environment: [String: String] = Configuration.processEnvironment()
    ) throws(CommandError) {
        self.syntax = syntax
        self.environment = environment
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                parameters += rest
                break
            }
            guard word.hasPrefix("--") else {
                parameters.append(word)
                continue
            }
            try parse(option: word, &rest)
        }
        try checkParameters()
    }

    private mutating func parse(
        option word: String, _ rest: inout ArraySlice<String>
    ) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = syntax.options.first(where: { $0.name == name }) else {
            throw .usage("\(name) is not an option", syntax)
        }
        if values[name] != nil, !option.repeats {
            throw .usage("\(name) is given twice", syntax)
        }
        if let placeholder = option.value {
            guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
                throw .usage("\(name) requires a value: \(name) \(placeholder)", syntax)
            }
            values[name, default: []].append(value)
        } else {
            guard parts.count == 1 else { throw .usage("\(name) takes no value", syntax) }
            values[name] = []
        }
    }

    private func checkParameters() throws(CommandError) {
        let expected = syntax.parameters
        let required = expected.filter { !$0.hasPrefix("[") }
        guard parameters.count >= required.count else {
            throw .usage("\(required[parameters.count]) is required", syntax)
        }
        let repeats = expected.last?.hasSuffix("…]") == true
        guard repeats || parameters.count <= expected.count else {
            throw .usage("unexpected argument \(parameters[expected.count])", syntax)
        }
    }

    /// Whether an option was given.
    func has(_ option: String) -> Bool { values[option] != nil }

    /// The value of an option; nil if it was not given.
    func value(_ option: String) -> String? { values[option]?.last }

    /// Replaces the value of an option.
    mutating func set(_ option: String, to value: String) { values[option] = [value] }

    /// All values of a repeatable option.
    func all(_ option: String) -> [String] { values[option] ?? [] }

    /// The value of an option as an integer, or the default.
    func number(
        _ option: String, default defaultValue: Int, in range: ClosedRange<Int>
    ) throws(CommandError) -> Int {
        guard let text = value(option) else { return defaultValue }
        let bounded = range.clamped(to: -UntrustedNumber.most...UntrustedNumber.most)
        guard let number = UntrustedNumber.integer(text, in: bounded) else {
            let allowed = "\(range.lowerBound) to \(range.upperBound)"
            throw .usage("\(option) must be an integer from \(allowed), not \(text)", syntax)
        }
        return number
    }

    /// The value of an option as a time, or as an age (`30s`, `10m`, `2h`, `1d`).
    func moment(_ option: String, now: Timestamp) throws(CommandError) -> Timestamp? {
        guard let text = value(option) else { return nil }
        guard let time = EventFilter.time(text, now: now) else {
            throw .usage(
                "\(option) must be an age such as 30s, 10m, 2h or 1d, or a time such as "
                    + "2026-11-20T10:20:00Z, not \(text)", syntax)
        }
        return time
    }

    /// The settings from options, environment and configuration file.
    ///
    /// - Parameter service: the service whose settings must be known, such as `up`
    func configuration(
        _ settings: [Setting] = [], service: String = ""
    ) throws(ConfigurationError) -> Configuration {
        var arguments: [String] = []
        for option in ["--home", "--port-base", "--config"] {
            if let value = value(option) { arguments += [option, value] }
        }
        return try Configuration(
            settings: settings, environment: environment, arguments: arguments, service: service)
    }
}
