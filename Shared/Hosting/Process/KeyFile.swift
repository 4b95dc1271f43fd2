import Bus
import Hashing
import Runtime
import Store
import Wire

/// A key in a file of the secrets folder: 32 bytes as 64 hexadecimal digits.
///
/// The first service that needs it creates it. If services that share a key run on several
/// machines, the operator copies it. A missing key with which something was encrypted is not
/// replaced silently: the operator asks for a new one by writing the word `new` into the file.
public struct KeyFile: Sendable {
    public let path: String
    private let folder: String
    private let hint: String
    /// What is lost without the key.
    private let loss: String
    /// The other services that need a copy; empty if there are none.
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

    /// Content of a file that asks for a new key.
    private static let recreateWord = "new"

    /// The key of messages that membership asks the notifier to send.
    ///
    /// - Parameter secrets: path of the secrets folder
    public static func messages(secrets: String) -> KeyFile {
        KeyFile(
            "message.key", in: secrets,
            hint: "Restore the file from the backup, or write 'new' into it and start membership: "
                + "codes that have not been sent yet are lost. Then copy it to the notifier's home "
                + "if that is another one.", loss: "codes that have not been sent yet",
            sharing: " (once membership has created it, copy it to the notifier's home if that is "
                + "another one)")
    }

    /// The key that encrypts the keys of devices in ingest's store.
    ///
    /// - Parameter secrets: path of the secrets folder
    public static func devices(secrets: String) -> KeyFile {
        KeyFile(
            "devices.key", in: secrets,
            hint: "Restore the file from the backup, or write 'new' into it and set the phones' "
                + "keys again.", loss: "the keys of phones that encrypt, which must be set again")
    }

    /// Whether membership's store may contain encrypted messages, because it has been used.
    public static func hasSealedMessages(_ store: Database) throws -> Bool {
        guard try store.hasTable("stream") else { return false }
        return try SQLiteBusStore(store).extents().contains {
            $0.stream == .directory && $0.head.sequence > 0
        }
    }

    /// Whether ingest's store contains encrypted keys of phones.
    public static func hasSealedDevices(_ store: Database) throws -> Bool {
        guard try store.hasTable("device_key") else { return false }
        return try store.scalar("SELECT count(*) FROM device_key") != .integer(0)
    }

    /// Reads the key; creates the file with a new key if it does not exist or contains `new`.
    ///
    /// - Parameter isUsed: whether something is encrypted with the key, so that the file must exist
    /// - Throws: ``MissingKeyFile``; ``UnusableKeyFile``; `OpenSecret`; `SystemError`
    public func loadOrCreate(isUsed: Bool = false) throws -> [UInt8] {
        guard !Files.exists(path) || isRecreationRequested else { return try read() }
        if isUsed { try requireExisting() }
        let key = SecureRandom.bytes(SecretBox.keyBytes)
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Array((Hex.encode(key) + "\n").utf8), to: path, mode: 0o600)
        return key
    }

    private var isRecreationRequested: Bool {
        guard let bytes = try? Files.read(path, bytesMax: 4096) else { return false }
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self) == KeyFile.recreateWord
    }

    /// Checks that the file exists, for a store in which something is encrypted with it.
    ///
    /// - Throws: ``MissingKeyFile``
    public func requireExisting() throws(MissingKeyFile) {
        guard Files.exists(path) else { throw MissingKeyFile(path: path, hint: recreationHint) }
    }

    /// Instruction for replacing a missing key, with what is lost by that.
    public var recreationHint: String {
        let make = Files.isFolder(folder) ? "" : "mkdir -m 700 \(folder) && "
        return "Restore the file from the backup, or start with a new key, without \(loss)"
            + "\(sharing): \(make)echo \(KeyFile.recreateWord) >\(path)"
    }

    /// Reads the key of an existing file.
    ///
    /// - Throws: ``UnusableKeyFile``; `OpenSecret`; `SystemError`, also if the file does not exist
    public func read() throws -> [UInt8] {
        try requirePrivate()
        let line = try Files.read(path, bytesMax: 4096).prefix { $0 > 32 }
        guard let key = Hex.decode(String(decoding: line, as: UTF8.self)),
            key.count == SecretBox.keyBytes
        else { throw UnusableKeyFile(path: path, hint: hint) }
        return key
    }

    /// Checks that an existing file can be read as ``read()`` does. Accepts a missing file.
    ///
    /// - Throws: ``UnusableKeyFile``; `OpenSecret`; `SystemError`
    public func check() throws { if Files.exists(path), !isRecreationRequested { _ = try read() } }

    /// Checks that other accounts cannot read the key. Accepts a missing file, and one that asks
    /// for a new key.
    ///
    /// - Throws: `OpenSecret`
    public func requirePrivate() throws(OpenSecret) {
        guard !isRecreationRequested else { return }
        try SecretFile.rejectOpen(path)
    }
}

/// Error: a key file is missing, and something is encrypted with its key.
public struct MissingKeyFile: ExplainedError {
    let path: String
    public let hint: String

    public var code: String { "key-missing" }
    public var operation: String { "read \(path)" }
    public var message: String { "the file is missing, and the store has been used with its key" }
}

/// Error: a key file contains no key.
public struct UnusableKeyFile: ExplainedError {
    let path: String
    public let hint: String

    public var code: String { "unusable-key" }
    public var operation: String { "read \(path)" }
    public var message: String { "its first line is not a key of 64 hexadecimal digits" }
}
