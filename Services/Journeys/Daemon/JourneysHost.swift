import Directory
import JourneysCore
import Model
import Runtime
import Web

/// The port of journeys to the process around them.
package protocol JourneysHost: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    /// The directory as of this input.
    var replica: Replica { get }
    /// How little disk space is left.
    var diskPressure: DiskPressure { get }
    /// Sends a response after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Continues a streamed response after COMMIT.
    func stream(_ id: UInt64, _ step: StreamStep)
    /// Bytes of a streamed response that wait for the client; nil = it is closed or has been sent.
    func unsentBytes(of id: UInt64) -> Int?
}

/// The service that contains journeys.
package protocol JourneysOwner: AnyObject {
    /// Passes an input to ``Journeys`` and performs its effects.
    func handleJourneys(_ input: Journeys.Input) throws
    /// Answers a repeated request with the response to the first one.
    func isRepeated(_ request: Request, by principal: Principal) throws -> Bool
    /// Responds to a request, and stores the response for repetitions of it.
    func respond(to request: UInt64, _ response: Response) throws
    /// Records that a viewer read data of somebody else.
    func recordAccess(
        by principal: Principal, to person: PersonID, as kind: AccessKind, reason: String?
    ) throws
}
