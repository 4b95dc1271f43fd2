import DirectoryViews
import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Timing
import Web

/// Parses requests to sign in, which need no credentials.
struct SignInReader {
    let request: Request
    /// Key of the digests of codes.
    let messageKey: [UInt8]

    /// - Parameter code: the code to send
    func codeRequest(_ code: ShortCode) throws(Problem) -> SignInCodeRequest {
        let body = try request.json()
        do throws(FieldError) {
            let contact = try contact(Fields(body, known: ["contact"]))
            return SignInCodeRequest(
                request: request.id, contact: contact, network: network,
                code: code.digest(for: contact, key: messageKey))
        } catch {
            throw Problem(error)
        }
    }

    /// - Parameter session: the credential of the session
    func sessionRequest(_ session: NewCredential) throws(Problem) -> SessionRequest {
        let body = try request.json()
        do throws(FieldError) {
            let fields = try Fields(body, known: ["contact", "code", "person", "name", "locale"])
            let contact = try contact(fields)
            let code = try fields.code().digest(for: contact, key: messageKey)
            let name = try fields.plainText("name", charactersMax: Limits.nameCharactersMax)
            let locale = try fields.text(
                "locale", must: "be a language tag", hint: "use a tag such as en, ms or id-ID",
                LanguageTag.normalized)
            return SessionRequest(
                request: request.id, contact: contact, network: network, code: code,
                person: try fields.id("person", PersonID.self), name: name, locale: locale,
                session: session, browser: BrowserName.of(request.headers["User-Agent"]),
                newPerson: PersonID(SecureRandom.id()), newContact: ContactID(SecureRandom.id()))
        } catch {
            throw Problem(error)
        }
    }

    /// A number or a mail address.
    private func contact(_ fields: Fields) throws(FieldError) -> SignInContact {
        let hint = "use a number such as +60123456789, or a mail address"
        guard let text = try fields.text("contact") else {
            throw .missing("contact", hint: hint)
        }
        let channel: Channel = text.contains("@") ? .email : .sms
        guard let address = channel.rules.address(text) else {
            throw .must(channel.rules.addressRequirement, at: "contact", hint: hint)
        }
        return SignInContact(channel, address)
    }

    /// The network of the client; clients on this machine share one.
    private var network: NetworkKey {
        let network = RequestLimiter.key(of: request.remote) ?? "loopback"
        return NetworkKey(Hex.encode(Hash.id(.text("network"), .text(network)).bytes))
    }
}

extension SignInCodes.Policy {
    init(_ configuration: Configuration) {
        self.init(
            allowsSignUp: configuration.text("JAGA_SIGN_UP") == "code",
            codesPerNetworkMax: configuration.int("JAGA_SIGN_IN_CODES_PER_NETWORK"),
            textsPerHourMax: configuration.int("JAGA_SIGN_IN_SMS_PER_HOUR"))
    }
}
