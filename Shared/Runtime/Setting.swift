import Glibc

/// One thing that can be set by environment or configuration file.
public struct Setting: Sendable {
    /// What its value may be.
    public enum Kind: Sendable {
        /// A whole number in that range.
        case integer(ClosedRange<Int>)
        case text
        /// A file or folder; a relative one starts at the home in `jaga.conf`, else at the working
        /// folder.
        case path
        /// A name, or the path of a file if there is a slash in it.
        case nameOrPath
        case choice([String])
        /// `on` / `off`, also `true` / `false`, `yes` / `no`, `1` / `0`.
        case flag
        /// An IPv4 address.
        case address
        /// An absolute address with one of these schemes, such as `https`.
        case url([String])
        /// Path of a file whose first line is the secret; the name ends in `_FILE`.
        case secretFile
        /// A secret in the clear, never printed.
        case secret
    }

    /// `JAGA_` and capitals.
    public var name: String
    public var kind: Kind
    /// Nil: may be missing.
    public var defaultValue: String?
    /// Such as `seconds`; empty where there is none.
    public var unit: String
    /// One sentence.
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

    /// What every process of Jaga knows; ``Configuration`` adds them by itself.
    public static let standard: [Setting] = [
        Setting(
            "JAGA_HOME", .path, default: "./var",
            help: "Folder of the configuration file, the secrets and the stores."),
        Setting(
            "JAGA_PORT_BASE", .integer(1024...65_000), default: "8100",
            help: "All ports are counted from here."),
        Setting(
            "JAGA_STRICT", .flag, default: "off",
            help: "A variable JAGA_... like no setting stops the start, too; off: it is told."),
        Setting(
            "JAGA_LOG_LEVEL", .choice(LogLevel.allCases.map(\.rawValue)), default: "info",
            help: "Least level of log lines."),
    ]

    /// Whether the value must not be printed.
    var isSecret: Bool { if case .secret = kind { true } else { false } }

    /// What is allowed, in words.
    var allowed: String {
        let unit = unit.isEmpty ? "" : " (\(unit))"
        return switch kind {
        case .integer(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)\(unit)"
        case .text, .secret, .nameOrPath: "a text"
        case .path, .secretFile: "the path of a file or folder"
        case .choice(let values): "one of " + values.joined(separator: ", ")
        case .flag: "on or off"
        case .address: "an IPv4 address such as 192.168.1.5"
        case .url(let schemes):
            "an address such as \(schemes[0])://host/path"
                + (schemes.count > 1
                    ? " (also \(schemes.dropFirst().joined(separator: ", ")))" : "")
        }
    }

    /// A value of the configuration file: a relative path starts at the home.
    func placed(_ value: String, in home: String) -> String {
        let isPath =
            switch kind {
            case .path, .secretFile: true
            case .nameOrPath: value.contains("/")
            default: false
            }
        return isPath && !value.isEmpty && !value.hasPrefix("/") ? "\(home)/\(value)" : value
    }

    /// What is wrong with the value; nil when nothing is.
    func problem(with value: String) -> String? {
        switch kind {
        case .integer(let range):
            guard let number = Int(value) else { return "is no whole number" }
            return range.contains(number) ? nil : "is outside the range"
        case .choice(let values): return values.contains(value) ? nil : "is none of those allowed"
        case .flag: return Setting.flag(value) == nil ? "is neither on nor off" : nil
        case .address:
            var parsed = in_addr()
            return inet_pton(AF_INET, value, &parsed) == 1 ? nil : "is no IPv4 address"
        case .text, .secret, .path, .secretFile, .nameOrPath:
            return value.isEmpty ? "is empty" : nil
        case .url(let schemes):
            let fits = schemes.contains { scheme in
                value.hasPrefix(scheme + "://") && value.utf8.count > scheme.utf8.count + 3
            }
            return fits && !value.contains(where: \.isWhitespace) ? nil : "is no such address"
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
