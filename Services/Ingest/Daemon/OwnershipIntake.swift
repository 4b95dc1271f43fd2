import Bus
import IngestCore
import Model
import Runtime
import Wire

/// Bounds what connections ask about the ownership of partitions.
///
/// All evaluators have one key, so each connection is counted apart, and members that join are
/// counted together. A request beyond the bounds is dropped: members repeat theirs each
/// second.
struct OwnershipIntake {
    private struct Asker {
        var requests = 0
        var pieces = 0
        /// The one member that speaks over this connection.
        var member: ID128?
        var seen: Timestamp
    }

    /// What a request that is admitted puts an end to.
    struct Admission {
        /// The member that spoke over this connection before.
        var member: ID128?
    }

    private var askers: [[UInt8]: Asker] = [:]
    private var second = Timestamp.zero
    private var joinsLeft = Limits.joinsAtOnce

    /// Counts a request.
    ///
    /// - Parameter isKnown: whether somebody is a member already
    /// - Returns: nil for a request to be dropped
    mutating func admit(
        _ request: Control, from route: Route, at now: Timestamp, isKnown: (ID128) -> Bool
    ) -> Admission? {
        begin(now)
        let key = route.bytes
        var asker = askers[key] ?? Asker(seen: now)
        asker.seen = now
        guard let member = request.member else {
            asker.pieces += 1
            guard asker.pieces <= Limits.piecesPerSecond, makeRoom(for: key) else { return nil }
            askers[key] = asker
            return Admission()
        }
        asker.requests += 1
        let isNew = !isKnown(member)
        guard asker.requests <= Limits.ownershipRequestsPerSecond, makeRoom(for: key),
            !isNew || joinsLeft > 0
        else {
            if askers[key] != nil { askers[key]?.requests = asker.requests }
            return nil
        }
        if isNew, request.makesMember { joinsLeft -= 1 }
        let before = asker.member
        asker.member = member
        askers[key] = asker
        return Admission(member: before == member ? nil : before)
    }

    /// A new second begins, in which each connection may ask again.
    private mutating func begin(_ now: Timestamp) {
        let passed = (now - second).components.seconds
        guard passed >= 1 || second == .zero else { return }
        second = now
        joinsLeft = Int(min(Int64(Limits.joinsAtOnce), Int64(joinsLeft) + max(0, passed)))
        askers = askers.filter { now - $0.value.seen <= .seconds(Limits.memberSeconds) }
        for key in askers.keys {
            askers[key]?.requests = 0
            askers[key]?.pieces = 0
        }
    }

    private func makeRoom(for key: [UInt8]) -> Bool {
        askers[key] != nil || askers.count < Limits.askersMax
    }
}

extension Control {
    /// The member that asks; nil for a piece of a checkpoint, which is counted otherwise.
    fileprivate var member: ID128? {
        switch self {
        case .join(let member, _), .renew(let member, _, _), .leave(let member): member
        default: nil
        }
    }

    fileprivate var makesMember: Bool {
        if case .leave = self { false } else { true }
    }
}
