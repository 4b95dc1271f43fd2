import MembershipCore
import Model
import Parsing
import Web

/// Parses the body of a request for a new credential.
enum CredentialBody {
    /// A body may be missing: every field has a default.
    static func read(_ request: Request) throws(Problem) -> CredentialTerms {
        let json = request.body.isEmpty ? JSON.object([]) : try request.json()
        do throws(FieldError) {
            return try terms(Fields(json, known: ["kind", "name", "expires"]))
        } catch {
            throw Problem(error)
        }
    }

    /// - Returns: the activation code, and what the first credential is to be like
    static func readActivation(
        _ request: Request
    ) throws(Problem) -> (code: String, CredentialTerms) {
        let json = try request.json()
        do throws(FieldError) {
            let fields = try Fields(json, known: ["code", "name", "expires"])
            guard let code = try fields.text("code") else {
                throw .missing("code", hint: "use the code that the operator gave you")
            }
            return (code, try terms(fields))
        } catch {
            throw Problem(error)
        }
    }

    private static func terms(_ fields: Fields) throws(FieldError) -> CredentialTerms {
        let expires = try fields.text(
            "expires", must: "be a time", hint: "use RFC 3339, such as 2027-01-31T12:00:00Z"
        ) { Timestamp($0)?.description }
        return CredentialTerms(
            kind: try fields.choice("kind", CredentialKind.self) ?? .person,
            name: try fields.plainText(
                "name", charactersMax: Limits.nameCharactersMax, emptyAllowed: true) ?? "",
            expires: expires.flatMap { Timestamp($0) })
    }
}
