import Runtime

/// The operator's token in the secrets folder: whoever can read that file runs the suite.
///
/// The file comes first and the directory follows it: a crash in between is mended at the next
/// start, when the token of the file becomes the operator's only one.
struct OperatorToken {
    let path: String
    private let folder: String

    static let charactersAllowed = 32...64

    /// - Parameter home: the suite's home folder
    init(home: String) {
        folder = home + "/secrets"
        path = folder + "/operator.token"
    }

    /// Whether there is a file already.
    var exists: Bool { Files.exists(path) }

    /// The token of the file, which is made with a new one if there is none.
    func establish() throws -> NewSecret {
        if exists { return NewSecret(token: try read()) }
        let secret = NewSecret()
        try write(secret)
        return secret
    }

    /// Refuses a file that cannot be used; that there is none yet is fine.
    func check() throws { if exists { _ = try read() } }

    /// Puts another token into the file, in one step.
    func write(_ secret: NewSecret) throws(SystemError) {
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Array((secret.token + "\n").utf8), to: path, mode: 0o600)
    }

    private func read() throws -> String {
        try SecretFile.refuseOpen(path)
        let bytes = try Files.read(path, bytesMax: 4096)
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        let isPrintable = line.allSatisfy { $0 > 32 && $0 < 127 }
        guard isPrintable, OperatorToken.charactersAllowed.contains(line.count) else {
            throw UnusableToken(path: path)
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// The operator's token file holds something else.
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
