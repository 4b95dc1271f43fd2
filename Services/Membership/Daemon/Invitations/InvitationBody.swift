import Codes
import Directory
import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Link of a new invitation, which only the response to its creation shows.
///
/// The token is in the fragment, so it reaches no server and no log.
struct InvitationLink {
    let text: String

    /// - Parameter url: URL of the suite, without a trailing slash
    init(url: String, token: String) { text = "\(url)/app/#invitation=\(token)" }

    /// The link, and its QR code as SVG and as a PNG in a `data:` URL.
    var members: [JSON.Member] {
        let code = try? QRCode(text)
        return [
            .init("link", .string(text)),
            .init("qrSVG", code.map { .string($0.svg) } ?? .null),
            .init(
                "qrPNG",
                code.map { .string("data:image/png;base64," + Base64.encode($0.png())) } ?? .null),
        ]
    }
}

/// Parses the body of a request about an invitation.
enum InvitationBody {
    private static let tokenHint = "use the part of the link after #invitation="

    /// - Parameters:
    ///   - id: of the new invitation
    ///   - tokenHash: of its token
    static func readNew(
        _ json: JSON, id: InvitationID, tokenHash: String
    ) throws(Problem) -> NewInvitation {
        do throws(FieldError) {
            let fields = try Fields(json, known: ["role", "contact", "expires", "uses"])
            return NewInvitation(
                id: id, tokenHash: tokenHash, role: try fields.choice("role", Role.self),
                contact: try contact(fields), expires: try time("expires", fields),
                usesMax: try fields.integer("uses", in: 1...Limits.invitationUsesMax))
        } catch {
            throw Problem(error)
        }
    }

    /// A number in E.164, or a mail address.
    private static func contact(
        _ fields: Fields
    ) throws(FieldError) -> Invitation.Contact? {
        guard let text = try fields.text("contact") else { return nil }
        for channel in Channel.allCases where channel.rules.hasGateways {
            if let address = channel.rules.address(text) {
                return Invitation.Contact(channel: channel, address: address)
            }
        }
        throw .must(
            "be a phone number or a mail address", at: "contact", not: .string(text),
            hint: "such as +60123456789 or anna@example.test")
    }

    /// The token of a preview or refusal.
    static func token(_ json: JSON) throws(Problem) -> String {
        do throws(FieldError) {
            return try token(try Fields(json, known: ["token"]))
        } catch {
            throw Problem(error)
        }
    }

    /// The token of an acceptance, the ward for whom it is accepted, and what the member shares.
    static func acceptance(
        _ json: JSON
    ) throws(Problem) -> (token: String, person: PersonID?, patch: MemberPatch) {
        do throws(FieldError) {
            let fields = try Fields(json, known: ["token", "person", "sharing", "precision"])
            return (
                try token(fields), try fields.id("person", PersonID.self),
                try MemberBody.shared(fields)
            )
        } catch {
            throw Problem(error)
        }
    }

    private static func token(_ fields: Fields) throws(FieldError) -> String {
        guard let token = try fields.text("token") else {
            throw .missing("token", hint: tokenHint)
        }
        return token
    }

    static func time(_ name: String, _ fields: Fields) throws(FieldError) -> Timestamp? {
        guard let text = try fields.text(name) else { return nil }
        guard let time = Timestamp(text) else {
            throw .must(
                "be a time", at: fields.path(name), not: .string(text),
                hint: "such as 2026-11-20T18:00:00Z")
        }
        return time
    }
}

extension ChangeReader {
    func readInvitation(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        if case .acceptInvitation = changing { return try readAcceptance() }
        let circle = try circle
        if case .revokeInvitation = changing {
            return RequestedChange(
                .revokeInvitation(circle, try parameters.id("invitation", InvitationID.self)))
        }
        // Rights come first: whether a URL is configured is nothing for others.
        let asked = directory.decide(principal, .invite, on: .circle(circle), at: clocks.now)
        if let denial = asked.denial { throw Problem(denial) }
        let secret = NewSecret()
        let id = InvitationID(SecureRandom.id())
        let new = try InvitationBody.readNew(
            body(), id: id, tokenHash: secret.credential.hash)
        // A stranger gets the link, so it leads where the operator says.
        let url: String
        if new.contact == nil {
            url = try PublicURL.of(request, configured: publicURL)
        } else {
            guard let publicURL else {
                throw .invalid(
                    "the URL of this server is not configured", field: "contact",
                    hint: "set JAGA_PUBLIC_URL, or invite by link")
            }
            url = try PublicURL.checked(publicURL)
        }
        var requested = RequestedChange(
            .invite(circle, new), at: "/v1/circles/\(circle)/invitations/\(id)")
        requested.link = InvitationLink(url: url, token: secret.token)
        return requested
    }

    private func readAcceptance() throws(Problem) -> RequestedChange {
        let (token, ward, patch) = try InvitationBody.acceptance(body())
        guard let person = ward ?? principal.person else { throw Problem(Denial.personOnly) }
        return RequestedChange(
            .acceptInvitation(tokenHash: NewSecret.hash(of: token), person, patch))
    }
}
