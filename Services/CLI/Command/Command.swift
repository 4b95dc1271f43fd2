/// A subcommand of `jaga`.
protocol Command: SendableMetatype {
    /// Usage and help.
    static var syntax: Syntax { get }
    /// Runs the command.
    ///
    /// - Returns: the exit status
    /// - Throws: ``CommandError`` for errors that the user can correct
    static func run(_ call: Call) throws -> Int32
}

/// Usage of a subcommand.
struct Syntax: Sendable {
    /// Such as `replay`.
    var name: String
    /// Positional parameters, such as `FILE`; in brackets if optional, with a final `…` if
    /// repeatable.
    var parameters: [String] = []
    /// One line for the list of subcommands: an imperative phrase in lower case.
    var summary: String
    /// Further help text.
    var details: String = ""
    var options: [Option] = []

    /// One `--name` or `--name VALUE`.
    struct Option: Sendable {
        /// With two leading dashes.
        var name: String
        /// Placeholder of the value, such as `DIR`; nil for a switch.
        var value: String?
        var help: String
        /// Whether the option can be given more than once.
        var repeats = false
    }
}

extension Syntax.Option {
    static let home = Self(
        name: "--home", value: "DIR", help: "home folder (default: JAGA_HOME or ./var)")
    static let config = Self(
        name: "--config", value: "FILE",
        help: "configuration file (default: jaga.conf in the home folder)")
    static let url = Self(
        name: "--url", value: "URL",
        help: "URL of the suite (default: JAGA_URL or http://127.0.0.1:8080)")
    static let authorities = Self(
        name: "--cacert", value: "FILE",
        help: "PEM file with the certificate or CA to trust")
    static let tokenFile = Self(
        name: "--token-file", value: "FILE", help: "file with the token in its first line")
    static let portBase = Self(
        name: "--port-base", value: "N",
        help: "base of the services' ports (default: JAGA_PORT_BASE or 8100)")
    static let reason = Self(
        name: "--access-reason", value: "TEXT",
        help: "why you look at a person's data; the person reads it in their access log")
    static let json = Self(
        name: "--json", value: nil, help: "print JSON")

    /// Options of all commands that use the HTTP API.
    static let api: [Self] = [.url, .authorities, .home, .reason]
}
