/// A subcommand of `jaga`.
protocol Command: SendableMetatype {
    /// How it is called, and its help.
    static var syntax: Syntax { get }
    /// Does it; throws ``CommandError`` where its user can do something about it.
    ///
    /// - Returns: the exit status
    static func run(_ call: Call) throws -> Int32
}

/// How a subcommand is called.
struct Syntax: Sendable {
    /// Such as `replay`.
    var name: String
    /// What stands behind the name, such as `FILE`; in brackets where it may be left out, with `…`
    /// at its end where it may come again.
    var parameters: [String] = []
    /// One line for the list of subcommands.
    var summary: String
    /// Everything else that its user wants to know.
    var details: String = ""
    var options: [Option] = []

    /// One `--name` or `--name VALUE`.
    struct Option: Sendable {
        /// With its two dashes.
        var name: String
        /// What its value is, such as `DIR`; nil for a switch.
        var value: String?
        var help: String
        /// Can be given more than once.
        var repeats = false
    }
}

extension Syntax.Option {
    static let home = Self(
        name: "--home", value: "DIR", help: "folder of Jaga's files (JAGA_HOME, else ./var)")
    static let config = Self(
        name: "--config", value: "FILE", help: "settings, instead of jaga.conf in the home folder")
    static let url = Self(
        name: "--url", value: "URL", help: "where Jaga is (JAGA_URL, else http://127.0.0.1:8080)")
    static let authorities = Self(
        name: "--cacert", value: "FILE",
        help: "believe this certificate, or authority, in PEM instead of the system's")
    static let tokenFile = Self(
        name: "--token-file", value: "FILE", help: "use the token in this file's first line")
    static let portBase = Self(
        name: "--port-base", value: "N",
        help: "services' ports are counted from here (JAGA_PORT_BASE, else 8100)")
    static let json = Self(
        name: "--json", value: nil, help: "the answer as JSON, for programs")

    /// What every command needs that talks to a running suite.
    static let api: [Self] = [.url, .authorities, .home]
}
