import Wire

/// Rights of each role on the bus; this table is complete.
///
/// They are checked by the ZAP handler (which role may connect to which socket), for each request
/// at the ROUTER (verb and streams), and by the choice of sockets (all streams of a PUB have the
/// same readers).
///
/// Subscriptions are not checked individually. libzmq could do it (XPUB with `ZMQ_XPUB_MANUAL`,
/// `User-Id` of the subscription), but 4.3.4, the version of Debian 12, uses memory after free when
/// a subscriber leaves before its subscription is confirmed (zeromq/libzmq pull request 4137, fixed
/// in 4.3.5; seen with valgrind). So `in/p`, which has fewer readers than the other streams of
/// ingest, has its own PUB.
public enum BusRights {
    /// Streams with the same readers.
    public enum Family: Sendable, CaseIterable {
        case inputs, events, sos, directory, deadlines, deliveries, usage

        init(_ stream: StreamName) {
            switch stream {
            case .input: self = .inputs
            case .events: self = .events
            case .sos: self = .sos
            case .directory: self = .directory
            case .deadlines: self = .deadlines
            case .deliveries: self = .deliveries
            case .usage: self = .usage
            }
        }
    }

    /// Streams that a role may follow, replay and snapshot.
    static func reads(_ role: BusRole) -> Set<Family> {
        switch role {
        case .ingest: [.directory, .deadlines, .deliveries]
        case .membership: [.usage, .deadlines, .deliveries]
        case .evaluator: [.inputs]
        case .timer: [.events, .sos, .directory, .deliveries]
        case .notifier: [.events, .sos, .directory, .deadlines]
        case .operator: Set(Family.allCases)
        }
    }

    /// Streams that a role may derive.
    static func derives(_ role: BusRole) -> Set<Family> {
        role == .evaluator ? [.events] : []
    }

    static func mayRead(_ stream: StreamName, _ role: BusRole) -> Bool {
        reads(role).contains(Family(stream))
    }

    // MARK: Sockets

    /// Whether the records of a stream are not published but only replayed on request: its readers
    /// may not read the other streams of the same PUB, and its records are not urgent.
    static func isReplayedOnly(_ stream: StreamName) -> Bool { Family(stream) == .usage }

    /// Roles that may connect to a PUB: those that may read all of its streams.
    static func readers(of streams: [StreamName]) -> Set<BusRole> {
        let families = Set(streams.map(Family.init))
        return roles { !families.isEmpty && families.isSubset(of: reads($0)) }
    }

    /// Roles that may connect to a ROUTER: those that may read or derive any of its streams.
    static func requesters(about streams: [StreamName]) -> Set<BusRole> {
        let families = Set(streams.map(Family.init))
        return roles { !families.isDisjoint(with: reads($0).union(derives($0))) }
    }

    /// Roles that may connect to the SUB for proposals: those that may derive all of its streams.
    static func producers(of streams: [StreamName]) -> Set<BusRole> {
        let families = Set(streams.map(Family.init))
        return roles { !families.isEmpty && families.isSubset(of: derives($0)) }
    }

    private static func roles(_ isMeant: (BusRole) -> Bool) -> Set<BusRole> {
        Set(BusRole.allCases.filter(isMeant))
    }

    // MARK: Requests

    /// Returns why a role may not send a request; nil if it may.
    ///
    /// A consumer named after a role (`notifier`, `evaluator-7`) counts as that role when records
    /// are pruned. So only that role may set its position, by `ACK` or by a `HELLO` from an earlier
    /// one.
    static func objection(to request: Control, by role: BusRole) -> String? {
        switch request {
        case .headsRequest: return nil
        case .hello(let consumer, let entries):
            return foreign(consumer, role).map { "say hello as \($0)" }
                ?? unreadable(entries.map(\.stream), role)
        case .replay(_, let entry, _): return unreadable([entry.stream], role)
        case .snapshotRequest(_, let stream, _, _): return unreadable([stream], role)
        case .acknowledge(let consumer, let entries):
            return foreign(consumer, role).map { "acknowledge as \($0)" }
                ?? unreadable(entries.map(\.stream), role)
        case .join, .renew, .leave, .checkpoint:
            return derives(role).isEmpty ? "lease partitions" : nil
        // Not requests: rejected as frames.
        case .states, .chunk, .end, .assign, .checkpointReply: return nil
        }
    }

    /// The role after which a consumer is named, if it is another one.
    private static func foreign(_ consumer: String, _ role: BusRole) -> String? {
        owner(of: consumer).flatMap { $0 == role ? nil : $0.rawValue }
    }

    private static func unreadable(_ streams: [StreamName], _ role: BusRole) -> String? {
        streams.first { !mayRead($0, role) }.map { "read \($0)" }
    }

    /// The role after which a consumer is named.
    static func owner(of consumer: String) -> BusRole? {
        BusRole.allCases.first {
            consumer == $0.rawValue || consumer.hasPrefix($0.rawValue + "-")
        }
    }
}
