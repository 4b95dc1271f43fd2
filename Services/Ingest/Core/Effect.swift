import Directory
import JourneysCore
import Model

/// Work for the daemon, in this order, inside the turn's transaction. Responses are sent and events
/// published after COMMIT.
public enum Effect: Hashable, Sendable {
    /// Appends a record to `in/p`.
    case append(Event, Partition)
    /// Appends a record to `sos`.
    case raise(Event)
    /// The only response to a request.
    case answer(request: UInt64, Answer)

    case intake(IntakeEffect)
    case quarantine(QuarantineEffect)
    case device(DeviceEffect)
    case deviceLog(DeviceLogRow)
    case access(AccessRow)
    case journeys(Journeys.Effect)
    case emergency(EmergencyEffect)
    case followedPosition(FollowedPositionEffect)
    case alarm(AlarmEffect)
    case policy(PolicyEffect)
    case contact(ContactEffect)
    case decision(DecisionEffect)
    case sequencing(SequencingEffect)
    case configuration(ConfigurationEffect)

    /// Ids of events applied before this time may be deleted.
    case removeApplied(before: Timestamp)
    /// The person was removed: their data is to be erased, in portions.
    case erase(PersonID)
}

extension Turn<Effect> {
    /// Answers a request.
    mutating func answer(_ request: UInt64, _ answer: Answer) {
        emit(.answer(request: request, answer))
    }

    /// Checks a right, and answers the request if the principal does not have it.
    mutating func allows(
        _ principal: Principal, _ action: Action, on target: RightsTarget, for request: UInt64
    ) -> Bool {
        let denial = directory.decide(principal, action, on: target, at: now).denial
        if let denial { answer(request, .denied(denial)) }
        return denial == nil
    }

    /// The event of this turn's time that an input leads to on `sos`.
    mutating func raise(_ body: EventBody, id: EventID, trace: String) {
        emit(.raise(Event(id: id, time: now, trace: trace, body: body)))
    }
}

extension Journeys {
    /// Handles an input in a turn of ingest.
    mutating func handle(_ input: Input, _ turn: inout Turn<IngestCore.Effect>) {
        var own = Turn<Effect>(now: turn.now, directory: turn.directory)
        handle(input, &own)
        for effect in own.effects { turn.emit(.journeys(effect)) }
    }
}
