/// Access checks for files with secrets.
public enum SecretFile {
    /// Forbidden rights: writing except by the owner, reading by others.
    private static let forbidden: UInt32 = 0o027
    /// The folder of secrets in containers; files in it may be readable for all.
    private static let containersFolder = "/run/secrets/"

    /// Throws if other accounts can read or change the file; a missing file passes.
    ///
    /// - Throws: ``OpenSecret``
    public static func rejectOpen(_ path: String) throws(OpenSecret) {
        guard !Files.isFolder(path), let rights = try? Files.mode(of: path) else { return }
        let forbidden = path.hasPrefix(containersFolder) ? forbidden & ~0o004 : forbidden
        if rights & forbidden != 0 { throw OpenSecret(path: path, rights: rights) }
    }
}

/// A secret file is accessible to other accounts.
public struct OpenSecret: ExplainedError {
    let path: String
    let rights: UInt32

    public var code: String { "secret-open" }
    public var operation: String { "read \(path)" }
    public var message: String {
        "\(path) is accessible to other accounts (mode \(String(rights, radix: 8)))"
    }
    public var hint: String {
        "chmod 600 \(Shell.quoted(path)); other accounts may have read it: if in doubt, replace "
            + "the secret."
    }
}
