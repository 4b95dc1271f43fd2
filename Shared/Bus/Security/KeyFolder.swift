import Glibc
import Hashing
import Runtime

/// The keys of a suite in files: `<role>.key` with the secret half, for whoever has that role
/// alone; `<role>.pub` with the public half, for all; `<role>.old.pub`, if it is there, with one
/// that is still accepted.
///
/// A file's last line is the key in Z85; the comment above says what it is.
public struct KeyFolder: Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    public func secretFile(_ role: BusRole) -> String { "\(path)/\(role.rawValue).key" }
    public func publicFile(_ role: BusRole) -> String { "\(path)/\(role.rawValue).pub" }
    public func oldFile(_ role: BusRole) -> String { "\(path)/\(role.rawValue).old.pub" }

    /// Files of keys that are here.
    public var existing: [String] {
        BusRole.allCases.flatMap { [secretFile($0), publicFile($0)] }.filter(Files.exists)
    }

    // MARK: Making

    /// Makes new pairs; secret halves are readable by their owner only.
    ///
    /// A secret goes to disk before its public half, and each file is replaced in one step.
    ///
    /// - Throws: ``BusError`` with `no-curve`; errors of the system.
    public func make(_ roles: [BusRole]) throws -> [BusRole: CurvePublicKey] {
        try Files.makeFolder(path, mode: 0o700)
        var made: [BusRole: CurvePublicKey] = [:]
        for role in roles {
            let pair = try CurveKeyPair.generate()
            let name = role.rawValue
            try write(
                pair.secret, "secret half of the key of \(name) on Jaga's bus: show it to nobody",
                to: secretFile(role), mode: 0o600)
            try write(
                pair.publicKey.text, "public half of the key of \(name) on Jaga's bus",
                to: publicFile(role), mode: 0o644)
            made[role] = pair.publicKey
        }
        return made
    }

    /// Makes the pairs of all roles in one step, unless another process has made them meanwhile.
    ///
    /// Services that start at the same time may all call this: exactly one set of keys appears.
    ///
    /// - Returns: whether this call made the keys
    /// - Throws: ``BusError`` with `no-curve`; errors of the system.
    @discardableResult
    public func makeOnce() throws -> Bool {
        let draft = KeyFolder("\(path).\(Hex.encode(SecureRandom.bytes(4))).new")
        do {
            _ = try draft.make(BusRole.allCases)
            try Files.move(draft.path, to: path)
            return true
        } catch {
            try? Files.removeTree(draft.path)
            guard let error = error as? SystemError, [ENOTEMPTY, EEXIST].contains(error.number)
            else { throw error }
            guard existing.isEmpty else { return false }
            // Something else lies in the folder.
            _ = try make(BusRole.allCases)
            return true
        }
    }

    private func write(
        _ key: String, _ comment: String, to path: String, mode: UInt32
    ) throws(SystemError) {
        try Files.write(Array("# \(comment)\n\(key)\n".utf8), to: path, mode: mode)
    }

    // MARK: Reading

    /// What is in these files for a process of that role.
    ///
    /// - Throws: ``BusError``: `keys-missing`, `key-invalid`, `key-shared`, `key-open`, naming the
    ///   file.
    func security(of role: BusRole) throws(BusError) -> BusSecurity {
        let own = try pair(of: role)
        guard !isOpen(secretFile(role)) else {
            throw BusError(
                "key-open", "read keys",
                "JAGA_KEYS: \(secretFile(role)) can be read by others than its owner",
                hint: "chmod 600 \(Shell.quoted(secretFile(role))); who has read it can speak for "
                    + "\(role.rawValue): if in doubt, make a new one with 'jaga keys init'.")
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
            let holders = [publicKeys, old].flatMap { keys in
                keys.filter { $0.value == key && $0.key != other }.keys
            }
            if let same = holders.min(by: { $0.rawValue < $1.rawValue }) {
                throw KeyFolder.error(
                    "key-shared", oldFile(other), "is also a key of \(same.rawValue)")
            }
        }
        guard publicKeys[role] == own.publicKey else {
            throw KeyFolder.error(
                "key-invalid", publicFile(role), "is not the other half of \(role.rawValue).key")
        }
        return BusSecurity(role: role, own: own, publicKeys: publicKeys, old: old)
    }

    /// Whether others than its owner can read a file, or write it.
    public func isOpen(_ file: String) -> Bool {
        ((try? Files.rights(of: file)) ?? 0) & 0o077 != 0
    }

    /// A role's pair, from its secret half.
    public func pair(of role: BusRole) throws(BusError) -> CurveKeyPair {
        let file = secretFile(role)
        guard let pair = CurveKeyPair(secret: try line(of: file)) else {
            throw KeyFolder.error("key-invalid", file, "holds no key of 40 characters")
        }
        return pair
    }

    /// The public key in a file.
    public func publicKey(_ file: String) throws(BusError) -> CurvePublicKey {
        guard let key = CurvePublicKey(try line(of: file)) else {
            throw KeyFolder.error("key-invalid", file, "holds no key of 40 characters")
        }
        return key
    }

    /// The last word: the key, whatever stands above it.
    private func line(of file: String) throws(BusError) -> String {
        guard Files.exists(file) else {
            throw KeyFolder.error("keys-missing", file, "is not there")
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
            hint: "'jaga keys init' makes the keys of all roles; a service on another machine "
                + "needs its own .key and every .pub of the same folder.")
    }
}
