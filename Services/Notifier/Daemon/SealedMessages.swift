import Hosting
import Model
import NotifierCore
import Parsing
import Runtime

// Requests of membership are sealed for this service.
extension NotifierService {
    /// Opens a sealed request, once. A request that cannot be opened is dropped; its sender repeats
    /// it.
    func open(_ sealed: SealedMessage, of event: Event) throws {
        guard try store.apply(event.id, at: host.now) else { return }
        let request: RequestedMessage
        do {
            guard let bytes = SealedText.open(sealed.sealed, key: try messageKey.read()) else {
                throw SealedForAnother(path: messageKey.path)
            }
            request = try JSON.parse(bytes).decode(RequestedMessage.self)
        } catch {
            return host.log.error(error, ["lost": "requested message"])
        }
        try submit(.requested(request, by: event.id, expires: sealed.expires, trace: event.trace))
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
