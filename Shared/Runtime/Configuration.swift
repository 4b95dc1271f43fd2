import CLinux
import Model

/// The settings of a process: flag beats environment beats file beats default.
///
/// Everything is checked when it is made, so reading a setting later cannot fail; reading one that
/// was never declared is a programming error and stops the process.
public struct Configuration: Sendable {
    /// Whose setting a name, or every name that begins with it, is: the file is shared, and each
    /// program passes over what belongs to another.
    static let owners: [(name: String, owner: String)] = [
        ("JAGA_INGEST_", "ingest"), ("JAGA_SOS_WORD", "ingest"), ("JAGA_MQTT_", "services"),
        ("JAGA_MEMBERSHIP_", "membership"),
        ("JAGA_EVALUATOR_", "evaluator"),
        ("JAGA_TIMER_", "timer"), ("JAGA_NOTIFIER_", "notifier"), ("JAGA_SMS_", "notifier"),
        ("JAGA_MAIL_", "notifier"), ("JAGA_PUBLIC_URL", "services"), ("JAGA_MAP_URL", "notifier"),
        ("JAGA_HEARTBEAT_", "notifier"),
        ("JAGA_BIND", "services"), ("JAGA_PROXIES", "services"), ("JAGA_CURVE", "services"),
        ("JAGA_KEYS", "services"),
        ("JAGA_HOST_INGEST", "services"),
        ("JAGA_HOST_MEMBERSHIP", "services"), ("JAGA_HOST_TIMER", "services"),
        ("JAGA_HOST_NOTIFIER", "services"), ("JAGA_RETENTION_HOURS", "services"),
        ("JAGA_HOLD_SECONDS", "services"), ("JAGA_REHEARSAL", "services"),
        ("JAGA_DISK_", "services"), ("JAGA_CREDENTIAL_CALLS_PER_SECOND", "services"),
        ("JAGA_ADDRESS_CALLS_PER_SECOND", "services"),
        ("JAGA_AUTH_FAILURES_PER_MINUTE", "services"), ("JAGA_UP_", "up"),
        ("JAGA_CLI_", "cli"), ("JAGA_TOKEN", "cli"), ("JAGA_URL", "cli"),
    ]

    /// What the process was started for.
    public let action: Arguments.Action
    /// The file that was read; nil when there is none.
    public let file: String?
    /// Names in the environment that begin like settings, are none, and like none; for warnings.
    public let unknownInEnvironment: [String]
    private let settings: [Setting]
    private let values: [String: Found]

    private struct Found: Sendable {
        var value: String
        var origin: String
    }

    /// Reads and checks everything.
    ///
    /// - Parameters:
    ///   - settings: the program's own; ``Setting/standard`` is added
    ///   - environment: all variables; those that do not begin with `JAGA_` are not looked at
    ///   - file: used where `--config` names none; without both, `jaga.conf` in the home folder if
    ///     it is there
    ///   - arguments: the command line without the program's name
    ///   - service: `timer` …; an unknown `JAGA_TIMER_…` in the file is then an error, while those
    ///     of other services are passed over. Empty: all with a service's prefix are.
    public init(
        settings own: [Setting], environment: [String: String] = Configuration.processEnvironment(),
        file: String? = nil, arguments: [String] = [], service: String = ""
    ) throws(ConfigurationError) {
        let arguments = try Arguments(arguments)
        let settings = Setting.standard + own
        let names = Set(settings.map(\.name))
        invariant(names.count == settings.count, "a setting is declared twice")
        let home = arguments.overrides["JAGA_HOME"] ?? environment["JAGA_HOME"] ?? "./var"
        let usual = home + "/jaga.conf"
        self.file = arguments.file ?? file ?? (Files.exists(usual) ? usual : nil)

        var values: [String: Found] = [:]
        for setting in settings {
            values[setting.name] = setting.defaultValue.map { Found(value: $0, origin: "default") }
        }
        if let path = self.file {
            try Configuration.read(path, into: &values, names: names, service: service)
            for setting in settings where setting.name != "JAGA_HOME" {
                guard let found = values[setting.name], found.origin.hasPrefix(path) else {
                    continue
                }
                values[setting.name]?.value = setting.placed(found.value, in: home)
            }
        }
        for (name, value) in environment where names.contains(name) {
            values[name] = Found(value: value, origin: "environment")
        }
        for (name, value) in arguments.overrides {
            values[name] = Found(value: value, origin: "arguments")
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
        unknownInEnvironment = environment.keys.filter { name in
            name.hasPrefix("JAGA_") && !names.contains(name)
                && !Configuration.isForeign(name, to: service)
        }.sorted()
        for name in environment.keys.sorted() {
            let meant = Configuration.meant(by: name, names: names, service: service)
            if !meant.isEmpty { throw .unknown(name, origin: "environment", known: meant) }
        }
        if flag("JAGA_STRICT"), let name = unknownInEnvironment.first {
            throw .unknown(name, origin: "environment", known: Configuration.known(names))
        }
    }

    /// Names that are told from others': a program's own, and those that others have one by one.
    private static func known(_ names: Set<String>) -> [String] {
        names.union(owners.map(\.name).filter { !$0.hasSuffix("_") }).sorted()
    }

    /// The settings, of those that this program would heed, that a variable nearly is; empty where
    /// it is one, or like none.
    private static func meant(
        by name: String, names: Set<String>, service: String
    ) -> [String] {
        guard name.hasPrefix("JAGA_"), !known(names).contains(name) else { return [] }
        let owner = owners.first { $0.name.hasSuffix("_") && name.hasPrefix($0.name) }?.owner
        guard owner == nil || owner == service || owner == "services" else { return [] }
        // Of what several have, each program knows a part.
        let candidates = owner == nil ? known(names) : names.sorted()
        return candidates.filter { isMisspelling(name, of: $0) }
    }

    /// Where names differ in one word, it is compared alone: `JAGA_APP_URL` may be another
    /// program's, though it is `JAGA_MAP_URL` but for two letters.
    private static func isMisspelling(_ name: String, of setting: String) -> Bool {
        let (given, meant) = (name.split(separator: "_"), setting.split(separator: "_"))
        let differing = zip(given, meant).filter { $0 != $1 }
        guard given.count == meant.count, differing.count == 1, let (word, other) = differing.first
        else { return isMisspelling(Array(name.utf8), of: Array(setting.utf8), shortMax: 10) }
        return isMisspelling(Array(word.utf8), of: Array(other.utf8), shortMax: 5)
    }

    /// Short words are soon like one another, and others have variables, too (`JAGA_HOST`): where
    /// one of the two is short, one letter may be other, more or less, or two neighbours swapped;
    /// of longer ones two.
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
        _ path: String, into values: inout [String: Found], names: Set<String>, service: String
    ) throws(ConfigurationError) {
        for line in try ConfigurationFile.read(path) {
            if names.contains(line.name) {
                values[line.name] = Found(value: line.value, origin: line.origin)
            } else if !isForeign(line.name, to: service) {
                throw .unknown(line.name, origin: line.origin, known: Configuration.known(names))
            }
        }
    }

    /// Whether a name is known to be another program's.
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

    /// The setting's text; it must have a default or be required elsewhere.
    public func text(_ name: String) -> String {
        guard let value = optional(name) else {
            fatalError("setting \(name) has neither value nor default")
        }
        return value
    }

    /// The setting's text; nil when it is not set.
    public func optional(_ name: String) -> String? {
        invariant(settings.contains { $0.name == name }, "setting \(name) was never declared")
        return values[name]?.value
    }

    /// A setting of kind `integer`.
    public func int(_ name: String) -> Int {
        guard let value = Int(text(name)) else { fatalError("setting \(name) is no number") }
        return value
    }

    /// A setting of kind `flag`.
    public func flag(_ name: String) -> Bool {
        guard let value = Setting.flag(text(name)) else { fatalError("setting \(name) is no flag") }
        return value
    }

    /// The first line of the file that a `secretFile` names, or a `secret` itself; nil: not set.
    public func secret(_ name: String) throws(ConfigurationError) -> String? {
        guard let value = optional(name), let setting = settings.first(where: { $0.name == name })
        else { return nil }
        guard case .secretFile = setting.kind else { return value }
        do { try SecretFile.refuseOpen(value) } catch {
            throw ConfigurationError(
                error.code, "\(name): \(error.message)", hint: error.hint,
                operation: error.operation)
        }
        let bytes: [UInt8]
        do { bytes = try Files.read(value, bytesMax: 64 * 1024) } catch {
            throw ConfigurationError(
                "secret-unreadable", "\(name): \(error.message)",
                hint: error.hint.isEmpty
                    ? "It is the path of a file whose first line is the secret." : error.hint,
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

    /// Every setting with its value, where that comes from, default, what is allowed and what it is
    /// for, in the form of the configuration file. Secrets are masked.
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
