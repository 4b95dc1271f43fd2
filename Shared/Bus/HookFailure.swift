import Wire

/// A ``WireError`` thrown by a hook.
///
/// A ``WireError`` of the bus itself rejects one frame and keeps the turn. An error of a hook must
/// roll back the turn instead, so it is wrapped.
struct HookFailure: Error, Hashable, CustomStringConvertible {
    let error: WireError

    var description: String { "\(error)" }

    /// Runs a hook, wrapping its ``WireError``.
    static func wrapping(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as WireError {
            throw HookFailure(error: error)
        }
    }
}

extension Bus.Hooks {
    /// These hooks, with their ``WireError`` wrapped in ``HookFailure``.
    var guarded: Bus.Hooks {
        var all = self
        all.replace = { [replace] stream, records, position in
            try HookFailure.wrapping { try replace(stream, records, position) }
        }
        all.restarted = { [restarted] stream, position in
            try HookFailure.wrapping { try restarted(stream, position) }
        }
        all.coordinate = { [coordinate] request, route in
            try HookFailure.wrapping { try coordinate(request, route) }
        }
        all.proposalRejected = { [proposalRejected] stream, member, reason in
            try HookFailure.wrapping { try proposalRejected(stream, member, reason) }
        }
        all.revoked = { [revoked] partition in
            try HookFailure.wrapping { try revoked(partition) }
        }
        all.checkpointed = { [checkpointed] partition, verdict in
            try HookFailure.wrapping { try checkpointed(partition, verdict) }
        }
        return all
    }
}
