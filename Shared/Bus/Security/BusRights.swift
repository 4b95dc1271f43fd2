import Wire

/// What each role may do on the bus; this table is all of it.
///
/// It is asked at three doors: by the ZAP handler (who may connect to which socket), for each
/// question at the ROUTER (verbs and streams), and through the choice of sockets (what stands on
/// one PUB is for the same readers).
///
/// Subscriptions are not judged one by one. libzmq could (XPUB with `ZMQ_XPUB_MANUAL`, `User-Id` of
/// the subscription), but 4.3.4, which Debian 12 has, uses memory that is freed when a subscriber
/// leaves before its subscription is confirmed (zeromq/libzmq pull request 4137, mended in 4.3.5;
/// seen with valgrind). So `in/p`, which fewer may hear than the rest of what ingest keeps, has a
/// PUB of its own.
public enum BusRights {
    /// Streams that are read by the same roles.
    public enum Family: Sendable, CaseIterable {
        case inputs, events, sos, directory, fired, deliveries

        init(_ stream: StreamName) {
            switch stream {
            case .input: self = .inputs
            case .events: self = .events
            case .sos: self = .sos
            case .directory: self = .directory
            case .fired: self = .fired
            case .deliveries: self = .deliveries
            }
        }
    }

    /// What a role may follow: hear, be repeated, take snapshots of.
    static func reads(_ role: BusRole) -> Set<Family> {
        switch role {
        case .ingest: [.directory, .fired, .deliveries]
        case .membership: []
        case .evaluator: [.inputs]
        case .timer: [.events, .sos, .directory, .deliveries]
        case .notifier: [.events, .sos, .directory, .fired]
        case .operator: Set(Family.allCases)
        }
    }

    /// What a role may compute for the keeper of the stream.
    static func computes(_ role: BusRole) -> Set<Family> {
        role == .evaluator ? [.events] : []
    }

    static func mayRead(_ stream: StreamName, _ role: BusRole) -> Bool {
        reads(role).contains(Family(stream))
    }

    // MARK: Doors

    /// Who may connect to a PUB: whoever may read all that is published there.
    static func readers(of streams: [StreamName]) -> Set<BusRole> {
        let families = Set(streams.map(Family.init))
        return roles { !families.isEmpty && families.isSubset(of: reads($0)) }
    }

    /// Who may connect to a ROUTER: whoever may read or compute something that is kept there.
    static func askers(about streams: [StreamName]) -> Set<BusRole> {
        let families = Set(streams.map(Family.init))
        return roles { !families.isDisjoint(with: reads($0).union(computes($0))) }
    }

    /// Who may connect to the SUB for outputs: whoever may compute all that is taken there.
    static func computers(of streams: [StreamName]) -> Set<BusRole> {
        let families = Set(streams.map(Family.init))
        return roles { !families.isEmpty && families.isSubset(of: computes($0)) }
    }

    private static func roles(_ isMeant: (BusRole) -> Bool) -> Set<BusRole> {
        Set(BusRole.allCases.filter(isMeant))
    }

    // MARK: Questions

    /// Why a role may not ask this; nil when it may.
    ///
    /// A consumer that carries a role's name (`notifier`, `evaluator-7`) counts as that role when
    /// records are pruned, so only that role says under it how far it is: by an acknowledgement, or
    /// by a greeting from further back.
    static func objection(to question: Control, by role: BusRole) -> String? {
        switch question {
        case .headsWanted: return nil
        case .hello(let consumer, let entries):
            return foreign(consumer, role).map { "greet in the name of \($0)" }
                ?? unread(entries.map(\.stream), role)
        case .replay(_, let entry, _): return unread([entry.stream], role)
        case .snapshotWanted(_, let stream, _, _): return unread([stream], role)
        case .acknowledge(let consumer, let entries):
            return foreign(consumer, role).map { "acknowledge in the name of \($0)" }
                ?? unread(entries.map(\.stream), role)
        case .join, .renew, .leave, .checkpoint:
            return computes(role).isEmpty ? "own partitions" : nil
        // What is no question is refused as a frame.
        case .states, .chunk, .end, .assign, .checkpointAnswer: return nil
        }
    }

    /// The role whose name a consumer carries, if that is another one.
    private static func foreign(_ consumer: String, _ role: BusRole) -> String? {
        owner(of: consumer).flatMap { $0 == role ? nil : $0.rawValue }
    }

    private static func unread(_ streams: [StreamName], _ role: BusRole) -> String? {
        streams.first { !mayRead($0, role) }.map { "ask for \($0)" }
    }

    /// Whose name a consumer carries.
    static func owner(of consumer: String) -> BusRole? {
        BusRole.allCases.first {
            consumer == $0.rawValue || consumer.hasPrefix($0.rawValue + "-")
        }
    }
}
