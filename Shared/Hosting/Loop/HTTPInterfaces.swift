import Runtime
import Web

/// HTTP server of a host.
public protocol HTTPServer: Pollable {
    /// The port it listens on.
    var port: Int { get }
    /// Returns the complete requests. Each must be answered once, in this turn or a later one.
    func drain() -> [Request]
    /// Answers a request; the response is sent by ``flush()``. Ids without a waiting client are
    /// ignored.
    func answer(_ id: UInt64, _ response: Response)
    /// Sends the next step of a streamed response.
    func stream(_ id: UInt64, _ step: StreamStep)
    /// Bytes of a streamed response that are not sent yet; nil if the client is gone or has all.
    func unsentBytes(of id: UInt64) -> Int?
    /// Sets the check for known senders, by the header alone. Large bodies of others get less room
    /// and time.
    func identifySenders(_ isKnown: @escaping (Request) -> Bool)
    /// Sends the responses.
    func flush()
    /// Answers waiting requests with 503 and closes.
    func stop()
}

/// Client for HTTP and mail transfers of a host.
public protocol HTTPClient: Pollable {
    /// Starts a transfer. It ends with exactly one result, unless ``stop()`` is called before.
    func start(_ transfer: Transfer)
    /// Returns the results since the last call.
    func drain() -> [TransferResult]
    /// Aborts all transfers, without results.
    func stop()
}

extension Server: HTTPServer {}

extension HTTPServer {
    /// Does nothing: for servers whose requests are always complete.
    public func identifySenders(_ isKnown: @escaping (Request) -> Bool) {}
}
extension Transfers: HTTPClient {}
