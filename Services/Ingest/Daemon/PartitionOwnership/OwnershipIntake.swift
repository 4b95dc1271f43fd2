import Bus
import IngestCore
import Model
import Runtime
import Wire

/// Limits the ownership requests of connections.
///
/// All evaluators have one key, so each connection has its own limit, and joining members share
/// one. A request beyond the limits is dropped: members repeat theirs each second.
struct OwnershipIntake {
    private struct Asker {
        var requests = 0
        var pieces = 0
        /// The only member that uses this connection.
        var member: ID128?
        var seen: Timestamp
    }

    /// The effect of admitting a request.
    struct Admission {
        /// The member that used this connection before; it has left.
        var member: ID128?
    }

    private var askers: [[UInt8]: Asker] = [:]
    private var second = Timestamp.zero
    private var joinsLeft = Limits.joinsAtOnce

    /// Counts a request.
    ///
    /// - Parameter isKnown: whether an id is a member already
    /// - Returns: nil if the request is to be dropped
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

    /// Resets the limits when a new second begins.
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
    /// The member that asks; nil for a piece of a checkpoint, which has its own limit.
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
