import CZeroMQ
import Runtime

/// HTTP/1.1 on one address, in the loop of its service.
public final class Server: Pollable {
    public let port: Int

    public init(
        address: String = "127.0.0.1", port: Int, limits: ServerLimits = ServerLimits()
    ) throws(WebError) {
        self.port = port
    }

    public var waitMilliseconds: Int? { nil }
    public func appendPollItems(to items: inout [zmq_pollitem_t]) {}

    /// Reads and writes what is ready; returns requests that are complete.
    public func drain() -> [Request] { [] }
    /// Gives a request its answer, which leaves with ``flush()``. Each id is answered once; an id
    /// whose client is gone is ignored.
    public func answer(_ id: UInt64, _ response: Response) {}
    /// Sends what was answered.
    public func flush() {}
    /// Answers what is open with 503, sends it and closes everything.
    public func stop() {}
}
