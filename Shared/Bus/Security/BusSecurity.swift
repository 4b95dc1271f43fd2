import Runtime

/// The keys by which a process is known on the bus and knows the others, and where they are used.
public struct BusSecurity: Sendable {
    /// Whom this process speaks for.
    public let role: BusRole
    let own: CurveKeyPair
    private let publicKeys: [BusRole: CurvePublicKey]
    private let holders: [[UInt8]: BusRole]

    /// - Parameters:
    ///   - own: this process's pair
    ///   - publicKeys: one of each role
    ///   - old: further ones that are still accepted
    public init(
        role: BusRole, own: CurveKeyPair, publicKeys: [BusRole: CurvePublicKey],
        old: [BusRole: CurvePublicKey] = [:]
    ) {
        self.role = role
        self.own = own
        self.publicKeys = publicKeys
        var holders: [[UInt8]: BusRole] = [:]
        for (role, key) in old { holders[key.bytes] = role }
        for (role, key) in publicKeys { holders[key.bytes] = role }
        self.holders = holders
    }

    /// Whose public key it is; nil for a stranger's.
    func holder(of key: [UInt8]) -> BusRole? { holders[key] }

    /// The key that whoever keeps these streams must prove to have.
    func publicKey(of peer: String) throws(BusError) -> CurvePublicKey {
        guard let role = BusRole(rawValue: peer), let key = publicKeys[role] else {
            throw BusError(
                "keys-missing", "connect to \(peer)", "there is no public key of \(peer)",
                hint: "Peers are named by their roles.")
        }
        return key
    }

    /// Whether only this machine reaches an endpoint: `ipc`, `inproc`, and `tcp` on loopback.
    public static func isLocal(endpoint: String) -> Bool {
        let parts = endpoint.split(separator: "://", maxSplits: 1)
        guard parts.count == 2, parts[0] == "tcp" else {
            return ["ipc", "inproc"].contains(parts.first)
        }
        return isLocal(host: parts[1].prefix { $0 != ":" })
    }

    /// Whether a host is this machine's loopback: 127.0.0.0/8 or `localhost`. A name that only
    /// begins like such an address is none.
    public static func isLocal(host: some StringProtocol) -> Bool {
        if host == "localhost" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map {
            UInt8($0)
        }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}

extension BusSecurity {
    /// What every process that uses the bus can be told about keys.
    public static let settings = [
        Setting(
            "JAGA_CURVE", .choice(["always", "never"]), default: "always",
            help: "Protect streams with keys. never: every account on this machine can read and "
                + "forge them."),
        Setting(
            "JAGA_KEYS", .path,
            help: "Folder of the keys for streams; else secrets/bus in the home folder."),
    ]

    /// The folder of keys that settings name.
    public static func folder(_ configuration: Configuration) -> KeyFolder {
        KeyFolder(
            configuration.optional("JAGA_KEYS")
                ?? configuration.text("JAGA_HOME") + "/secrets/bus")
    }

    /// Whether streams are protected by keys.
    public static func isWanted(_ configuration: Configuration) -> Bool {
        configuration.text("JAGA_CURVE") != "never"
    }

    /// The folder in which a service makes the keys of the suite at its first start; nil where it
    /// must not, or need not.
    ///
    /// A service makes them only where all services share one home on this machine: keys made
    /// anywhere else would be unknown to the other services.
    ///
    /// - Parameters:
    ///   - bindAddress: where this process binds
    ///   - hosts: where it connects to
    public static func folderToFill(
        _ configuration: Configuration, bindAddress: String, hosts: [String]
    ) -> KeyFolder? {
        guard isWanted(configuration), configuration.optional("JAGA_KEYS") == nil,
            ([bindAddress] + hosts).allSatisfy({ isLocal(host: $0) })
        else { return nil }
        let folder = folder(configuration)
        return folder.existing.isEmpty ? folder : nil
    }

    /// Refuses streams without keys that leave this machine's loopback.
    ///
    /// - Parameters:
    ///   - bindAddress: where this process binds
    ///   - hosts: where it connects to
    /// - Throws: ``BusError`` `unprotected`
    public static func refuseUnprotected(
        _ configuration: Configuration, bindAddress: String, hosts: [String]
    ) throws(BusError) {
        guard !isWanted(configuration),
            let host = ([bindAddress] + hosts).first(where: { !isLocal(host: $0) })
        else { return }
        throw .unprotected(host)
    }

    /// The keys of a process; nil with `JAGA_CURVE=never`.
    ///
    /// - Parameter configuration: with ``settings``
    /// - Throws: ``BusError``: `keys-missing`, `key-invalid`, `key-shared`, `key-open`, naming the
    ///   file.
    public static func read(
        _ configuration: Configuration, role: BusRole
    ) throws(BusError) -> BusSecurity? {
        isWanted(configuration) ? try folder(configuration).security(of: role) : nil
    }
}

extension BusError {
    /// An endpoint or host beyond loopback is used without keys.
    static func unprotected(_ endpoint: String) -> BusError {
        BusError(
            "unprotected", "use \(endpoint)", "it is beyond loopback, and there are no keys",
            hint: "Leave JAGA_CURVE at always, and make keys with 'jaga keys init'.")
    }
}
