import Bus
import Hashing
import Runtime
import Store
import Wire

/// A key in a file of the secrets folder: 32 bytes as 64 hexadecimal digits.
///
/// Whoever needs it first makes it; where services that share one run on several machines, it is
/// copied by hand. One that is gone after something was sealed with it is not made anew in silence:
/// whoever wants that writes the word `new` into the file.
public struct KeyFile: Sendable {
    public let path: String
    private let folder: String
    private let hint: String
    /// What is lost without it.
    private let loss: String
    /// Who else has a copy; empty if nobody.
    private let sharing: String

    private init(
        _ name: String, in folder: String, hint: String, loss: String, sharing: String = ""
    ) {
        self.folder = folder
        self.hint = hint
        self.loss = loss
        self.sharing = sharing
        path = folder + "/" + name
    }

    /// In place of a key: make another one.
    private static let wish = "new"

    /// That of messages which membership asks the notifier to send.
    ///
    /// - Parameter secrets: the folder of secrets
    public static func messages(secrets: String) -> KeyFile {
        KeyFile(
            "message.key", in: secrets,
            hint: "Put the file of the backup back, or write 'new' into it and start membership: "
                + "codes that are on their way are lost. Then copy it to the notifier's home, if "
                + "that is another.", loss: "codes that are on their way",
            sharing: " (once membership has made it, copy it to the notifier's home, if that is "
                + "another)")
    }

    /// That which seals the keys of devices in ingest's store.
    ///
    /// - Parameter secrets: the folder of secrets
    public static func devices(secrets: String) -> KeyFile {
        KeyFile(
            "devices.key", in: secrets,
            hint: "Put the file of the backup back, or write 'new' into it and set the phones' "
                + "keys anew.", loss: "the keys of phones that encrypt, to be set anew")
    }

    /// Whether membership's store may have sealed messages: it has been used.
    public static func hasSealedMessages(_ store: Database) throws -> Bool {
        guard try store.hasTable("stream") else { return false }
        return try SQLiteBusStore(store).extents().contains {
            $0.stream == .directory && $0.head.sequence > 0
        }
    }

    /// Whether ingest's store has sealed keys of phones.
    public static func hasSealedDevices(_ store: Database) throws -> Bool {
        guard try store.hasTable("device_key") else { return false }
        return try store.scalar("SELECT count(*) FROM device_key") != .integer(0)
    }

    /// The key of the file, which is made with a new one if there is none.
    ///
    /// - Parameter isUsed: something is sealed with it, so there must be one, or the wish for one
    /// - Throws: ``MissingKeyFile``; ``UnusableKeyFile``; `OpenSecret`; errors of the system.
    public func establish(isUsed: Bool = false) throws -> [UInt8] {
        guard !Files.exists(path) || isWished else { return try read() }
        if isUsed { try refuseMissing() }
        let key = SecureRandom.bytes(SecretBox.keyBytes)
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Array((Hex.encode(key) + "\n").utf8), to: path, mode: 0o600)
        return key
    }

    private var isWished: Bool {
        guard let bytes = try? Files.read(path, bytesMax: 4096) else { return false }
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self) == KeyFile.wish
    }

    /// For a store in which something is sealed.
    ///
    /// - Throws: ``MissingKeyFile``
    public func refuseMissing() throws(MissingKeyFile) {
        guard Files.exists(path) else { throw MissingKeyFile(path: path, hint: wishing) }
    }

    /// How a new one is wished for, and at what price.
    public var wishing: String {
        let make = Files.isFolder(folder) ? "" : "mkdir -m 700 \(folder) && "
        return "Put the file of the backup back, or begin with a new key, without \(loss)"
            + "\(sharing): \(make)echo \(KeyFile.wish) >\(path)"
    }

    /// - Throws: ``UnusableKeyFile``; `OpenSecret`; errors of the system, also where there is no
    ///   file.
    public func read() throws -> [UInt8] {
        try refuseOpen()
        let line = try Files.read(path, bytesMax: 4096).prefix { $0 > 32 }
        guard let key = Hex.decode(String(decoding: line, as: UTF8.self)),
            key.count == SecretBox.keyBytes
        else { throw UnusableKeyFile(path: path, hint: hint) }
        return key
    }

    /// As ``read()``; that there is none yet is fine.
    public func check() throws { if Files.exists(path), !isWished { _ = try read() } }

    /// Stops a start where others can read the key; that there is none yet is fine, and the wish
    /// for one is no secret.
    public func refuseOpen() throws(OpenSecret) {
        guard !isWished else { return }
        try SecretFile.refuseOpen(path)
    }
}

/// The file of a key is gone, and things are sealed with it.
public struct MissingKeyFile: ExplainedError {
    let path: String
    public let hint: String

    public var code: String { "key-missing" }
    public var operation: String { "read \(path)" }
    public var message: String { "there is none, and the store has been used with one" }
}

/// The file of a key holds something else.
public struct UnusableKeyFile: ExplainedError {
    let path: String
    public let hint: String

    public var code: String { "unusable-key" }
    public var operation: String { "read \(path)" }
    public var message: String { "its first line is not a key of 64 hexadecimal digits" }
}
