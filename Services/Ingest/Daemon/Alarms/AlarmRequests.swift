import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Web

/// Answers to alarms.
struct AlarmRequests {
    let runner: CoreRunner

    /// `POST /v1/people/{person}/alarm/{action}`. The body is optional; `zone` in it selects one
    /// alarm.
    func answerAlarm(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        guard let action = AlarmAction(rawValue: parameters["action"]) else {
            let all = AlarmAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.notFound("there is no such action", hint: "one of \(all)")
        }
        var zone: ZoneID?
        if let member = try request.object()?["zone"], !member.isNull {
            zone = member.string.flatMap { ZoneID($0) }
            if zone == nil {
                throw Problem.invalid("this is not a zone id", field: "zone")
            }
        }
        guard try !runner.replies.isRepeatedCommand(request, by: principal) else { return }
        let cause = SecureRandom.id()
        try runner.handle(
            .alarm(
                AlarmRequest(
                    request: request.id, principal: principal, person: person, action: action,
                    zone: zone, cause: cause, trace: request.trace)))
    }
}

extension Responses {
    static func body(of view: AlarmView) -> JSON {
        [
            "armed": .bool(view.isArmed),
            "alarms": .array(view.alarms.map { .object(members(of: $0)) }),
        ]
    }

    private static func members(of row: AlarmRow) -> [JSON.Member] {
        let change = row.change
        return [
            .init("id", .string(change.alarm.description)),
            .init(
                "zone",
                [
                    "id": .string(change.zone.description), "name": .string(change.zoneName),
                    "category": .string(change.category),
                    "priority": .integer(Int64(change.priority)),
                ]),
            .init("presence", .string(change.presence.rawValue)),
            .init("started", .string(row.started.description)),
            .init("rang", .string(row.rang.description)),
            .init("rings", .integer(Int64(change.rings))),
            .init("audible", .bool(change.isAudible)),
            .init("initial", .bool(change.initial)), .init("vibrate", .bool(change.vibrates)),
            .init("sound", .string(change.sound)),
            .init("answer", row.answer.map { .string($0.rawValue) } ?? .null),
        ]
    }

    static func body(of view: PolicyView) -> JSON {
        let policy = view.policy
        var members: [JSON.Member] = [
            .init("mark", .string(view.mark)),
            .init("device", .string(policy.device.description)),
            .init("mode", .string(policy.mode.rawValue)),
            .init("interval", .integer(Int64(policy.intervalSeconds))),
            .init("contactTimeout", .integer(Int64(policy.contactTimeoutSeconds))),
        ]
        if let metres = policy.distanceFilterMetres {
            members.append(.init("distanceFilter", .integer(Int64(metres))))
        }
        if !policy.regions.isEmpty {
            let regions = policy.regions.map { region -> JSON in
                [
                    "zone": .string(region.zone.description),
                    "lat": .number(region.center.latitude),
                    "lon": .number(region.center.longitude),
                    "radius": .integer(Int64(region.radiusMetres)),
                ]
            }
            members.append(.init("regions", .array(regions)))
        }
        members.append(.init("since", view.since.map { .string($0.description) } ?? .null))
        members.append(.init("confirmed", .bool(view.isConfirmed)))
        return .object(members)
    }
}
