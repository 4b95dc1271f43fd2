import Foundation

/// Kannel with a fake carrier. The number selects the outcome: see `Tests/Gateways/README.md`.
public final class KannelKit: GatewayKit {
    /// An SMS, or one part of a long one, as the carrier received it.
    public struct SMS: Hashable, Sendable {
        public let sender: String
        public let recipient: String
        /// True for UCS-2, false for GSM 03.38.
        public let isUCS2: Bool
        public let text: String
        /// Whether it is another part of the message before it.
        public let isContinuation: Bool

        public init(
            sender: String, recipient: String, isUCS2: Bool, text: String,
            isContinuation: Bool = false
        ) {
            self.sender = sender
            self.recipient = recipient
            self.isUCS2 = isUCS2
            self.text = text
            self.isContinuation = isContinuation
        }
    }

    public static let isInstalled = GatewayKit.isInstalled(
        "/usr/sbin/bearerbox", "/usr/sbin/smsbox", "/usr/lib/kannel/test/fakesmsc")
    public static let user = "jaga"
    public static let password = "s3cret"

    public init() throws {
        try super.init(
            "kannel",
            ports: [
                "SEND", "ADMIN", "BOX", "FAKE", "DOWN", "CARRIER", "REPORTS", "INCOMING",
            ])
    }

    /// Address for sending messages.
    public var url: String { "http://127.0.0.1:\(port("SEND"))/cgi-bin/sendsms" }

    /// Address for incoming texts; set it before the start.
    public var replyAddress: String? {
        didSet { settings["REPLIES"] = replyAddress }
    }

    /// Delivers an incoming text.
    public func receive(_ text: String, from sender: String) async throws {
        let line = "\(sender) 40404 text \(text)"
        let capture = try Capture(
            "/bin/bash",
            [
                "-c", "printf '%s\\n' \"$1\" >/dev/tcp/127.0.0.1/$2", "receive", line,
                "\(port("INCOMING"))",
            ])
        guard await eventually({ capture.process.reap() != nil }) else {
            throw TestFailure("Kannel takes no text")
        }
    }

    /// Everything that the fake carrier received, oldest first.
    public var messages: [SMS] {
        text(of: "fakesmsc.out").split(separator: "\n").compactMap(KannelKit.message)
    }

    /// `… Got message 1: <40404 +15550000001 text hello>`
    private static func message(_ line: Substring) -> SMS? {
        guard
            let start = line.range(
                of: ": <",
                range: line.range(of: "Got message").map {
                    $0.upperBound..<line.endIndex
                })
        else { return nil }
        let content = line[start.upperBound...].dropLast()
        let words = content.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4 else { return nil }
        switch words[2] {
        case "text":
            return SMS(
                sender: String(words[0]), recipient: String(words[1]), isUCS2: false,
                text: String(words[3]))
        case "ucs-2":
            return SMS(
                sender: String(words[0]), recipient: String(words[1]), isUCS2: true,
                text: utf16(bytes(words[3])))
        case "udh":
            // udh HEADER data TEXT, with any coding: texts in GSM 03.38 have no control characters.
            let parts = words[3].split(separator: " ", maxSplits: 2)
            guard parts.count == 3 else { return nil }
            let text = bytes(parts[2])
            let isUCS2 = text.contains { ($0 < 32 && $0 != 10) || $0 >= 0x80 }
            // The last byte of the header is the number of the part.
            return SMS(
                sender: String(words[0]), recipient: String(words[1]), isUCS2: isUCS2,
                text: isUCS2 ? utf16(text) : String(decoding: text, as: UTF8.self),
                isContinuation: bytes(parts[0]).last != 1)
        default: return nil
        }
    }

    /// Percent-encoded bytes.
    private static func bytes(_ escaped: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(escaped.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2 {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 32 : byte)
            }
        }
        return bytes
    }

    /// UTF-16, big endian.
    private static func utf16(_ bytes: [UInt8]) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Kannel accepts requests and does not respond until ``thaw()``.
    public func freeze() { send(SIGSTOP, to: "bearerbox") }
    public func thaw() { send(SIGCONT, to: "bearerbox") }
}
