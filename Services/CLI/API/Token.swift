import Runtime

/// A bearer token and its origin.
struct Token: Sendable {
    let text: String
    /// For messages, such as `the token in ./var/secrets/operator.token`.
    let origin: String
    let hint: String

    /// The file that the suite creates at its first start.
    static func operatorFile(home: String) -> String { "\(home)/secrets/operator.token" }

    /// The operator's token: from `--token-file`, JAGA_TOKEN or the file in the home folder.
    static func `operator`(of call: Call) throws -> Token {
        if let path = call.value("--token-file") { return try device("@" + path) }
        if let text = call.environment["JAGA_TOKEN"], !text.isEmpty {
            return Token(
                text: text, origin: "the token in JAGA_TOKEN",
                hint: "unset JAGA_TOKEN to use the token file in the home folder")
        }
        let path = operatorFile(home: try call.configuration().text("JAGA_HOME"))
        guard let text = try firstLine(of: path) else {
            throw CommandError(
                "no operator token: JAGA_TOKEN is not set and there is no file \(path)",
                hint: "start the suite once with the same home (jaga up --home DIR), "
                    + "or set --home DIR")
        }
        return Token(
            text: text, origin: "the token in \(path)",
            hint: "if the suite uses another home, set --home DIR")
    }

    /// A device's token: the parameter itself, or the first line of `@FILE`.
    static func device(_ parameter: String) throws -> Token {
        guard parameter.hasPrefix("@") else {
            return Token(
                text: parameter, origin: "this device's token",
                hint:
                    "the token is shown only once; create a new one with 'jaga device setup'"
            )
        }
        let path = String(parameter.dropFirst())
        guard let text = try firstLine(of: path) else {
            throw CommandError(
                "there is no file \(path)", hint: "put the token into its first line")
        }
        return Token(
            text: text, origin: "the token in \(path)",
            hint: "the token may belong to another suite, or was replaced")
    }

    /// Returns nil if the file does not exist.
    private static func firstLine(of path: String) throws(SystemError) -> String? {
        guard Files.exists(path) else { return nil }
        let bytes = try Files.read(path, bytesMax: 64 << 10)
        return String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }
}
