// What the notifier publishes about the ways to people, so that other services can tell who can be
// reached without asking it.

public enum ContactPointTag: IdentifierKind { public static let prefix = "cpk" }
/// BLAKE2b-128 of (channel, address): names a contact point without its number or address.
public typealias ContactPointKey = Identifier<ContactPointTag>

/// A gateway as the notifier uses it.
public struct GatewayState: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Hands messages over to the outside.
        case external
        /// The built-in sink, chosen by the operator to try Jaga out. It counts as a working
        /// gateway, although nobody outside is reached.
        case chosenSink = "chosen-sink"
        /// The built-in sink where no gateway is configured: nobody is reached by it.
        case defaultSink = "default-sink"

        /// Whether messages stay in the built-in sink.
        public var isSink: Bool { self != .external }
    }

    public var name: String
    public var kind: Kind
    /// Ascending by name.
    public var channels: [Channel]
    /// When it last failed, while it is down; nil = it is not down.
    public var failing: Timestamp?

    public init(name: String, kind: Kind, channels: [Channel], failing: Timestamp? = nil) {
        self.name = name
        self.kind = kind
        self.channels = channels
        self.failing = failing
    }
}

/// Why a contact point cannot be reached, whatever its gateway does.
public enum ContactProblem: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its owner said STOP, to Jaga or to the gateway.
    case optedOut = "opted-out"
    /// The gateway reported that messages cannot be delivered to it.
    case dead
}

/// A contact point whose reachability changed.
public struct ContactPointState: Hashable, Sendable, Codable {
    public var contact: ContactPointKey
    /// Nil = none any more.
    public var problem: ContactProblem?

    public init(contact: ContactPointKey, problem: ContactProblem?) {
        self.contact = contact
        self.problem = problem
    }
}

/// The notifier's ways to people changed, or are published again.
public struct ReachabilityNews: Hashable, Sendable, Codable {
    /// All gateways; nil = unchanged.
    public var gateways: [GatewayState]?
    /// Contact points that changed.
    public var contacts: [ContactPointState]

    public init(gateways: [GatewayState]? = nil, contacts: [ContactPointState] = []) {
        self.gateways = gateways
        self.contacts = contacts
    }
}
