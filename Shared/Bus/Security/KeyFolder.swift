import Glibc
import Hashing
import Runtime

/// Keys of a suite in files.
///
/// `<role>.key` holds the secret key, for that role only; `<role>.pub` the public key, for all;
/// `<role>.old.pub` an optional previous public key that is still accepted. The last line of a file
/// is the key in Z85, after a comment.
public struct KeyFolder: Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    public func secretFile(_ role: BusRole) -> String { "\(path)/\(role.rawValue).key" }
    public func publicFile(_ role: BusRole) -> String { "\(path)/\(role.rawValue).pub" }
    public func oldFile(_ role: BusRole) -> String { "\(path)/\(role.rawValue).old.pub" }

    /// Key files that exist.
    public var existing: [String] {
        BusRole.allCases.flatMap { [secretFile($0), publicFile($0)] }.filter(Files.exists)
    }

    // MARK: Generating

    /// Generates key pairs; secret files are readable by their owner only.
    ///
    /// Each file is replaced atomically, the secret one before the public one.
    ///
    /// - Throws: ``BusError`` `no-curve`; errors of the system
    public func generate(_ roles: [BusRole]) throws -> [BusRole: CurvePublicKey] {
        try Files.makeFolder(path, mode: 0o700)
        var generated: [BusRole: CurvePublicKey] = [:]
        for role in roles {
            let pair = try CurveKeyPair.generate()
            let name = role.rawValue
            try write(
                pair.secret, "secret key of \(name) for Jaga's bus: keep it private",
                to: secretFile(role), mode: 0o600)
            try write(
                pair.publicKey.text, "public key of \(name) for Jaga's bus",
                to: publicFile(role), mode: 0o644)
            generated[role] = pair.publicKey
        }
        return generated
    }

    /// Generates the pairs of all roles atomically, unless another process does it first.
    ///
    /// Services that start at the same time may all call this: exactly one set of keys appears.
    ///
    /// - Returns: whether this call generated the keys
    /// - Throws: ``BusError`` `no-curve`; errors of the system
    @discardableResult
    public func generateOnce() throws -> Bool {
        let newFolder = KeyFolder("\(path).\(Hex.encode(SecureRandom.bytes(4))).new")
        do {
            _ = try newFolder.generate(BusRole.allCases)
            try Files.move(newFolder.path, to: path)
            return true
        } catch {
            try? Files.removeTree(newFolder.path)
            guard let error = error as? SystemError, [ENOTEMPTY, EEXIST].contains(error.number)
            else { throw error }
            guard existing.isEmpty else { return false }
            // The folder contains other files.
            _ = try generate(BusRole.allCases)
            return true
        }
    }

    private func write(
        _ key: String, _ comment: String, to path: String, mode: UInt32
    ) throws(SystemError) {
        try Files.write(Array("# \(comment)\n\(key)\n".utf8), to: path, mode: mode)
    }

    // MARK: Reading

    /// Reads the keys for a process of a role.
    ///
    /// - Throws: ``BusError``: `keys-missing`, `key-invalid`, `key-shared`, `key-open`, with the
    ///   file's name
    func security(of role: BusRole) throws(BusError) -> BusSecurity {
        let own = try pair(of: role)
        guard !isOpen(secretFile(role)) else {
            throw BusError(
                "key-open", "read keys",
                "JAGA_KEYS: \(secretFile(role)) is accessible to other accounts",
                hint: "chmod 600 \(Shell.quoted(secretFile(role))); a reader of it can impersonate "
                    + "\(role.rawValue): if in doubt, replace it with 'jaga keys init'.")
        }
        var publicKeys: [BusRole: CurvePublicKey] = [:]
        var old: [BusRole: CurvePublicKey] = [:]
        for other in BusRole.allCases {
            let key = try publicKey(publicFile(other))
            if let same = publicKeys.first(where: { $0.value == key })?.key {
                throw KeyFolder.error(
                    "key-shared", publicFile(other), "is also the key of \(same.rawValue)")
            }
            publicKeys[other] = key
            if Files.exists(oldFile(other)) {
                old[other] = try publicKey(oldFile(other))
            }
        }
        for (other, key) in old {
            let owners = [publicKeys, old].flatMap { keys in
                keys.filter { $0.value == key && $0.key != other }.keys
            }
            if let same = owners.min(by: { $0.rawValue < $1.rawValue }) {
                throw KeyFolder.error(
                    "key-shared", oldFile(other), "is also a key of \(same.rawValue)")
            }
        }
        guard publicKeys[role] == own.publicKey else {
            throw KeyFolder.error(
                "key-invalid", publicFile(role), "does not match \(role.rawValue).key")
        }
        return BusSecurity(role: role, own: own, publicKeys: publicKeys, old: old)
    }

    /// Whether accounts other than the owner can read or write a file.
    public func isOpen(_ file: String) -> Bool {
        ((try? Files.mode(of: file)) ?? 0) & 0o077 != 0
    }

    /// Reads a role's key pair from its secret file.
    public func pair(of role: BusRole) throws(BusError) -> CurveKeyPair {
        let file = secretFile(role)
        guard let pair = CurveKeyPair(secret: try line(of: file)) else {
            throw KeyFolder.error("key-invalid", file, "contains no key of 40 characters")
        }
        return pair
    }

    /// Reads a public key file.
    public func publicKey(_ file: String) throws(BusError) -> CurvePublicKey {
        guard let key = CurvePublicKey(try line(of: file)) else {
            throw KeyFolder.error("key-invalid", file, "contains no key of 40 characters")
        }
        return key
    }

    /// The last word of a file, which is the key.
    private func line(of file: String) throws(BusError) -> String {
        guard Files.exists(file) else {
            throw KeyFolder.error("keys-missing", file, "does not exist")
        }
        do throws(SystemError) {
            let text = String(decoding: try Files.read(file, bytesMax: 4096), as: UTF8.self)
            return text.split(whereSeparator: \.isWhitespace).last.map { String($0) } ?? ""
        } catch {
            throw KeyFolder.error("key-unreadable", file, error.message)
        }
    }

    private static func error(_ code: String, _ file: String, _ message: String) -> BusError {
        BusError(
            code, "read keys", "JAGA_KEYS: \(file) \(message)",
            hint: "Generate the keys of all roles with 'jaga keys init'; for a service on another "
                + "machine copy its own .key and every .pub file.")
    }
}
