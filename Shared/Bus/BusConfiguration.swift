import Model
import Wire

extension Bus {
    /// A stream that this process keeps.
    public struct Served: Hashable, Sendable {
        public var stream: StreamName
        /// ``Hooks/snapshot`` can give the state that its records lead to.
        public var isSnapshotable: Bool
        /// Its records come from elsewhere as offers, taken iff they continue the chain.
        public var isComputed: Bool
        /// What of it is forgotten by and by; nil: only what ``Bus/prune(_:through:)`` says.
        public var retention: Retention?

        public init(
            _ stream: StreamName, isSnapshotable: Bool = false, isComputed: Bool = false,
            retention: Retention? = nil
        ) {
            self.stream = stream
            self.isSnapshotable = isSnapshotable
            self.isComputed = isComputed
            self.retention = retention
        }
    }

    /// A process that keeps streams which this one wants.
    public struct Peer: Hashable, Sendable {
        /// As in logs and metrics, such as `ingest`.
        public var name: String
        /// Where its PUB is bound, such as `tcp://127.0.0.1:8201`.
        public var publishEndpoint: String
        /// Where its ROUTER is bound.
        public var controlEndpoint: String
        /// Streams of it to follow.
        public var streams: [StreamName]
        /// Streams of it whose records this process computes.
        public var computes: [StreamName]
        /// Where it takes what is computed; nil when nothing is.
        public var computedEndpoint: String?
        /// It shares its partitions out: this process joins, and follows and computes those that it
        /// is given, beside what ``streams`` and ``computes`` name.
        public var isShared = false
        /// Where its PUB for `in/p` is bound; nil where those are with the others.
        public var inputsEndpoint: String?

        public init(
            name: String, publishEndpoint: String, controlEndpoint: String,
            streams: [StreamName], computes: [StreamName] = [], computedEndpoint: String? = nil,
            inputsEndpoint: String? = nil
        ) {
            self.name = name
            self.publishEndpoint = publishEndpoint
            self.controlEndpoint = controlEndpoint
            self.streams = streams
            self.computes = computes
            self.computedEndpoint = computedEndpoint
            self.inputsEndpoint = inputsEndpoint
        }
    }

    /// Where a stream is begun by a consumer that has no cursor for it.
    public enum Start: Sendable {
        /// Everything: from the first record, or from a snapshot when that is gone.
        case beginning
        /// From the oldest record that there is, without a snapshot.
        case oldest
        /// Only what comes from now on.
        case head
    }

    /// Who a process is on the bus: what it keeps, whom it hears.
    public struct Configuration: Sendable {
        /// Under which this process acknowledges; 1 to 64 bytes.
        public var name: String
        public var served: [Served] = []
        /// Where to bind PUB and ROUTER; nil when nothing is served. Port 0 is any free one.
        public var publishEndpoint: String?
        public var controlEndpoint: String?
        /// Where to bind the SUB for what others compute; nil when nothing is.
        public var computedEndpoint: String?
        /// Where to bind a PUB for `in/p` alone, which fewer may hear than the rest; nil: they go
        /// with the rest.
        public var inputsEndpoint: String?
        /// Keys; nil: none, and nothing beyond loopback.
        public var security: BusSecurity?
        public var peers: [Peer] = []
        public var start = Start.beginning
        /// Whether writers are told how far this consumer is; one that looks on does not.
        public var acknowledges = true
        /// Versions of the logic that this process has, if it is given partitions.
        public var logic: ClosedRange<UInt16> = 1...1

        public init(name: String) { self.name = name }

        /// Whether a stream is published apart from the rest.
        func isApart(_ stream: StreamName) -> Bool {
            guard inputsEndpoint != nil, case .input = stream else { return false }
            return true
        }
    }
}
