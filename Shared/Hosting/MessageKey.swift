import Hashing
import Model
import Runtime

/// The key of messages that membership asks the notifier to send, in a file of the secrets folder
/// that both can read: 32 bytes as 64 hexadecimal digits.
///
/// Membership makes it; where the services run on several machines, it is copied by hand.
public struct MessageKey: Sendable {
    public let path: String
    private let folder: String

    /// - Parameter home: the suite's home folder
    public init(home: String) {
        folder = home + "/secrets"
        path = folder + "/message.key"
    }

    /// The key of the file, which is made with a new one if there is none.
    ///
    /// - Throws: ``UnusableMessageKey``; errors of the system.
    public func establish() throws -> [UInt8] {
        guard !Files.exists(path) else { return try read() }
        let key = SecureRandom.bytes(SecretBox.keyBytes)
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Array((Hex.encode(key) + "\n").utf8), to: path, mode: 0o600)
        return key
    }

    /// - Throws: ``UnusableMessageKey``; errors of the system, also where there is no file.
    public func read() throws -> [UInt8] {
        let line = try Files.read(path, bytesMax: 4096).prefix { $0 > 32 }
        guard let key = Hex.decode(String(decoding: line, as: UTF8.self)),
            key.count == SecretBox.keyBytes
        else { throw UnusableMessageKey(path: path) }
        return key
    }

    /// Makes a message unreadable for whoever has not the key.
    public static func seal(_ bytes: [UInt8], key: [UInt8]) -> String {
        let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
        return Base64.encode(SecretBox.seal(bytes, key: key, nonce: nonce))
    }

    /// What ``seal(_:key:)`` was given; nil for another key, or for what is none.
    public static func open(_ sealed: String, key: [UInt8]) -> [UInt8]? {
        Base64.decode(sealed).flatMap { SecretBox.open($0, key: key) }
    }
}

/// The file of the message key holds something else.
public struct UnusableMessageKey: ExplainedError {
    let path: String

    public var code: String { "unusable-message-key" }
    public var operation: String { "read \(path)" }
    public var message: String { "its first line is not a key of 64 hexadecimal digits" }
    public var hint: String {
        "Remove the file and start membership: it makes a new key, and asks of before are lost."
    }
}
