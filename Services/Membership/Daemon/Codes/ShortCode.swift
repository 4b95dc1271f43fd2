import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Code of six digits, sent to a number or address.
struct ShortCode: Hashable {
    let text: String

    static let digits = 6

    /// Creates a random code.
    init() {
        let number = SecureRandom.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        text = String(repeating: "0", count: ShortCode.digits - digits.count) + digits
    }

    /// Parses a typed code, with optional separators; nil if it is invalid.
    init?(_ typed: String) {
        let text = typed.filter { !" -\u{A0}".contains($0) }
        guard text.utf8.count == ShortCode.digits,
            text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Digest of the code for a message or contact point, which is stored in its place.
    ///
    /// - Parameter key: the message key. Without it, all codes could be tried at once.
    func digest(for subject: CodeSubject, key: [UInt8]) -> CodeDigest {
        switch subject {
        case .message(let id): digest("code", id.raw, key)
        case .contact(let id): digest("contact-code", id.raw, key)
        }
    }

    /// Digest of the code with which a contact signs in.
    func digest(for contact: SignInContact, key: [UInt8]) -> CodeDigest {
        digest("sign-in-code", contact.key.raw, key)
    }

    private func digest(_ purpose: String, _ id: ID128, _ key: [UInt8]) -> CodeDigest {
        let bytes = Array(purpose.utf8) + id.bytes + Array(text.utf8)
        return CodeDigest(Hex.encode(Hash.blake2b256(bytes, key: key)))
    }
}

extension Fields {
    /// The code in a request's body.
    func code() throws(FieldError) -> ShortCode {
        let hint = "use the six digits of the message, such as 123456"
        guard let text = try text("code") else { throw .missing("code", hint: hint) }
        guard let code = ShortCode(text) else {
            throw .must("have six digits", at: "code", not: .string(text), hint: hint)
        }
        return code
    }
}

extension ChangeReader {
    /// The code in the request's body.
    func typedCode() throws(Problem) -> ShortCode {
        let body = try body()
        do throws(FieldError) {
            return try Fields(body, known: ["code"]).code()
        } catch {
            throw Problem(error)
        }
    }
}

extension RequestedMessage {
    init(_ order: CodeOrder, _ code: ShortCode) {
        self.init(
            channel: .sms, address: order.number, sender: order.sender, locale: order.locale,
            content: .consentCode(code.text))
    }

    /// - Parameters:
    ///   - code: of a notice with a code
    ///   - site: name of this site
    init(_ notice: AccountNotice, _ code: ShortCode?, site: String) {
        self.init(
            channel: notice.channel, address: notice.address, sender: site,
            locale: notice.locale, content: Content(notice.content, code?.text ?? ""))
    }
}

extension RequestedMessage.Content {
    fileprivate init(_ content: AccountNotice.Content, _ code: String) {
        self =
            switch content {
            case .signInCode: .account(.signInCode(code))
            case .contactCode: .account(.contactCode(code))
            case .contactReminder: .account(.contactReminder)
            case .contactTest: .account(.contactTest)
            case .contactRemoved: .account(.contactRemoved)
            case .newSession: .account(.newSession)
            case .decoy: .decoy
            }
    }
}
