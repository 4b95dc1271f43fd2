import Runtime
import Wire

/// Way back to whoever asked; means something only to the transport that gave it.
public struct Route: Hashable, Sendable {
    public var bytes: [UInt8]
    /// Whose key asked; nil where no keys are used, and everything may be asked.
    public var role: BusRole?
    /// Where the question came from, as far as it is known.
    public var address: String

    public init(bytes: [UInt8], role: BusRole? = nil, address: String = "") {
        self.bytes = bytes
        self.role = role
        self.address = address
    }
}

/// A frame, and how it came.
public enum Arrival: Hashable, Sendable {
    /// By the publication of a peer.
    case published(peer: Int, [UInt8])
    /// As an answer of a peer.
    case answered(peer: Int, [UInt8])
    /// As a question to this process.
    case asked(Route, [UInt8])
    /// As an output that somebody computed for a stream kept here.
    case offered([UInt8])
    /// No frame: somebody was not let in, or we were not.
    case refused(PeerRefusal)
}

/// Carries frames between processes, and may lose any of them.
///
/// Peers are named by their place in ``Bus/Configuration/peers``. Nothing waits: what cannot go now
/// is dropped, and the rules above repair it.
public protocol BusTransport: Pollable {
    /// To everybody who subscribed to the beginning of the frame.
    func publish(_ frame: [UInt8])
    /// A question to a peer. False if there is no connection to it now.
    @discardableResult
    func ask(_ frame: [UInt8], of peer: Int) -> Bool
    /// An answer to a question.
    func answer(_ frame: [UInt8], to route: Route)
    /// A computed output to the peer that keeps its stream.
    func offer(_ frame: [UInt8], to peer: Int)
    /// Hears a peer's publications of a stream from now on, also over connections made anew.
    func subscribe(_ stream: StreamName, of peer: Int)
    /// Hears them no longer.
    func unsubscribe(_ stream: StreamName, of peer: Int)
    /// The next frame that is there, from each source in turn; nil when there is none.
    func next() -> Arrival?
    /// Makes the connections to a peer anew.
    func reconnect(to peer: Int)
    /// Where this process is bound, with the ports that it really got.
    var endpoints: BusEndpoints { get }
    /// Lets go of everything; nothing is carried any more.
    func close()
}

/// Where a process is bound; nil where it is not.
public struct BusEndpoints: Hashable, Sendable {
    public var publish: String?
    public var inputs: String?
    public var control: String?
    public var computed: String?

    public init(
        publish: String? = nil, inputs: String? = nil, control: String? = nil,
        computed: String? = nil
    ) {
        self.publish = publish
        self.inputs = inputs
        self.control = control
        self.computed = computed
    }
}
