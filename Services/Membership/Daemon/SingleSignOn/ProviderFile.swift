import MembershipCore
import Model
import Parsing
import Runtime
import SignOn

/// The operator's file of OpenID providers.
///
/// ```json
/// {"providers": [{
///     "id": "campus", "name": "Campus", "issuer": "https://id.example.org",
///     "client": "jaga", "secretFile": "campus.secret", "algorithm": "RS256"
/// }]}
/// ```
///
/// `docs/sign-in.md` describes every field.
struct ProviderFile {
    /// A provider with what only the daemon needs.
    struct Entry {
        var provider: SignInProvider
        /// Proves to the provider who we are.
        var secret: String
        /// PEM file with the CA to trust; nil = the system's.
        var authorities: String?
    }

    let entries: [Entry]

    static let setting = Setting(
        "JAGA_SIGN_IN_PROVIDERS", .path,
        help:
            "File with OpenID providers for sign-in; default is providers.json in the home, if it "
            + "exists.")

    /// Reads the file.
    ///
    /// - Throws: ``InvalidProviders``, `OpenSecret`, `SystemError`
    init(_ configuration: Configuration) throws {
        let home = configuration.text("JAGA_HOME")
        let chosen = configuration.optional(ProviderFile.setting.name)
        let path = chosen ?? home + "/providers.json"
        guard chosen != nil || Files.exists(path) else {
            entries = []
            return
        }
        let json: JSON
        do {
            json = try JSON.parse(try Files.read(path, bytesMax: 1 << 20))
        } catch let error as ParseError {
            throw InvalidProviders(path: path, message: error.message, hint: "Write it as JSON.")
        }
        guard configuration.optional("JAGA_PUBLIC_URL") != nil else {
            throw InvalidProviders(
                path: path,
                message: "providers send browsers back to JAGA_PUBLIC_URL, which is "
                    + "not set",
                hint: "Set it to the address of this server, such as https://jaga.example.org.")
        }
        do throws(FieldError) {
            entries = try ProviderFile.entries(json, secrets: home + "/secrets")
        } catch {
            throw InvalidProviders(
                path: path,
                message: error.path.isEmpty ? error.detail : "\(error.path): \(error.detail)",
                hint: error.hint.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } ?? "")
        }
    }

    private static func entries(
        _ json: JSON, secrets: String
    ) throws(FieldError) -> [Entry] {
        let fields = try Fields(json, known: ["providers"])
        var entries: [Entry] = []
        let list = try fields.array("providers", countMax: Limits.providersMax) ?? []
        for (index, value) in list.enumerated() {
            let entry = try Self.entry(value, at: "providers[\(index)]", secrets: secrets)
            guard !entries.contains(where: { $0.provider.id == entry.provider.id }) else {
                throw FieldError(
                    .duplicate, at: "providers[\(index)].id", "another provider has this id",
                    hint: "choose another one")
            }
            guard !entries.contains(where: { $0.provider.issuer == entry.provider.issuer }) else {
                throw FieldError(
                    .duplicate, at: "providers[\(index)].issuer",
                    "another provider has this issuer", hint: "list each issuer once")
            }
            entries.append(entry)
        }
        return entries
    }

    private static let names = [
        "id", "name", "issuer", "client", "secretFile", "algorithm", "scopes", "signUp",
        "trustedFor", "groupsClaim", "staff", "circles", "authorities",
    ]

    private static func entry(
        _ json: JSON, at path: String, secrets: String
    ) throws(FieldError) -> Entry {
        let fields = try Fields(json, at: path, known: names)
        func text(_ name: String, hint: String) throws(FieldError) -> String {
            guard let text = try fields.plainText(name, charactersMax: 500) else {
                throw .missing(fields.path(name), hint: hint)
            }
            return text
        }
        let idHint = "use lower-case letters, digits and hyphens, such as campus"
        let id = try fields.text("id", must: "be a short name", hint: idHint) {
            isID($0) ? $0 : nil
        }
        guard let id else { throw .missing(fields.path("id"), hint: idHint) }
        let issuerHint =
            "use the issuer of the provider's discovery document, such as "
            + "https://id.example.org"
        let issuer = try fields.text(
            "issuer", must: "be an https URL", hint: issuerHint
        ) { ProviderMetadata.isUsable($0) && !$0.contains("?") ? $0 : nil }
        guard let issuer else { throw .missing(fields.path("issuer"), hint: issuerHint) }
        guard let algorithm = try fields.choice("algorithm", SignatureAlgorithm.self) else {
            throw .missing(
                fields.path("algorithm"), hint: "use RS256 or ES256, whichever the provider uses")
        }
        let scopes = try texts("scopes", of: fields) ?? ["openid", "profile", "email"]
        guard scopes.contains("openid") else {
            throw .must("contain openid", at: fields.path("scopes"), hint: "add openid")
        }
        let provider = SignInProvider(
            id: id, name: try text("name", hint: "use the name for the button, such as Campus"),
            issuer: issuer,
            client: try text("client", hint: "use the client id that the provider gave"),
            algorithm: algorithm, scopes: scopes, allowsSignUp: try fields.flag("signUp") ?? false,
            trustedChannels: Set(try fields.choices("trustedFor", Channel.self) ?? []),
            groupsClaim: try fields.plainText("groupsClaim", charactersMax: 100) ?? "groups",
            staff: try staff(fields), circles: try circles(fields))
        let secretFile = try text(
            "secretFile", hint: "use a file in the folder secrets with the client's secret")
        return Entry(
            provider: provider,
            secret: try secret(secretFile, in: secrets, at: fields.path("secretFile")),
            authorities: try authorities(fields))
    }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func texts(
        _ name: String, of fields: Fields
    ) throws(FieldError) -> [String]? {
        guard let values = try fields.array(name, countMax: 20) else { return nil }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            guard let text = value.string, !text.isEmpty, !text.contains(" ") else {
                throw .must(
                    "be a text without blanks", at: "\(fields.path(name))[\(index)]", not: value)
            }
            texts.append(text)
        }
        return texts
    }

    private static func staff(
        _ fields: Fields
    ) throws(FieldError) -> [SignInProvider.StaffGroup] {
        var groups: [SignInProvider.StaffGroup] = []
        for (index, value) in try (fields.array("staff", countMax: 100) ?? []).enumerated() {
            let path = "\(fields.path("staff"))[\(index)]"
            let group = try Fields(value, at: path, known: ["group", "role"])
            guard let role = try group.choice("role", StaffRole.self) else {
                throw .missing(group.path("role"), hint: "use officer or operator")
            }
            groups.append(.init(group: try name(of: group), role: role))
        }
        return groups
    }

    private static func circles(
        _ fields: Fields
    ) throws(FieldError) -> [SignInProvider.CircleGroup] {
        var groups: [SignInProvider.CircleGroup] = []
        for (index, value) in try (fields.array("circles", countMax: 1000) ?? []).enumerated() {
            let path = "\(fields.path("circles"))[\(index)]"
            let group = try Fields(value, at: path, known: ["group", "circle", "role"])
            guard let circle = try group.id("circle", CircleID.self) else {
                throw .missing(group.path("circle"), hint: "use the id of a circle")
            }
            groups.append(
                .init(
                    group: try name(of: group), circle: circle,
                    role: try group.choice("role", Role.self) ?? .member))
        }
        return groups
    }

    private static func name(of group: Fields) throws(FieldError) -> String {
        guard let name = try group.plainText("group", charactersMax: 200) else {
            throw .missing(group.path("group"), hint: "use a group as the provider writes it")
        }
        return name
    }

    private static func secret(
        _ file: String, in folder: String, at path: String
    ) throws(FieldError) -> String {
        let file = file.hasPrefix("/") ? file : folder + "/" + file
        do throws(OpenSecret) {
            try SecretFile.rejectOpen(file)
        } catch {
            throw FieldError(.value, at: path, error.message, hint: error.hint)
        }
        guard let bytes = try? Files.read(file, bytesMax: 4096) else {
            throw FieldError(
                .value, at: path, "\(file) cannot be read",
                hint: "write the client's secret into its first line")
        }
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        guard !line.isEmpty, let secret = String(validating: line, as: UTF8.self) else {
            throw FieldError(
                .value, at: path, "\(file) is empty",
                hint: "write the client's secret into its first line")
        }
        return secret
    }

    private static func authorities(_ fields: Fields) throws(FieldError) -> String? {
        guard let file = try fields.plainText("authorities", charactersMax: 500) else {
            return nil
        }
        guard Files.exists(file) else {
            throw FieldError(
                .value, at: fields.path("authorities"), "\(file) does not exist",
                hint: "use the path of a PEM file with the CA of the provider's certificate")
        }
        return file
    }
}

/// The file of providers cannot be used.
struct InvalidProviders: ExplainedError {
    let path: String
    let message: String
    let hint: String

    var code: String { "providers-invalid" }
    var operation: String { "read \(path)" }
}
