import API
import Directory
import Model
import Parsing
import Runtime
import TimerCore
import Web

/// Parses and authorizes requests about check-in schedules.
struct CheckInRequests {
    let core: TimerCore
    let access: RequestAccess
    /// Whether the offsets of a time zone are known.
    let isTimeZone: (String) -> Bool

    func outcome(
        of request: Request, _ operation: TimerOperation.CheckIns, _ parameters: Parameters
    ) throws(Problem) -> ParsedRequest {
        switch operation {
        case .list:
            let person = try access.person(parameters, for: .readPerson)
            let rows = core.schedules(of: person)
            return .respond(.json(["items": .array(rows.map(\.json))]))
        case .show:
            return .respond(try row(parameters, for: .readPerson).response())
        case .create:
            let person = try access.person(parameters, for: .watch)
            let body = try CheckInBody(request.json())
            let id = CheckInScheduleID(SecureRandom.id())
            return .input(
                .createSchedule(try draft(body, id, of: person), request: request.id))
        case .replace:
            let known = try row(parameters, for: .watch).schedule
            try check(request.headers["If-Match"], against: known.version)
            let body = try CheckInBody(request.json())
            return .input(
                .replaceSchedule(
                    try draft(body, known.id, of: known.person),
                    pin: try access.pin(in: request, of: known.person), request: request.id))
        case .remove:
            let known = try row(parameters, for: .watch).schedule
            try check(request.headers["If-Match"], against: known.version)
            return .input(
                .removeSchedule(
                    known.id, pin: try access.pin(in: request, of: known.person),
                    request: request.id))
        }
    }

    private func row(
        _ parameters: Parameters, for action: Action
    ) throws(Problem) -> ScheduledCheckIn {
        let person = try access.person(parameters, for: action)
        let id = try parameters.id("schedule", CheckInScheduleID.self)
        guard let row = core.schedule(id), row.schedule.person == person else {
            throw ScheduleRejection.unknown.problem
        }
        return row
    }

    private func draft(
        _ body: CheckInBody, _ id: CheckInScheduleID, of person: PersonID
    ) throws(Problem) -> ScheduleDraft {
        let timeZone = access.replica.person(person)?.timeZone ?? "UTC"
        guard isTimeZone(timeZone) else {
            throw .conflict(
                "the time zone of the person is unknown",
                hint: "Set the time zone in the profile first.")
        }
        try access.replica.checkRecipients(body.recipients, of: person)
        let obstacle = access.reachability.obstacle(
            toHelpersOf: person, among: body.recipients, in: access.replica, at: access.now)
        return ScheduleDraft(
            schedule: CheckInSchedule(
                id: id, person: person, name: body.name, rule: body.rule,
                exceptions: body.exceptions, recipients: body.recipients,
                answerMinutes: body.answerMinutes, isActive: body.isActive,
                created: access.now),
            timeZone: timeZone, obstacle: body.isActive ? obstacle : nil)
    }

    private func check(_ header: String?, against version: Int64) throws(Problem) {
        guard let header, header != "*", header != "\"\(version)\"" else { return }
        throw .outdated(
            "the schedule has changed", hint: "Read it again; its version is \(version).")
    }
}
