import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Confirmation code of six digits, sent to a number whose owner passes it on.
struct MessageCode: Hashable {
    let text: String

    static let digits = 6

    /// Creates a random code.
    init() {
        let number = SecureRandom.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        text = String(repeating: "0", count: MessageCode.digits - digits.count) + digits
    }

    /// Parses a typed code, with optional separators; nil if it is invalid.
    init?(_ typed: String) {
        let text = typed.filter { !" -\u{A0}".contains($0) }
        guard text.utf8.count == MessageCode.digits,
            text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Digest of the code, which is stored in its place.
    ///
    /// - Parameter key: the message key. Without it, all codes could be tried at once.
    func digest(for message: MessageID, key: [UInt8]) -> CodeDigest {
        let bytes = Array("code".utf8) + message.raw.bytes + Array(text.utf8)
        return CodeDigest(Hex.encode(Hash.blake2b256(bytes, key: key)))
    }
}

extension ChangeReader {
    /// The code in the request's body.
    func typedCode() throws(Problem) -> MessageCode {
        let hint = "use the six digits of the text message, such as 123456"
        let body = try body()
        do throws(FieldError) {
            guard let text = try Fields(body, known: ["code"]).text("code") else {
                throw .missing("code", hint: hint)
            }
            guard let code = MessageCode(text) else {
                throw .must("have six digits", at: "code", not: .string(text), hint: hint)
            }
            return code
        } catch {
            throw Problem(error)
        }
    }
}

extension RequestedMessage {
    init(_ order: CodeOrder, _ code: MessageCode) {
        self.init(
            channel: .sms, address: order.number, sender: order.sender, locale: order.locale,
            code: code.text)
    }
}
