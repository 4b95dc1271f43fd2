import Wire

/// What the bus's owner could not read, of its own or of a snapshot.
///
/// Errors of the wire are also how frames are refused, and a refused frame undoes nothing. This is
/// no refusal: the turn is undone.
struct HookFailure: Error, Hashable, CustomStringConvertible {
    let error: WireError

    var description: String { "\(error)" }

    /// Does what the owner does.
    static func wrapping(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as WireError {
            throw HookFailure(error: error)
        }
    }
}

extension Bus.Hooks {
    /// These hooks, with errors of the wire told from those of the frame that led to them.
    var guarded: Bus.Hooks {
        var all = self
        all.replace = { [replace] stream, records, position in
            try HookFailure.wrapping { try replace(stream, records, position) }
        }
        all.restarted = { [restarted] stream, position in
            try HookFailure.wrapping { try restarted(stream, position) }
        }
        all.coordinate = { [coordinate] question, route in
            try HookFailure.wrapping { try coordinate(question, route) }
        }
        all.proposalRejected = { [proposalRejected] stream, member, reason in
            try HookFailure.wrapping { try proposalRejected(stream, member, reason) }
        }
        all.lost = { [lost] partition in
            try HookFailure.wrapping { try lost(partition) }
        }
        all.checkpointed = { [checkpointed] partition, verdict in
            try HookFailure.wrapping { try checkpointed(partition, verdict) }
        }
        return all
    }
}
