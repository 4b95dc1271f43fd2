import Runtime
import Wire

/// Return address of a request. Opaque except to the transport that issued it.
public struct Route: Hashable, Sendable {
    public var bytes: [UInt8]
    /// Role of the requester's key; nil without keys, which permits every request.
    public var role: BusRole?
    /// The requester's address, if known.
    public var address: String

    public init(bytes: [UInt8], role: BusRole? = nil, address: String = "") {
        self.bytes = bytes
        self.role = role
        self.address = address
    }
}

/// A received frame, or a rejected connection.
public enum TransportEvent: Hashable, Sendable {
    /// A frame that a peer published.
    case published(peer: Int, [UInt8])
    /// A reply of a peer.
    case replied(peer: Int, [UInt8])
    /// A request to this process.
    case requested(Route, [UInt8])
    /// A proposal for a derived stream served here.
    case proposed([UInt8])
    /// A connection was rejected, here or by a peer.
    case rejected(PeerRejection)
}

/// Carries frames between processes; may lose any frame.
///
/// Peers are identified by their index in ``Bus/Configuration/peers``. Sending never blocks: a
/// frame that cannot be sent now is dropped, and the bus repairs the loss.
public protocol BusTransport: Pollable {
    /// Publishes a frame to the subscribers of its topic.
    func publish(_ frame: [UInt8])
    /// Sends a request to a peer. Returns false if there is no connection.
    @discardableResult
    func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool
    /// Replies to a request.
    func sendReply(_ frame: [UInt8], to route: Route)
    /// Proposes records to the publisher of their derived stream.
    func sendProposal(_ frame: [UInt8], to peer: Int)
    /// Subscribes to a peer's stream, also after reconnecting.
    func subscribe(_ stream: StreamName, of peer: Int)
    /// Cancels a subscription.
    func unsubscribe(_ stream: StreamName, of peer: Int)
    /// Returns the next received frame, round-robin over sources; nil if there is none.
    func next() -> TransportEvent?
    /// Replaces the connections to a peer.
    func reconnect(to peer: Int)
    /// The bound endpoints, with their actual ports.
    var endpoints: BusEndpoints { get }
    /// Closes all sockets; later calls do nothing.
    func close()
}

/// Endpoints that a process has bound; nil = not bound.
public struct BusEndpoints: Hashable, Sendable {
    public var publish: String?
    public var inputs: String?
    public var control: String?
    public var derived: String?

    public init(
        publish: String? = nil, inputs: String? = nil, control: String? = nil,
        derived: String? = nil
    ) {
        self.publish = publish
        self.inputs = inputs
        self.control = control
        self.derived = derived
    }
}
