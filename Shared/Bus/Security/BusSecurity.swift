import Runtime

/// Keys of a process and of its peers, and where keys are required.
public struct BusSecurity: Sendable {
    /// The role of this process.
    public let role: BusRole
    let own: CurveKeyPair
    private let publicKeys: [BusRole: CurvePublicKey]
    private let rolesByKey: [[UInt8]: BusRole]

    /// - Parameters:
    ///   - own: this process's key pair
    ///   - publicKeys: the current key of each role
    ///   - old: further accepted keys
    public init(
        role: BusRole, own: CurveKeyPair, publicKeys: [BusRole: CurvePublicKey],
        old: [BusRole: CurvePublicKey] = [:]
    ) {
        self.role = role
        self.own = own
        self.publicKeys = publicKeys
        var rolesByKey: [[UInt8]: BusRole] = [:]
        for (role, key) in old { rolesByKey[key.bytes] = role }
        for (role, key) in publicKeys { rolesByKey[key.bytes] = role }
        self.rolesByKey = rolesByKey
    }

    /// The role of a public key; nil if it is unknown.
    func role(of key: [UInt8]) -> BusRole? { rolesByKey[key] }

    /// The key that a peer must authenticate with.
    func publicKey(of peer: String) throws(BusError) -> CurvePublicKey {
        guard let role = BusRole(rawValue: peer), let key = publicKeys[role] else {
            throw BusError(
                "keys-missing", "connect to \(peer)", "no public key of \(peer)",
                hint: "Name peers by their roles.")
        }
        return key
    }

    /// Whether an endpoint is reachable from this machine only: `ipc`, `inproc`, and `tcp` on
    /// loopback.
    public static func isLocal(endpoint: String) -> Bool {
        let parts = endpoint.split(separator: "://", maxSplits: 1)
        guard parts.count == 2, parts[0] == "tcp" else {
            return ["ipc", "inproc"].contains(parts.first)
        }
        return isLocal(host: parts[1].prefix { $0 != ":" })
    }

    /// Whether a host is loopback: 127.0.0.0/8 or `localhost`. Host names that merely start like
    /// such an address are not.
    public static func isLocal(host: some StringProtocol) -> Bool {
        if host == "localhost" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map {
            UInt8($0)
        }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}

extension BusSecurity {
    /// Settings about keys, for every process that uses the bus.
    public static let settings = [
        Setting(
            "JAGA_CURVE", .choice(["always", "never"]), default: "always",
            help: "Encrypt and authenticate streams. never: every account on this machine can read "
                + "and forge them."),
        Setting(
            "JAGA_KEYS", .path,
            help: "Folder of stream keys; default: secrets/bus in the home folder."),
    ]

    /// The configured folder of keys.
    public static func folder(_ configuration: Configuration) -> KeyFolder {
        KeyFolder(
            configuration.optional("JAGA_KEYS")
                ?? configuration.text("JAGA_HOME") + "/secrets/bus")
    }

    /// Whether streams are protected by keys.
    public static func isEnabled(_ configuration: Configuration) -> Bool {
        configuration.text("JAGA_CURVE") != "never"
    }

    /// The folder in which a service generates the suite's keys at its first start; nil if it must
    /// not.
    ///
    /// Keys are generated only if all services share one home on this machine: other services could
    /// not know keys generated elsewhere.
    ///
    /// - Parameters:
    ///   - bindAddress: where this process binds
    ///   - hosts: hosts that it connects to
    public static func folderForNewKeys(
        _ configuration: Configuration, bindAddress: String, hosts: [String]
    ) -> KeyFolder? {
        guard isEnabled(configuration), configuration.optional("JAGA_KEYS") == nil,
            ([bindAddress] + hosts).allSatisfy({ isLocal(host: $0) })
        else { return nil }
        let folder = folder(configuration)
        return folder.existing.isEmpty ? folder : nil
    }

    /// Rejects streams without keys beyond loopback.
    ///
    /// - Parameters:
    ///   - bindAddress: where this process binds
    ///   - hosts: hosts that it connects to
    /// - Throws: ``BusError`` `unprotected`
    public static func rejectUnprotected(
        _ configuration: Configuration, bindAddress: String, hosts: [String]
    ) throws(BusError) {
        guard !isEnabled(configuration),
            let host = ([bindAddress] + hosts).first(where: { !isLocal(host: $0) })
        else { return }
        throw .unprotected(host)
    }

    /// Reads the keys of a process; nil with `JAGA_CURVE=never`.
    ///
    /// - Parameter configuration: with ``settings``
    /// - Throws: ``BusError``: `keys-missing`, `key-invalid`, `key-shared`, `key-open`, with the
    ///   file's name
    public static func read(
        _ configuration: Configuration, role: BusRole
    ) throws(BusError) -> BusSecurity? {
        isEnabled(configuration) ? try folder(configuration).security(of: role) : nil
    }
}

extension BusError {
    /// An endpoint or host beyond loopback is used without keys.
    static func unprotected(_ endpoint: String) -> BusError {
        BusError(
            "unprotected", "use \(endpoint)", "it is beyond loopback, and keys are disabled",
            hint: "Set JAGA_CURVE=always, and generate keys with 'jaga keys init'.")
    }
}
