import Hosting
import Model
import NotifierCore
import Parsing
import Runtime

// What membership wants sent comes sealed: it is for this service alone.
extension NotifierService {
    /// Takes a request in once. One that cannot be opened never will be: whoever asked for it asks
    /// again.
    func open(_ sealed: SealedMessage, of event: Event) throws {
        guard try store.apply(event.id, at: outside.now) else { return }
        let request: RequestedMessage
        do {
            guard let bytes = SealedText.open(sealed.sealed, key: try messageKey.read()) else {
                throw SealedForAnother(path: messageKey.path)
            }
            request = try JSON.parse(bytes).decode(RequestedMessage.self)
        } catch {
            return outside.log.error(error, ["losing": "a message that was asked for"])
        }
        try take(.requested(request, by: event.id, expires: sealed.expires, trace: event.trace))
    }
}

/// The message key here is not the one that membership has.
private struct SealedForAnother: ExplainedError {
    let path: String

    var code: String { "sealed-for-another" }
    var operation: String { "open a message that membership wants sent" }
    var message: String { "it was sealed with another key than that of \(path)" }
    var hint: String { "Copy secrets/message.key of membership's home to this machine." }
}
