import Directory
import DirectoryViews
import MembershipCore
import Model
import Web

/// Answers requests that need no credential but the token of an invitation.
struct OpenRequests {
    let core: MembershipCore
    let request: Request
    let now: Timestamp

    /// What an invitation offers.
    func preview() throws(Problem) -> Response {
        guard let row = core.invitations.invitation(tokenHash: try tokenHash()),
            let circle = core.directory.circle(row.circle)
        else {
            throw .notFound("there is no such invitation", hint: "check that the link is whole")
        }
        if let rejection = core.invitations.closed(row, in: core.directory, at: now) {
            throw Problem(rejection)
        }
        return .json(View.preview(row, to: circle, in: core.directory))
    }

    /// SHA-256 of the token in the body.
    func tokenHash() throws(Problem) -> String {
        NewSecret.hash(of: try InvitationBody.token(try request.json()))
    }
}
