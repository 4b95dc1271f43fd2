import Runtime

/// The keys by which a process is known on the bus and knows the others, and where they are used.
public struct BusSecurity: Sendable {
    /// Whom this process speaks for.
    public let role: BusRole
    /// Also where nobody but this machine can listen.
    public let isAlways: Bool
    let own: CurveKeyPair
    private let publicKeys: [BusRole: CurvePublicKey]
    private let holders: [[UInt8]: BusRole]

    /// - Parameters:
    ///   - own: this process's pair
    ///   - publicKeys: one of each role
    ///   - old: further ones that are still accepted
    public init(
        role: BusRole, own: CurveKeyPair, publicKeys: [BusRole: CurvePublicKey],
        old: [BusRole: CurvePublicKey] = [:], isAlways: Bool = true
    ) {
        self.role = role
        self.own = own
        self.publicKeys = publicKeys
        self.isAlways = isAlways
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

    /// Whether a socket at this endpoint is to be protected.
    func protects(_ endpoint: String) -> Bool {
        isAlways || !BusSecurity.isLocal(endpoint: endpoint)
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
            "JAGA_CURVE", .choice(["auto", "always"]), default: "auto",
            help: "Whether streams are protected by keys beyond loopback only, or always."),
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

    /// Why a process's streams need keys; nil where they need none.
    ///
    /// - Parameters: as of ``read(_:role:bindAddress:hosts:)``
    public static func reason(
        _ configuration: Configuration, bindAddress: String, hosts: [String]
    ) -> String? {
        if configuration.text("JAGA_CURVE") == "always" { return "JAGA_CURVE is always" }
        if !isLocal(host: bindAddress) { return "JAGA_BIND is \(bindAddress), beyond loopback" }
        return hosts.first { !isLocal(host: $0) }.map { "\($0) is another machine" }
    }

    /// What protects a process's streams; nil where nothing needs to be.
    ///
    /// Who binds beyond loopback uses keys everywhere: the others of its machine are told the same,
    /// and a socket bound to all addresses is one of loopback too.
    ///
    /// - Parameters:
    ///   - configuration: with ``settings``
    ///   - bindAddress: where this process, or the suite that it looks at, binds
    ///   - hosts: where it connects to
    /// - Throws: ``BusError``: `keys-missing`, `key-invalid`, `key-shared`, `key-open`, naming the
    ///   file.
    public static func read(
        _ configuration: Configuration, role: BusRole, bindAddress: String, hosts: [String]
    ) throws(BusError) -> BusSecurity? {
        guard let reason = reason(configuration, bindAddress: bindAddress, hosts: hosts) else {
            return nil
        }
        let isAlways =
            configuration.text("JAGA_CURVE") == "always" || !isLocal(host: bindAddress)
        return try folder(configuration).security(of: role, isAlways: isAlways, because: reason)
    }
}
