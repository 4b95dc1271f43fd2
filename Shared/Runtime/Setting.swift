import Glibc

/// A setting from environment or configuration file.
public struct Setting: Sendable {
    /// The allowed values.
    public enum Kind: Sendable {
        /// An integer in the range.
        case integer(ClosedRange<Int>)
        case text
        /// A file or folder; relative to the home folder in `jaga.conf`, else to the working
        /// folder.
        case path
        /// A name, or a path if it contains a slash or a dot.
        case nameOrPath
        case choice([String])
        /// `on` / `off`, also `true` / `false`, `yes` / `no`, `1` / `0`.
        case flag
        /// An IPv4 address.
        case address
        /// An absolute URL with one of the schemes, such as `https`.
        case url([String])
        /// Path of a file whose first line is the secret; the setting's name ends in `_FILE`.
        case secretFile
        /// A secret as plain text; never printed.
        case secret
    }

    /// `JAGA_` and capital letters.
    public var name: String
    public var kind: Kind
    /// Nil = optional.
    public var defaultValue: String?
    /// Unit such as `seconds`; empty if there is none.
    public var unit: String
    /// A sentence for the help.
    public var help: String

    public init(
        _ name: String, _ kind: Kind, default value: String? = nil, unit: String = "",
        help: String
    ) {
        self.name = name
        self.kind = kind
        defaultValue = value
        self.unit = unit
        self.help = help
    }

    /// Settings of every process, added by ``Configuration``.
    public static let standard: [Setting] = [
        Setting(
            "JAGA_HOME", .path, default: "./var",
            help: "Folder with the configuration file, secrets and stores."),
        Setting(
            "JAGA_PORT_BASE", .integer(1024...65_000), default: "8100",
            help: "First port of the suite; other ports are offsets from it."),
        Setting(
            "JAGA_STRICT_ENV", .flag, default: "off",
            help: "Fail on unknown JAGA_... variables in the environment; off = log a warning."),
        Setting(
            "JAGA_LOG_LEVEL", .choice(LogLevel.allCases.map(\.rawValue)), default: "info",
            help: "Minimum log level."),
    ]

    /// Whether the value is masked in output.
    var isSecret: Bool { if case .secret = kind { true } else { false } }

    /// The allowed values in words.
    var allowed: String {
        let unit = unit.isEmpty ? "" : " (\(unit))"
        return switch kind {
        case .integer(let range):
            "an integer from \(range.lowerBound) to \(range.upperBound)\(unit)"
        case .text, .secret, .nameOrPath: "a text"
        case .path, .secretFile: "the path of a file or folder"
        case .choice(let values): "one of " + values.joined(separator: ", ")
        case .flag: "on or off"
        case .address: "an IPv4 address such as 192.168.1.5"
        case .url(let schemes):
            "a URL such as \(schemes[0])://host/path"
                + (schemes.count > 1
                    ? " (also \(schemes.dropFirst().joined(separator: ", ")))" : "")
        }
    }

    /// A value of the configuration file, with relative paths resolved against the home folder.
    func resolved(_ value: String, in home: String) -> String {
        let isPath =
            switch kind {
            case .path, .secretFile: true
            case .nameOrPath: value.contains { $0 == "/" || $0 == "." }
            default: false
            }
        return isPath && !value.isEmpty && !value.hasPrefix("/") ? "\(home)/\(value)" : value
    }

    /// Why the value is invalid; nil if it is valid.
    func problem(with value: String) -> String? {
        switch kind {
        case .integer(let range):
            guard let number = Int(value) else { return "is not an integer" }
            return range.contains(number) ? nil : "is out of range"
        case .choice(let values): return values.contains(value) ? nil : "is not an allowed value"
        case .flag: return Setting.flag(value) == nil ? "is neither on nor off" : nil
        case .address:
            var parsed = in_addr()
            return inet_pton(AF_INET, value, &parsed) == 1 ? nil : "is not an IPv4 address"
        case .text, .secret, .path, .secretFile, .nameOrPath:
            return value.isEmpty ? "is empty" : nil
        case .url(let schemes):
            let fits = schemes.contains { scheme in
                value.hasPrefix(scheme + "://") && value.utf8.count > scheme.utf8.count + 3
            }
            return fits && !value.contains(where: \.isWhitespace) ? nil : "is not such a URL"
        }
    }

    static func flag(_ value: String) -> Bool? {
        switch value.lowercased() {
        case "on", "true", "yes", "1": true
        case "off", "false", "no", "0": false
        default: nil
        }
    }
}
