import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Six digits that somebody reads in a text and tells to whoever wants to send more of them.
struct MessageCode: Hashable {
    let text: String

    static let digits = 6

    /// A new one.
    init() {
        let number = SecureRandom.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        text = String(repeating: "0", count: MessageCode.digits - digits.count) + digits
    }

    /// As people type it, with blanks between the digits; nil when it is none.
    init?(_ typed: String) {
        let text = typed.filter { !" -\u{A0}".contains($0) }
        guard text.utf8.count == MessageCode.digits,
            text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        self.text = text
    }

    /// What is kept of it.
    ///
    /// - Parameter key: the message key, without which a million codes are tried in a moment
    func digest(for message: MessageID, key: [UInt8]) -> CodeDigest {
        let bytes = Array("code".utf8) + message.raw.bytes + Array(text.utf8)
        return CodeDigest(Hex.encode(Hash.blake2b256(bytes, key: key)))
    }
}

extension ChangeReader {
    /// The code that a caller enters.
    func typedCode() throws(Problem) -> MessageCode {
        let hint = "six digits, such as 123456, from the text that the number got"
        let fields = try Fields(body(), known: ["code"], readOnly: [])
        guard let text = try fields.text("code") else { throw fields.missing("code", hint) }
        guard let code = MessageCode(text) else {
            throw fields.wrong("code", "this is not a code", hint)
        }
        return code
    }
}

extension RequestedMessage {
    init(_ order: CodeOrder, _ code: MessageCode) {
        self.init(
            channel: .sms, address: order.number, sender: order.sender, locale: order.locale,
            code: code.text)
    }
}
