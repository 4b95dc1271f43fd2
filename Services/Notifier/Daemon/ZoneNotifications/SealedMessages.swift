import Hosting
import Model
import NotifierCore
import Parsing
import Runtime

/// Opens requests of membership, which are sealed for this service.
struct SealedMessages {
    let key: KeyFile

    /// - Throws: a request that cannot be opened is dropped; its sender repeats it
    func open(_ sealed: SealedMessage) throws -> RequestedMessage {
        guard let bytes = SealedText.open(sealed.sealed, key: try key.read()) else {
            throw SealedForAnother(path: key.path)
        }
        return try JSON.parse(bytes).decode(RequestedMessage.self)
    }
}

/// The message key differs from membership's.
private struct SealedForAnother: ExplainedError {
    let path: String

    var code: String { "sealed-for-another" }
    var operation: String { "open a message requested by membership" }
    var message: String { "the message was sealed with another key than \(path)" }
    var hint: String { "Copy secrets/message.key from membership's home to this machine." }
}
