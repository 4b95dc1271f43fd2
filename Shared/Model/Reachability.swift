// State of gateways and contact points, published by the notifier, so that other services can
// decide who is reachable.

public enum ContactPointTag: IdentifierKind { public static let prefix = "cpk" }
/// BLAKE2b-128 of (channel, address): identifies a contact point without revealing its address.
public typealias ContactPointKey = Identifier<ContactPointTag>

/// State of a gateway of the notifier.
public struct GatewayState: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Sends messages outside.
        case external
        /// The built-in sink, chosen by the operator to try Jaga out. It counts as a working
        /// gateway, although it reaches nobody.
        case chosenSink = "chosen-sink"
        /// The built-in sink, used because no gateway is configured. It reaches nobody.
        case defaultSink = "default-sink"

        /// Whether messages stay in the built-in sink.
        public var isSink: Bool { self != .external }
    }

    public var name: String
    public var kind: Kind
    /// Ascending by name.
    public var channels: [Channel]
    /// When it last failed; nil = it is not down.
    public var failing: Timestamp?

    public init(name: String, kind: Kind, channels: [Channel], failing: Timestamp? = nil) {
        self.name = name
        self.kind = kind
        self.channels = channels
        self.failing = failing
    }
}

/// Why a contact point cannot be reached, independent of its gateway.
public enum ContactProblem: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its owner opted out with STOP, at Jaga or at the gateway.
    case optedOut = "opted-out"
    /// The gateway reported that messages cannot be delivered to it.
    case dead
}

/// A contact point whose reachability changed.
public struct ContactPointState: Hashable, Sendable, Codable {
    public var contact: ContactPointKey
    /// Nil = the problem is resolved.
    public var problem: ContactProblem?

    public init(contact: ContactPointKey, problem: ContactProblem?) {
        self.contact = contact
        self.problem = problem
    }
}

/// Gateways or contact points of the notifier changed, or are published again.
public struct ReachabilityChange: EventPayload {
    /// All gateways; nil = unchanged.
    public var gateways: [GatewayState]?
    /// Contact points that changed.
    public var contacts: [ContactPointState]

    public init(gateways: [GatewayState]? = nil, contacts: [ContactPointState] = []) {
        self.gateways = gateways
        self.contacts = contacts
    }
}
