import Hosting
import Model
import NotifierCore

/// A client that follows the events of its person.
final class LiveStream {
    /// Id of the request.
    let request: UInt64
    let person: PersonID
    /// The stream ends with it.
    let credential: CredentialID
    /// Everything before was sent.
    var point = LivePoint(sequence: 0)
    /// A position of membership that this service has not reached yet, and until when it waits.
    var awaited: (position: LivePosition, deadline: Timestamp)?
    /// Whether it waits in the queue of streams with new events.
    var isQueued = false
    /// Whether its response has not been begun yet, because the turn is not committed.
    var isNew = true
    /// When a position was sent last.
    var positionSent: Timestamp

    init(_ request: UInt64, of person: PersonID, credential: CredentialID, at now: Timestamp) {
        self.request = request
        self.person = person
        self.credential = credential
        positionSent = now
    }
}
