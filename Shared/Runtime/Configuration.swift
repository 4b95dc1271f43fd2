import CLinux
import Model

/// The settings of a process. Precedence: arguments, environment, file, defaults.
///
/// All values are validated at initialization, so reading a setting cannot fail. Reading an
/// undeclared setting is a programming error and stops the process.
public struct Configuration: Sendable {
    /// The owner of a setting's name or prefix. All programs share the file, and each ignores
    /// settings of others.
    static let owners: [(name: String, owner: String)] = [
        ("JAGA_INGEST_", "ingest"), ("JAGA_SOS_WORD", "ingest"), ("JAGA_MQTT_", "services"),
        ("JAGA_MEMBERSHIP_", "membership"), ("JAGA_SITE_NAME", "membership"),
        ("JAGA_SIGN_", "membership"),
        ("JAGA_EVALUATOR_", "evaluator"),
        ("JAGA_TIMER_", "timer"), ("JAGA_NOTIFIER_", "notifier"), ("JAGA_SMS_", "notifier"),
        ("JAGA_MAIL_", "notifier"), ("JAGA_PUBLIC_URL", "services"), ("JAGA_MAP_URL", "notifier"),
        ("JAGA_HEARTBEAT_", "notifier"),
        ("JAGA_BIND", "services"), ("JAGA_PROXIES", "services"), ("JAGA_CURVE", "services"),
        ("JAGA_KEYS", "services"), ("JAGA_RIGHTS_FILE", "services"),
        ("JAGA_BILLING_", "membership"),
        ("JAGA_HOST_INGEST", "services"),
        ("JAGA_HOST_MEMBERSHIP", "services"), ("JAGA_HOST_TIMER", "services"),
        ("JAGA_HOST_NOTIFIER", "services"), ("JAGA_RETENTION_HOURS", "services"),
        ("JAGA_OUTAGE_HOLD_SECONDS", "services"), ("JAGA_DRY_RUN", "services"),
        ("JAGA_DISK_", "services"), ("JAGA_CREDENTIAL_CALLS_PER_SECOND", "services"),
        ("JAGA_ADDRESS_CALLS_PER_SECOND", "services"),
        ("JAGA_AUTH_FAILURES_PER_MINUTE", "services"), ("JAGA_UP_", "up"),
        ("JAGA_CLI_", "cli"), ("JAGA_TOKEN", "cli"), ("JAGA_URL", "cli"),
    ]

    /// What the process should do.
    public let action: Arguments.Action
    /// The configuration file; nil if there is none.
    public let file: String?
    /// Variables with the prefix `JAGA_` that are no settings and resemble none; for warnings.
    public let unknownVariables: [String]
    private let settings: [Setting]
    private let values: [String: Entry]

    private struct Entry: Sendable {
        var value: String
        var origin: String
    }

    /// Reads and validates all settings.
    ///
    /// - Parameters:
    ///   - settings: the program's own settings; ``Setting/standard`` is added
    ///   - environment: all variables; those without the prefix `JAGA_` are ignored
    ///   - file: the file if `--config` is not given; nil = `jaga.conf` in the home folder, if it
    ///     exists
    ///   - arguments: the command line without the program's name
    ///   - service: name such as `timer`: unknown settings `JAGA_TIMER_…` in the file are errors
    ///     then, those of other services are ignored. Empty = settings of all services are ignored.
    public init(
        settings own: [Setting], environment: [String: String] = Configuration.processEnvironment(),
        file: String? = nil, arguments: [String] = [], service: String = ""
    ) throws(ConfigurationError) {
        let arguments = try Arguments(arguments)
        let settings = Setting.standard + own
        let names = Set(settings.map(\.name))
        invariant(names.count == settings.count, "a setting is declared twice")
        let home = arguments.overrides["JAGA_HOME"] ?? environment["JAGA_HOME"] ?? "./var"
        let defaultFile = home + "/jaga.conf"
        self.file = arguments.file ?? file ?? (Files.exists(defaultFile) ? defaultFile : nil)

        var values: [String: Entry] = [:]
        for setting in settings {
            values[setting.name] = setting.defaultValue.map { Entry(value: $0, origin: "default") }
        }
        if let path = self.file {
            try Configuration.read(path, into: &values, names: names, service: service)
            for setting in settings where setting.name != "JAGA_HOME" {
                guard let found = values[setting.name], found.origin.hasPrefix(path) else {
                    continue
                }
                values[setting.name]?.value = setting.resolved(found.value, in: home)
            }
        }
        for (name, value) in environment where names.contains(name) {
            values[name] = Entry(value: value, origin: "environment")
        }
        for (name, value) in arguments.overrides {
            values[name] = Entry(value: value, origin: "arguments")
        }
        for setting in settings {
            if let found = values[setting.name], let problem = setting.problem(with: found.value) {
                throw .invalid(
                    setting, value: found.value, problem: problem, origin: found.origin)
            }
        }
        self.settings = settings
        self.values = values
        action = arguments.action
        unknownVariables = environment.keys.filter { name in
            name.hasPrefix("JAGA_") && !names.contains(name)
                && !Configuration.isForeign(name, to: service)
        }.sorted()
        for name in environment.keys.sorted() {
            let meant = Configuration.suggestions(for: name, names: names, service: service)
            if !meant.isEmpty { throw .unknown(name, origin: "environment", known: meant) }
        }
        if flag("JAGA_STRICT_ENV"), let name = unknownVariables.first {
            throw .unknown(name, origin: "environment", known: Configuration.known(names))
        }
    }

    /// Names for suggestions: the program's settings, and complete names of other programs'
    /// settings.
    private static func known(_ names: Set<String>) -> [String] {
        names.union(owners.map(\.name).filter { !$0.hasSuffix("_") }).sorted()
    }

    /// The settings that a variable's name may have been meant as; empty if it is a setting or
    /// resembles none.
    private static func suggestions(
        for name: String, names: Set<String>, service: String
    ) -> [String] {
        guard name.hasPrefix("JAGA_"), !known(names).contains(name) else { return [] }
        let owner = owners.first { $0.name.hasSuffix("_") && name.hasPrefix($0.name) }?.owner
        guard owner == nil || owner == service || owner == "services" else { return [] }
        // For shared prefixes each program knows only some of the settings.
        let candidates = owner == nil ? known(names) : names.sorted()
        return candidates.filter { isMisspelling(name, of: $0) }
    }

    /// Compares only the differing word if names differ in one word: `JAGA_APP_URL` may belong to
    /// another program although it differs from `JAGA_MAP_URL` in only two letters.
    private static func isMisspelling(_ name: String, of setting: String) -> Bool {
        let (given, meant) = (name.split(separator: "_"), setting.split(separator: "_"))
        let differing = zip(given, meant).filter { $0 != $1 }
        guard given.count == meant.count, differing.count == 1, let (word, other) = differing.first
        else { return isMisspelling(Array(name.utf8), of: Array(setting.utf8), shortMax: 10) }
        return isMisspelling(Array(word.utf8), of: Array(other.utf8), shortMax: 5)
    }

    /// Whether a word is a misspelling of another: one edit or one swap of neighbours, or two edits
    /// if both words are long. Short words easily resemble unrelated ones, such as `JAGA_HOST`.
    private static func isMisspelling(
        _ given: [UInt8], of meant: [UInt8], shortMax: Int
    ) -> Bool {
        let distance = editDistance(given, meant)
        let isShort = min(given.count, meant.count) <= shortMax
        guard isShort, distance == 2, given.count == meant.count else {
            return distance <= (isShort ? 1 : 2)
        }
        let differing = given.indices.filter { given[$0] != meant[$0] }
        return differing.count == 2 && differing[1] == differing[0] + 1
            && given[differing[0]] == meant[differing[1]]
            && given[differing[1]] == meant[differing[0]]
    }

    private static func read(
        _ path: String, into values: inout [String: Entry], names: Set<String>, service: String
    ) throws(ConfigurationError) {
        for line in try ConfigurationFile.read(path) {
            if names.contains(line.name) {
                values[line.name] = Entry(value: line.value, origin: line.origin)
            } else if !isForeign(line.name, to: service) {
                throw .unknown(line.name, origin: line.origin, known: Configuration.known(names))
            }
        }
    }

    /// Whether a name belongs to another program.
    private static func isForeign(_ name: String, to service: String) -> Bool {
        owners.contains { entry in
            let isNamed =
                entry.name.hasSuffix("_") ? name.hasPrefix(entry.name) : name == entry.name
            return isNamed && entry.owner != service
        }
    }

    /// The environment of this process.
    public static func processEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        guard var entry = clinux_environment() else { return variables }
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }

    /// The value as text; the setting must have a default or be validated elsewhere.
    public func text(_ name: String) -> String {
        guard let value = optional(name) else {
            fatalError("setting \(name) has neither value nor default")
        }
        return value
    }

    /// The value as text; nil if it is not set.
    public func optional(_ name: String) -> String? {
        invariant(settings.contains { $0.name == name }, "setting \(name) was never declared")
        return values[name]?.value
    }

    /// The value of an `integer` setting.
    public func int(_ name: String) -> Int {
        guard let value = Int(text(name)) else { fatalError("setting \(name) is not an integer") }
        return value
    }

    /// The value of a `flag` setting.
    public func flag(_ name: String) -> Bool {
        guard let value = Setting.flag(text(name)) else {
            fatalError("setting \(name) is not a flag")
        }
        return value
    }

    /// The secret: the first line of a `secretFile`, or the value of a `secret`; nil if it is not
    /// set.
    public func secret(_ name: String) throws(ConfigurationError) -> String? {
        guard let value = optional(name), let setting = settings.first(where: { $0.name == name })
        else { return nil }
        guard case .secretFile = setting.kind else { return value }
        do { try SecretFile.rejectOpen(value) } catch {
            throw ConfigurationError(
                error.code, "\(name): \(error.message)", hint: error.hint,
                operation: error.operation)
        }
        let bytes: [UInt8]
        do { bytes = try Files.read(value, bytesMax: 64 * 1024) } catch {
            throw ConfigurationError(
                "secret-unreadable", "\(name): \(error.message)",
                hint: error.hint.isEmpty
                    ? "Set it to the path of a file whose first line is the secret." : error.hint,
                operation: error.operation)
        }
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        guard !line.isEmpty else {
            throw ConfigurationError(
                "secret-empty", "\(name): the file is empty",
                hint: "Put the secret into its first line.", operation: "read \(value)")
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// All settings with value, origin, default, allowed values and help, in the format of the
    /// configuration file. Secrets are masked.
    public func printed() -> String {
        var text = file.map { "# file: \($0)\n" } ?? "# no configuration file\n"
        for setting in settings {
            let found = values[setting.name]
            text += "\n# \(setting.help)\n# \(setting.allowed)"
            text +=
                "; default: \(setting.defaultValue ?? "none"); from \(found?.origin ?? "nowhere")"
            let value = setting.isSecret && found != nil ? "********" : found?.value
            text += value.map { "\n\(setting.name)=\($0)\n" } ?? "\n#\(setting.name)=\n"
        }
        return text
    }
}
