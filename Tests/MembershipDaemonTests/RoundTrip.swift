import Hashing
import Model
import Parsing
import Web

@testable import MembershipCore
@testable import MembershipDaemon

/// Invariant of what strangers send to sign in and to join: it is rejected, or read within the
/// bounds of the model. Checked by tests with samples, and by the fuzzer.
enum RoundTrip {
    /// What the bytes are.
    enum Form: UInt8, CaseIterable {
        /// The value of a `Cookie` header.
        case cookie
        /// Bodies of requests without credentials.
        case codeRequest, session, activation, invitationToken
        /// Bodies about invitations, of people with a session.
        case invitation, acceptance
    }

    /// An input: the form in the first byte, then the bytes.
    static func input(_ form: Form, _ bytes: [UInt8]) -> [UInt8] { [form.rawValue] + bytes }

    /// Describes a violation; nil if the input is rejected, or is read as what it may be.
    static func complaint(about input: [UInt8]) -> String? {
        let forms = UInt8(Form.allCases.count)
        guard let first = input.first, let form = Form(rawValue: first % forms) else { return nil }
        let bytes = Array(input.dropFirst())
        switch form {
        case .cookie: return complaint(aboutCookie: String(decoding: bytes, as: UTF8.self))
        case .codeRequest:
            let code = ShortCode("123456") ?? ShortCode()
            return (try? reader(bytes).codeRequest(code)).flatMap { complaint(about: $0.contact) }
        case .session: return complaint(aboutSession: bytes)
        case .activation: return complaint(aboutActivation: bytes)
        case .invitation: return complaint(aboutInvitation: bytes)
        case .invitationToken:
            _ = (try? request(bytes).json()).flatMap { try? InvitationBody.token($0) }
            return nil
        case .acceptance:
            _ = (try? request(bytes).json()).flatMap { try? InvitationBody.acceptance($0) }
            return nil
        }
    }

    private static func request(_ bytes: [UInt8]) -> Request {
        Request(id: 1, method: .post, path: "/v1/sessions", body: bytes)
    }

    private static func reader(_ bytes: [UInt8]) -> SignInReader {
        SignInReader(request: request(bytes), messageKey: Array(repeating: 7, count: 32))
    }

    // MARK: Cookies

    private static func complaint(aboutCookie text: String) -> String? {
        var headers: Headers = ["Host": "127.0.0.1:8080"]
        headers.append("Cookie", text)
        // A second header, as proxies may split them.
        headers.append("Cookie", "other=1; \(text)")
        let request = Request(id: 1, method: .get, path: "/v1/sessions", headers: headers)
        if let token = request.sessionToken {
            guard token.utf8.count == 43, text.contains(token) else {
                return "the session token \(token) is read"
            }
        }
        for form in [SessionCookie.secure, .local] {
            guard let cookie = SignInCookie(of: request, form: form) else { continue }
            guard Base64.decode(cookie.token, alphabet: .url)?.count == 32,
                text.contains(cookie.token)
            else { return "the sign-in cookie \(cookie.token) is read" }
        }
        let phone = Request(id: 1, method: .post, path: "/pub/", headers: headers)
        return phone.sessionToken == nil ? nil : "a phone's path accepts a cookie"
    }

    // MARK: Bodies

    private static func complaint(about contact: SignInContact) -> String? {
        let again = contact.channel.rules.address(contact.address)
        return again == contact.address ? nil : "\(contact.address) is read again as \(again ?? "")"
    }

    private static func complaint(aboutSession bytes: [UInt8]) -> String? {
        let session = NewSecret().credential
        guard let request = try? reader(bytes).sessionRequest(session) else { return nil }
        if let complaint = complaint(about: request.contact) { return complaint }
        return complaint(aboutName: request.name)
    }

    private static func complaint(aboutActivation bytes: [UInt8]) -> String? {
        let read = try? CredentialBody.readActivation(request(bytes))
        return read.flatMap { complaint(aboutName: $0.1.name) }
    }

    private static func complaint(aboutName name: String?) -> String? {
        guard let name else { return nil }
        guard name.unicodeScalars.count <= Limits.nameCharactersMax else { return "a long name" }
        let hasControls = name.unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
        return hasControls ? "a name with control characters" : nil
    }

    private static func complaint(aboutInvitation bytes: [UInt8]) -> String? {
        guard let json = try? request(bytes).json(),
            let new = try? InvitationBody.readNew(
                json, id: InvitationID(.zero), tokenHash: "hash")
        else { return nil }
        if let uses = new.usesMax, !(1...Limits.invitationUsesMax).contains(uses) {
            return "\(uses) uses"
        }
        guard let contact = new.contact else { return nil }
        return complaint(about: SignInContact(contact.channel, contact.address))
    }

    // MARK: Samples

    static var samples: [[UInt8]] {
        let token = String(repeating: "aB3-_", count: 9).prefix(43)
        let person = PersonID(.zero).description
        let texts: [(Form, String)] = [
            (.cookie, "jaga-local=\(token); theme=dark"), (.cookie, "__Host-jaga=\(token)"),
            (.cookie, "jaga-sign-in-local=\(token.dropLast())A; __Host-jaga-sign-in=\(token)"),
            (.codeRequest, #"{"contact": "+60123456789"}"#),
            (.codeRequest, #"{"contact": "Anna <anna@example.test>"}"#),
            (
                .session,
                #"{"contact": "anna@example.test", "code": "123 456", "name": "Anna", "#
                    + #""locale": "ms", "person": "\#(person)"}"#
            ),
            (.activation, #"{"code": "abc", "name": "laptop", "expires": "2027-01-31T12:00:00Z"}"#),
            (
                .invitation,
                #"{"role": "guardian", "contact": "+60123456789", "uses": 3, "#
                    + #""expires": "2027-01-31T12:00:00Z"}"#
            ),
            (.invitation, #"{"contact": "anna@example.test"}"#),
            (.invitationToken, #"{"token": "abc"}"#),
            (
                .acceptance,
                #"{"token": "abc", "person": "\#(person)", "sharing": true, "precision": "exact"}"#
            ),
        ]
        return texts.map { input($0, Array($1.utf8)) }
    }
}
