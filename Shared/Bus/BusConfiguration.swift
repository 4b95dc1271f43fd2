import Model
import Wire

extension Bus {
    /// A stream that this process stores and publishes.
    public struct Served: Hashable, Sendable {
        public var stream: StreamName
        /// Whether ``Hooks/snapshot`` provides its state.
        public var isSnapshotable: Bool
        /// Whether members propose its records; a proposal is accepted iff it continues the chain.
        public var isDerived: Bool
        /// The rule by which it is pruned; nil = only by ``Bus/prune(_:through:)``.
        public var retention: Retention?

        public init(
            _ stream: StreamName, isSnapshotable: Bool = false, isDerived: Bool = false,
            retention: Retention? = nil
        ) {
            self.stream = stream
            self.isSnapshotable = isSnapshotable
            self.isDerived = isDerived
            self.retention = retention
        }
    }

    /// A process whose streams this process follows or derives.
    public struct Peer: Hashable, Sendable {
        /// Name in logs and metrics, such as `ingest`.
        public var name: String
        /// Endpoint of its PUB socket, such as `tcp://127.0.0.1:8201`.
        public var publishEndpoint: String
        /// Endpoint of its ROUTER socket.
        public var controlEndpoint: String
        /// Streams to follow.
        public var streams: [StreamName]
        /// Streams for which this process proposes records.
        public var computes: [StreamName]
        /// Endpoint of its SUB socket for proposals; nil if none are sent.
        public var derivedEndpoint: String?
        /// Whether the peer assigns partitions. This process then joins, and follows and derives
        /// its assigned partitions in addition to ``streams`` and ``computes``.
        public var assignsPartitions = false
        /// Endpoint of its PUB socket for `in/p`; nil if they share ``publishEndpoint``.
        public var inputsEndpoint: String?

        public init(
            name: String, publishEndpoint: String, controlEndpoint: String,
            streams: [StreamName], computes: [StreamName] = [], derivedEndpoint: String? = nil,
            inputsEndpoint: String? = nil
        ) {
            self.name = name
            self.publishEndpoint = publishEndpoint
            self.controlEndpoint = controlEndpoint
            self.streams = streams
            self.computes = computes
            self.derivedEndpoint = derivedEndpoint
            self.inputsEndpoint = inputsEndpoint
        }
    }

    /// Where a consumer without a cursor starts to read a stream.
    public enum Start: Sendable {
        /// At the first record, or from a snapshot if that record is pruned.
        case beginning
        /// At the oldest record, without a snapshot.
        case oldest
        /// After the current head.
        case head
    }

    /// The streams and peers of a process.
    public struct Configuration: Sendable {
        /// Consumer name in acknowledgements; 1 to 64 bytes.
        public var name: String
        public var served: [Served] = []
        /// Endpoints for PUB and ROUTER; nil = serves nothing. Port 0 selects a free port.
        public var publishEndpoint: String?
        public var controlEndpoint: String?
        /// Endpoint for the SUB socket that receives proposals; nil = none.
        public var derivedEndpoint: String?
        /// Endpoint of a separate PUB socket for `in/p`, with stricter read rights; nil = use
        /// ``publishEndpoint``.
        public var inputsEndpoint: String?
        /// Keys; nil = no keys, loopback only.
        public var security: BusSecurity?
        public var peers: [Peer] = []
        public var start = Start.beginning
        /// Whether to acknowledge positions; observers do not.
        public var acknowledges = true
        /// Supported versions of the logic, for members.
        public var logic: ClosedRange<UInt16> = 1...1

        public init(name: String) { self.name = name }

        /// Whether a stream is published on the separate socket for inputs.
        func isPublishedSeparately(_ stream: StreamName) -> Bool {
            guard inputsEndpoint != nil, case .input = stream else { return false }
            return true
        }
    }
}
