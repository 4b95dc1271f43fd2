import API
import Directory
import Model
import NotifierCore
import Parsing
import Runtime
import Web

/// Requests for drills of a circle.
struct DrillRequests {
    let context: RequestContext

    func outcome(
        of request: Request, _ operation: NotifierOperation, _ parameters: Parameters,
        by principal: Principal
    ) throws -> RequestOutcome {
        let circle = try parameters.id("circle", CircleID.self)
        func drill() throws(Problem) -> DrillID { try parameters.id("drill", DrillID.self) }
        func command(_ action: DrillCommand.Action) -> RequestOutcome {
            .submit(
                .drill(
                    DrillCommand(
                        request: request.id, circle: circle, principal: principal, action,
                        trace: request.trace)))
        }
        switch operation {
        case .drill: return try show(drill(), of: circle, for: principal)
        case .startDrill: return command(.start(DrillID(SecureRandom.id())))
        case .stopDrill: return command(.stop(try drill()))
        case .scheduleDrills: return command(try schedule(in: request))
        case .unscheduleDrills: return command(.unschedule)
        default: return try list(of: circle, for: principal)
        }
    }

    // MARK: Reading

    private func list(of id: CircleID, for principal: Principal) throws -> RequestOutcome {
        let circle = try readable(id, for: principal)
        let rows = try context.store.drills(of: id, limit: Limits.drillsListedMax)
        let core = context.core
        let items = rows.map { row in
            Documents.drill(
                (core.drills[row.id] ?? row).shown(
                    to: principal.person, in: circle, context.directory), in: context.directory)
        }
        return .respond(
            .json([
                "schedule": core.drills.schedule(of: id).map {
                    Documents.drillSchedule($0, in: context.directory)
                } ?? .null,
                "items": .array(items), "next": .null,
            ]))
    }

    private func show(
        _ id: DrillID, of circleID: CircleID, for principal: Principal
    ) throws -> RequestOutcome {
        let circle = try readable(circleID, for: principal)
        guard let row = try context.core.drills[id] ?? context.store.drill(id),
            row.circle == circleID
        else { throw Problem.notFound("there is no such drill") }
        return .respond(
            .json(
                Documents.drill(
                    row.shown(to: principal.person, in: circle, context.directory),
                    in: context.directory)))
    }

    private func readable(_ id: CircleID, for principal: Principal) throws(Problem) -> Circle {
        let decision = context.directory.decide(
            principal, .readReadiness, on: .circle(id), at: context.now)
        guard let circle = context.directory.circle(id), decision != .denied(.notAMember) else {
            throw .notFound("there is no such circle")
        }
        if let denial = decision.denial { throw .denied(denial.explanation) }
        return circle
    }

    // MARK: Schedules

    /// Reads `{"day": 1, "time": "10:00"}`.
    private func schedule(in request: Request) throws(Problem) -> DrillCommand.Action {
        let body = try request.json()
        guard let day = body["day"]?.int,
            (1...Limits.drillDayMax).contains(day)
        else {
            throw .invalid(
                "this is not a day of every month", field: "day",
                hint: "use 1 to \(Limits.drillDayMax)")
        }
        let parts = (body["time"]?.string ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
            let hour = UntrustedNumber.integer(parts[0], in: 0...23),
            let minute = UntrustedNumber.integer(parts[1], in: 0...59)
        else {
            throw .invalid("this is not a time of day", field: "time", hint: "such as 10:00")
        }
        return .schedule(day: day, minute: Int(hour) * 60 + Int(minute))
    }
}

extension Documents {
    static func response(to answer: DrillAnswer, in directory: Replica) -> Response {
        switch answer {
        case .drill(let drill): .json(Documents.drill(drill, in: directory))
        case .schedule(let schedule): .json(drillSchedule(schedule, in: directory))
        case .unscheduled: Response(status: 204)
        case .denied(let denial): .problem(.denied(denial.explanation))
        case .unknown: .problem(.notFound("there is no such circle or drill"))
        case .refused(.emergency):
            .problem(
                .conflict(
                    "a member of the circle has an emergency",
                    hint: "start the drill once it is over"))
        case .refused(.running):
            .problem(
                .conflict(
                    "a drill of the circle is running", hint: "wait for its end, or stop it"))
        case .refused(.tooSoon):
            .problem(
                .conflict(
                    "the last drill of the circle was less than 30 minutes ago",
                    hint: "read its report"))
        case .refused(.nobodyAgreed):
            .problem(
                .conflict(
                    "no other member has agreed to take part in drills",
                    hint: "each of them sets joinsDrills of their membership"))
        }
    }

    static func drillSchedule(_ schedule: DrillSchedule, in directory: Replica) -> JSON {
        let (hour, minute) = (schedule.minute / 60, schedule.minute % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return [
            "person": person(schedule.person, in: directory),
            "day": .integer(Int64(schedule.day)),
            "time": .string("\(two(hour)):\(two(minute))"),
            "timeZone": (directory.person(schedule.person)?.timeZone).map(JSON.string) ?? .null,
            "next": .string(schedule.next.description),
            "skipped": schedule.skipped.map { .string($0.description) } ?? .null,
        ]
    }

    static func drill(_ drill: Drill, in directory: Replica) -> JSON {
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }
        let answered = drill.participants.filter { $0.answered != nil }.count
        return [
            "id": .string(drill.id.description), "circle": .string(drill.circle.description),
            "startedBy": person(drill.starter, in: directory),
            "scheduled": .bool(drill.isScheduled), "state": .string(drill.state.rawValue),
            "started": time(drill.started), "ended": time(drill.ended),
            "stoppedBy": drill.stop == nil ? .null : "emergency",
            "notified": .integer(Int64(drill.participants.count)),
            "answered": .integer(Int64(answered)),
            "participants": .array(drill.participants.map { participant($0, in: directory) }),
            "notAsked": .array(drill.notAsked.map { person($0, in: directory) }),
        ]
    }

    private static func participant(_ row: DrillParticipant, in directory: Replica) -> JSON {
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }
        return [
            "person": person(row.person, in: directory), "tier": .integer(Int64(row.tier + 1)),
            "notified": time(row.notified), "reason": .string(row.reason.rawValue),
            "answered": time(row.answered),
            "answeredAfterSeconds": row.answered.map {
                .integer(max(0, ($0 - row.notified).milliseconds / 1000))
            } ?? .null,
            "answeredBy": row.way.map { .string($0.rawValue) } ?? .null,
            "messages": .array(
                row.messages.map { message in
                    [
                        "channel": .string(message.channel.rawValue),
                        "state": .string(message.state.rawValue),
                        "gateway": .string(message.gateway), "answer": .string(message.answer),
                        "accepted": time(message.accepted), "delivered": time(message.delivered),
                        "failed": .bool(message.state.isFailure),
                    ]
                }),
        ]
    }
}

extension NotificationState {
    /// Whether the message did not reach its recipient, as far as known.
    fileprivate var isFailure: Bool {
        switch self {
        case .rejected, .expired, .unknown: true
        case .queued, .sending, .accepted, .delivered, .sink: false
        }
    }
}
