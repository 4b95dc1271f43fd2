import Directory
import Model

// State for metrics and status pages.
extension Notifier {
    /// Messages waiting and in flight in one lane.
    public struct LaneLoad: Hashable, Sendable {
        public var isSafety: Bool
        public var channel: Channel
        public var waiting: Int
        public var inFlight: Int
    }

    /// Load of every lane, safety first.
    public var load: [LaneLoad] {
        Lane.all.map {
            LaneLoad(
                isSafety: $0.isSafety, channel: $0.channel,
                waiting: deliveryQueue.count(in: $0)
                    + ($0.isSafety ? 0 : orderedDeliveries.waiting(on: $0.channel)),
                inFlight: deliveryQueue.inFlight(in: $0))
        }
    }

    /// Messages that wait in memory for a retry.
    public var waitingForRetry: Int { deliveryQueue.waitingCount }

    /// Number of active emergencies in a state.
    public func emergencies(in state: EmergencyState) -> Int {
        activeOf.values.reduce(0) { sum, ids in
            sum + ids.filter { emergencies[$0]?.state == state }.count
        }
    }

    /// Active emergencies, newest first.
    public var activeEmergencies: [Emergency] {
        activeOf.values.joined().compactMap { emergencies[$0] }.sorted {
            ($1.raised, $1.id.description) < ($0.raised, $0.id.description)
        }
    }

    /// An active or recently ended emergency.
    public func emergency(_ id: EmergencyID) -> Emergency? { emergencies[id] }

    /// Since when the oldest unacknowledged emergency has been open; nil = none.
    public var oldestOpen: Timestamp? {
        let open = activeOf.values.joined().compactMap { emergencies[$0] }
            .filter { $0.state == .open }
        return open.map { $0.reopened ?? $0.opened ?? $0.raised }.min()
    }

    /// Reachability as last published.
    public var knownReachability: Reachability { reachability }

    /// Health of each gateway, in configuration order.
    public var health: [GatewayHealth] {
        configuration.gateways.compactMap { gateways[$0.name] }
    }
}
