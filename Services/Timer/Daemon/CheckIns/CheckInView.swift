import Model
import Parsing
import TimerCore
import Web

extension ScheduledCheckIn {
    /// The API's representation of a schedule.
    var json: JSON {
        var members: [JSON.Member] = [
            .init("id", .string(schedule.id.description)),
            .init("person", .string(schedule.person.description)),
            .init("name", .string(schedule.name)),
        ]
        switch schedule.rule {
        case .times(let minutes):
            members.append(.init("times", .array(minutes.map(CheckInText.time))))
        case .shifts(let windows, let everyMinutes):
            members.append(.init("shifts", .array(windows.map(CheckInText.shift))))
            members.append(.init("everyMinutes", .integer(Int64(everyMinutes))))
        }
        let exceptions = schedule.exceptions.map { JSON.string(CheckInText.date($0)) }
        members += [
            .init("except", .array(exceptions)),
            .init("answerMinutes", .integer(Int64(schedule.answerMinutes))),
            .init("active", .bool(schedule.isActive)),
            .init("timeZone", .string(timeZone)),
            .init(
                "next",
                schedule.isActive ? next.map { .string($0.description) } ?? .null : .null),
        ]
        if let recipients = schedule.recipients {
            members.append(
                .init("recipients", .array(recipients.map { .string($0.description) })))
        }
        if let open {
            members.append(
                .init(
                    "open",
                    [
                        "id": .string(open.id.description),
                        "state": .string(open.state.rawValue),
                        "due": .string(open.due.description),
                        "expires": .string(open.expires.description),
                        "late": .bool(open.late),
                    ]))
        }
        members += [
            .init("created", .string(schedule.created.description)),
            .init("version", .integer(schedule.version)),
        ]
        return .object(members)
    }

    /// The schedule as a response, with its version as ETag.
    func response(status: Int = 200) -> Response {
        var response = Response.json(json, status: status)
        response.headers["ETag"] = "\"\(schedule.version)\""
        if status == 201 {
            response.headers["Location"] =
                "/v1/people/\(schedule.person)/check-in-schedules/\(schedule.id)"
        }
        return response
    }
}

/// Times of a schedule as the API writes them.
private enum CheckInText {
    static func time(_ minute: Int) -> JSON {
        ["days": .array([day(minute)]), "at": clock(minute)]
    }

    static func shift(_ window: ZoneWindow) -> JSON {
        let days = JSON.array([day(window.start)])
        let isMidnight = window.end % MinuteOfDay.perDay == 0
        let to = isMidnight ? JSON.string("24:00") : clock(window.end)
        return ["days": days, "from": clock(window.start), "to": to]
    }

    static func date(_ day: Int32) -> String {
        String(Timestamp(seconds: Int64(day) * 86_400).description.prefix(10))
    }

    private static func day(_ minute: Int) -> JSON {
        .string(Weekday.allCases[minute / MinuteOfDay.perDay % 7].rawValue)
    }

    private static func clock(_ minute: Int) -> JSON {
        .string(MinuteOfDay.text(minute % MinuteOfDay.perDay))
    }
}

extension ScheduleRejection {
    /// The API's error.
    var problem: Problem {
        switch self {
        case .unknown: .notFound("check-in schedule not found")
        case .neverDue:
            .invalid(
                "the exceptions exclude every day", field: "except",
                hint: "Leave out some, or delete the schedule.")
        case .tooMany:
            .conflict(
                "a person may have \(Limits.schedulesPerPersonMax) check-in schedules",
                hint: "Delete one, or merge times into one schedule.")
        case .nobodyReachable(let reason):
            .conflict(
                "nobody could be notified if you did not answer: \(reason.explanation)",
                hint: reason.hint)
        case .pin(let rejection): rejection.problem
        }
    }
}

extension ScheduleResult {
    /// The response to the request.
    var response: Response {
        switch self {
        case .created(let row): row.response(status: 201)
        case .replaced(let row): row.response()
        case .removed: Response(status: 204)
        case .rejected(let rejection): .problem(rejection.problem)
        }
    }

    /// Whether an equal request has the same result for a while. A right PIN must count soon after
    /// a wrong one.
    var isFinal: Bool {
        if case .rejected(.pin) = self { false } else { true }
    }
}
