import Directory
import Model

// What operators look at.
extension Notifier {
    /// How much waits and is on its way, for one lane.
    public struct LaneLoad: Hashable, Sendable {
        public var isSafety: Bool
        public var channel: Channel
        public var waiting: Int
        public var inFlight: Int
    }

    /// Every lane, safety first.
    public var load: [LaneLoad] {
        Lane.all.map {
            LaneLoad(
                isSafety: $0.isSafety, channel: $0.channel,
                waiting: lanes.count(in: $0)
                    + ($0.isSafety ? 0 : queues.waiting(on: $0.channel)),
                inFlight: lanes.inFlight(in: $0))
        }
    }

    /// Messages that wait for a time before they are tried again.
    public var waitingForRetry: Int { lanes.waitingCount }

    /// Emergencies that are not over, by their state.
    public func emergencies(in state: EmergencyState) -> Int {
        activeOf.values.reduce(0) { sum, ids in
            sum + ids.filter { emergencies[$0]?.state == state }.count
        }
    }

    /// Emergencies that are not over, the newest first.
    public var activeEmergencies: [Emergency] {
        activeOf.values.joined().compactMap { emergencies[$0] }.sorted {
            ($1.raised, $1.id.description) < ($0.raised, $0.id.description)
        }
    }

    /// An emergency that is not over, or was not long ago.
    public func emergency(_ id: EmergencyID) -> Emergency? { emergencies[id] }

    /// Since when the oldest emergency is open that nobody has taken; nil: there is none.
    public var oldestOpen: Timestamp? {
        let open = activeOf.values.joined().compactMap { emergencies[$0] }
            .filter { $0.state == .open }
        return open.map { $0.reopened ?? $0.opened ?? $0.raised }.min()
    }

    /// Who can be reached, as it was published last.
    public var knownReachability: Reachability { reachability }

    /// What is known of each gateway, in the order of the configuration.
    public var health: [GatewayHealth] {
        configuration.gateways.compactMap { gateways[$0.name] }
    }
}
