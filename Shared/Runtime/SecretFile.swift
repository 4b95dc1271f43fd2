/// Files that hold secrets: whoever can read one can speak for somebody, or open what is sealed.
public enum SecretFile {
    /// What is refused: writing to all but the owner, reading to all but them and their group.
    private static let refused: UInt32 = 0o027
    /// Where engines of containers put secrets, readable for all: nobody else is in there.
    private static let containersFolder = "/run/secrets/"

    /// Does nothing with a file that is not there: reading it says so.
    ///
    /// - Throws: where others than its owner can read the file, or change it.
    public static func refuseOpen(_ path: String) throws(OpenSecret) {
        guard !Files.isFolder(path), let rights = try? Files.rights(of: path) else { return }
        let refused = path.hasPrefix(containersFolder) ? refused & ~0o004 : refused
        if rights & refused != 0 { throw OpenSecret(path: path, rights: rights) }
    }
}

/// The file of a secret is open to others.
public struct OpenSecret: ExplainedError {
    let path: String
    let rights: UInt32

    public var code: String { "secret-open" }
    public var operation: String { "read \(path)" }
    public var message: String {
        "\(path) can be read or changed by others (mode \(String(rights, radix: 8)))"
    }
    public var hint: String {
        "chmod 600 \(Shell.quoted(path)); whoever has read it may use it: if in doubt, replace "
            + "what is in it."
    }
}
