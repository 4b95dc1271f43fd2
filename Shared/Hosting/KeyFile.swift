import Hashing
import Runtime

/// A key in a file of the secrets folder: 32 bytes as 64 hexadecimal digits.
///
/// Whoever needs it first makes it; where services that share one run on several machines, it is
/// copied by hand.
public struct KeyFile: Sendable {
    public let path: String
    private let folder: String
    private let hint: String

    private init(_ name: String, in folder: String, hint: String) {
        self.folder = folder
        self.hint = hint
        path = folder + "/" + name
    }

    /// That of messages which membership asks the notifier to send.
    ///
    /// - Parameter secrets: the folder of secrets
    public static func messages(secrets: String) -> KeyFile {
        KeyFile(
            "message.key", in: secrets,
            hint: "Remove the file and start membership: it makes a new key, and asks of before "
                + "are lost.")
    }

    /// That which seals the keys of devices in ingest's store.
    ///
    /// - Parameter secrets: the folder of secrets
    public static func devices(secrets: String) -> KeyFile {
        KeyFile(
            "devices.key", in: secrets,
            hint: "Put the file of the backup back; without one, remove it and set the phones' "
                + "keys anew.")
    }

    /// The key of the file, which is made with a new one if there is none.
    ///
    /// - Throws: ``UnusableKeyFile``; `OpenSecret`; errors of the system.
    public func establish() throws -> [UInt8] {
        guard !Files.exists(path) else { return try read() }
        let key = SecureRandom.bytes(SecretBox.keyBytes)
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Array((Hex.encode(key) + "\n").utf8), to: path, mode: 0o600)
        return key
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
    public func check() throws { if Files.exists(path) { _ = try read() } }

    /// Stops a start where others can read the file; that there is none yet is fine.
    public func refuseOpen() throws(OpenSecret) { try SecretFile.refuseOpen(path) }
}

/// The file of a key holds something else.
public struct UnusableKeyFile: ExplainedError {
    let path: String
    public let hint: String

    public var code: String { "unusable-key" }
    public var operation: String { "read \(path)" }
    public var message: String { "its first line is not a key of 64 hexadecimal digits" }
}
