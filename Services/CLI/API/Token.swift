import Runtime

/// A secret that speaks for somebody, and where it came from.
struct Token: Sendable {
    let text: String
    /// For messages, such as `the token of the file ./var/secrets/operator.token`.
    let origin: String
    let hint: String

    /// The file that the suite writes at its first start.
    static func operatorFile(home: String) -> String { "\(home)/secrets/operator.token" }

    /// The operator's: of the file that the call names, else JAGA_TOKEN, else the file in the home
    /// folder.
    static func `operator`(of call: Call) throws -> Token {
        if let path = call.value("--token-file") { return try device("@" + path) }
        if let text = call.environment["JAGA_TOKEN"], !text.isEmpty {
            return Token(
                text: text, origin: "the token in JAGA_TOKEN",
                hint: "unset JAGA_TOKEN to use the file in the home folder")
        }
        let path = operatorFile(home: try call.configuration().text("JAGA_HOME"))
        guard let text = try firstLine(of: path) else {
            throw CommandError(
                "there is no token: neither JAGA_TOKEN nor the file \(path)",
                hint: "start the suite once with the same home (jaga up --home DIR), "
                    + "or name it with --home")
        }
        return Token(
            text: text, origin: "the token in \(path)",
            hint: "does the suite run with another home? name it with --home")
    }

    /// A device's, from a parameter: the token itself, or `@FILE`.
    static func device(_ parameter: String) throws -> Token {
        guard parameter.hasPrefix("@") else {
            return Token(
                text: parameter, origin: "this device's token",
                hint: "it is shown once, when the device is made; make a new credential")
        }
        let path = String(parameter.dropFirst())
        guard let text = try firstLine(of: path) else {
            throw CommandError("there is no file \(path)", hint: "its first line is the token")
        }
        return Token(
            text: text, origin: "the token in \(path)",
            hint: "is it another suite's, or was it replaced?")
    }

    /// Nil when there is no such file.
    private static func firstLine(of path: String) throws(SystemError) -> String? {
        guard Files.exists(path) else { return nil }
        let bytes = try Files.read(path, bytesMax: 64 << 10)
        return String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }
}
