import Directory
import Hashing
import Model

/// An action on zone alarms.
public enum AlarmAction: String, Sendable, CaseIterable {
    /// Stops the current ring.
    case close
    /// Silences the alarm for the zone's sleep time.
    case sleep
    case arm, disarm
}

/// `POST /v1/people/{person}/alarm/{action}`.
public struct AlarmRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    public var action: AlarmAction
    /// Nil = all active alarms.
    public var zone: ZoneID?
    /// Equal for a repeated request.
    public var cause: ID128
    public var trace: String

    public init(
        request: UInt64, principal: Principal, person: PersonID, action: AlarmAction,
        zone: ZoneID? = nil, cause: ID128, trace: String = ""
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.action = action
        self.zone = zone
        self.cause = cause
        self.trace = trace
    }
}

/// Whether a person's alarms are armed, and the active ones.
public struct AlarmView: Hashable, Sendable {
    public var isArmed: Bool
    /// The most urgent first.
    public var alarms: [AlarmRow]
}

extension Core {
    /// Passes a person's action on their alarms to the evaluator, which decides the result.
    mutating func answerAlarm(
        _ request: AlarmRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let person = request.person
        let decision = directory.decide(
            request.principal, .answerAlarms, on: .person(person), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        switch request.action {
        case .arm, .disarm:
            let armed = request.action == .arm
            if alarms.arm(person, armed, into: &effects) {
                append(
                    .inputArming(
                        Arming(person: person, armed: armed, at: now, trace: request.trace)),
                    of: person, cause: request.cause, trace: request.trace, at: now,
                    into: &effects)
            }
        case .close, .sleep:
            let action: AlarmAnswer.Action = request.action == .close ? .close : .sleep
            alarms.recordAnswer(person, request.zone, action, into: &effects)
            append(
                .inputAlarmAnswer(
                    AlarmAnswer(
                        person: person, zone: request.zone, action: action, at: now,
                        trace: request.trace)), of: person, cause: request.cause,
                trace: request.trace, at: now, into: &effects)
        }
        effects.append(.answer(request: request.request, .alarm(alarmView(of: person))))
    }

    mutating func readAlarm(
        _ request: ReadRequest<PersonID>, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let decision = directory.decide(
            request.principal, .answerAlarms, on: .person(request.id), at: now)
        effects.append(
            .answer(
                request: request.request,
                decision.denial.map { Answer.denied($0) } ?? .alarm(alarmView(of: request.id))))
    }

    private func alarmView(of person: PersonID) -> AlarmView {
        AlarmView(isArmed: alarms.isArmed(person), alarms: alarms.active(person))
    }
}
