import Runtime

/// The operator's token in the secrets folder. Everyone who can read the file can administer the
/// suite.
///
/// The file is written before the directory. After a crash in between, the next start makes the
/// token in the file the operator's only one.
struct OperatorToken {
    let path: String
    private let folder: String

    static let charactersAllowed = 32...64

    /// - Parameter home: the suite's home folder
    init(home: String) {
        folder = home + "/secrets"
        path = folder + "/operator.token"
    }

    /// Whether the file exists.
    var exists: Bool { Files.exists(path) }

    /// Returns the token in the file. Creates the file if there is none.
    func establish() throws -> NewSecret {
        if exists { return NewSecret(token: try read()) }
        let secret = NewSecret()
        try write(secret)
        return secret
    }

    /// Throws if the file exists and is unusable.
    func check() throws { if exists { _ = try read() } }

    /// Replaces the token atomically.
    func write(_ secret: NewSecret) throws(SystemError) {
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Array((secret.token + "\n").utf8), to: path, mode: 0o600)
    }

    private func read() throws -> String {
        try SecretFile.rejectOpen(path)
        let bytes = try Files.read(path, bytesMax: 4096)
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        let isPrintable = line.allSatisfy { $0 > 32 && $0 < 127 }
        guard isPrintable, OperatorToken.charactersAllowed.contains(line.count) else {
            throw UnusableToken(path: path)
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// The operator's token file has no valid token.
struct UnusableToken: ExplainedError {
    let path: String

    var code: String { "unusable-token" }
    var operation: String { "read \(path)" }
    var message: String {
        let range = OperatorToken.charactersAllowed
        return "its first line is not a token of \(range.lowerBound) to \(range.upperBound) "
            + "printable characters"
    }
    var hint: String { "Remove the file: the next start makes a new token." }
}
