import Hashing
import Model

extension ContactPoint {
    /// Identifies the contact point without revealing its address.
    public var key: ContactPointKey { ContactPointKey(of: channel, address) }
}

extension ContactPointKey {
    public init(of channel: Channel, _ address: String) {
        self.init(Hash.id("contact-point", .text(channel.rawValue), .text(address)))
    }
}

/// Why a person or a contact point cannot be reached.
public enum UnreachableReason: String, Hashable, Sendable, CaseIterable {
    /// Nobody else is in the person's circles.
    case nobodyElse = "nobody-else"
    /// The person has no contact point.
    case noContactPoint = "no-contact-point"
    /// No gateway serves the channel.
    case noGateway = "no-gateway"
    /// Only the built-in sink serves the channel, and the operator did not choose it.
    case sinkOnly = "sink-only"
    /// Every gateway of the channel failed within the last 10 min.
    case gatewayDown = "gateway-down"
    case optedOut = "opted-out"
    case dead
    /// Helpers have only contact points that are the person's own.
    case ownContact = "own-contact"
    /// Nobody showed that the contact point is the person's.
    case unverified
}

/// Decides who can be reached, for watches, escalations and readiness alike.
///
/// A contact point is reachable if it is verified, neither opted out nor dead, and on a channel
/// that a working gateway serves. The notifier publishes the state of gateways and contact points.
public struct Reachability: Hashable, Sendable {
    /// How long after its last failure a gateway does not count as working. The limit exists
    /// because without traffic nothing shows that the gateway is back.
    public static let failureCounts = Duration.seconds(600)

    /// Nil = not known yet; SMS and mail then count as served.
    public var gateways: [GatewayState]?
    /// Contact points with a problem.
    public private(set) var problems: [ContactPointKey: ContactProblem] = [:]

    public init(
        gateways: [GatewayState]? = nil, problems: [ContactPointKey: ContactProblem] = [:]
    ) {
        self.gateways = gateways
        self.problems = problems
    }

    /// Applies a change that the notifier published.
    public mutating func apply(_ change: ReachabilityChange) {
        if let gateways = change.gateways { self.gateways = gateways }
        for state in change.contacts { problems[state.contact] = state.problem }
    }

    /// Sets the problem of a contact point.
    ///
    /// - Returns: whether it changed
    public mutating func set(_ problem: ContactProblem?, of contact: ContactPointKey) -> Bool {
        guard problems[contact] != problem else { return false }
        problems[contact] = problem
        return true
    }

    /// Returns why a channel reaches nobody; nil if a working gateway serves it.
    ///
    /// - Parameter now: nil = gateways that are down count as working, for messages that try them
    ///   anyway
    public func obstacle(on channel: Channel, at now: Timestamp?) -> UnreachableReason? {
        guard let gateways else { return channel.rules.hasGateways ? nil : .noGateway }
        let serving = gateways.filter { $0.channels.contains(channel) }
        if serving.isEmpty { return .noGateway }
        let usable = serving.filter { $0.kind != .defaultSink }
        if usable.isEmpty { return .sinkOnly }
        guard let now else { return nil }
        let isWorking = usable.contains { gateway in
            gateway.failing.map { now - $0 > Reachability.failureCounts } ?? true
        }
        return isWorking ? nil : .gatewayDown
    }

    /// Returns why a contact point is not reachable; nil if it is.
    ///
    /// - Parameter counts: whether an unverified contact point counts, as it does for escalations
    public func obstacle(
        to contact: ContactPoint, unverified counts: Bool = false, at now: Timestamp?
    ) -> UnreachableReason? {
        if let obstacle = obstacle(on: contact.channel, at: now) { return obstacle }
        return switch problems[contact.key] {
        case .optedOut: .optedOut
        case .dead: .dead
        case nil: contact.verified == nil && !counts ? .unverified : nil
        }
    }

    /// Returns why a person is not reachable on any of the channels; nil if they are.
    ///
    /// - Parameters:
    ///   - own: contact points of the person in danger, which reach no helper
    ///   - counts: whether unverified contact points count, as they do for escalations
    public func obstacle(
        to person: Person, on channels: some Collection<Channel> = Channel.allCases,
        notBy own: Set<ContactPointKey> = [], unverified counts: Bool = false, at now: Timestamp?
    ) -> UnreachableReason? {
        var found: UnreachableReason = .noContactPoint
        for contact in person.contacts.sorted(by: { ($0.rank, $0.id) < ($1.rank, $1.id) })
        where channels.contains(contact.channel) && !contact.address.isEmpty {
            guard
                let obstacle = own.contains(contact.key)
                    ? .ownContact : obstacle(to: contact, unverified: counts, at: now)
            else { return nil }
            if found == .noContactPoint { found = obstacle }
        }
        return found
    }

    /// Returns why nobody else in a person's circles can be reached; nil if somebody can.
    ///
    /// Only for the person themselves: people on their never-notify list do not count, and nobody
    /// else may learn that.
    ///
    /// - Parameter chosen: the only people who count; nil = everybody
    public func obstacle(
        toHelpersOf person: PersonID, among chosen: [PersonID]? = nil, in replica: Replica,
        at now: Timestamp?
    ) -> UnreachableReason? {
        var found: UnreachableReason = .nobodyElse
        let own = Set((replica.person(person)?.contacts ?? []).map(\.key))
        for circle in replica.circles(of: person).compactMap(replica.circle) {
            for member in circle.members.sorted(by: { $0.person < $1.person })
            where member.person != person && member.joined != nil
                && chosen?.contains(member.person) ?? true
                && !replica.hidesEmergencies(of: person, from: member.person)
            {
                let helper = replica.person(member.person)
                guard
                    let obstacle = helper.map({ obstacle(to: $0, notBy: own, at: now) })
                        ?? .noContactPoint
                else { return nil }
                // A reason that the operator or a helper can fix is more useful than a missing one.
                if found == .nobodyElse || found == .noContactPoint { found = obstacle }
            }
        }
        return found
    }
}

extension Reachability {
    /// Whether a gateway is a sink that the operator chose.
    public func isChosenSink(_ gateway: String) -> Bool {
        gateways?.contains { $0.name == gateway && $0.kind == .chosenSink } ?? false
    }
}
