import Directory
import MembershipCore
import Model
import Web

/// What ways to sign in need of membership's service.
protocol SessionKeeper: AnyObject {
    var ownDirectory: Replica { get }

    /// The id of the session that a request belongs to; nil = it has none.
    func session(of request: Request) -> CredentialID?

    /// Opens a session; the response to the request then sets its cookie.
    ///
    /// - Returns: the id of the session
    func openSession(of person: PersonID, for request: Request) throws -> CredentialID

    /// Ends a session, if it is open.
    func endSession(_ id: CredentialID, of person: PersonID) throws

    func isOpen(_ session: CredentialID, of person: PersonID) -> Bool

    /// Applies changes of the directory that a way to sign in decided.
    func apply(_ events: [EventBody], trace: String) throws

    /// Answers a request after COMMIT.
    func answer(_ id: RequestID, _ response: Response)
}
