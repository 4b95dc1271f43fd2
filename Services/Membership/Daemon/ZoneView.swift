import Model
import Parsing
import ZoneFiles

extension View {
    /// A zone as a GeoJSON Feature.
    static func zone(_ zone: Zone) -> JSON {
        [
            "type": "Feature", "id": .string(zone.id.description),
            "geometry": GeoJSONShape.write(zone.shape),
            "properties": .object(properties(of: zone)),
        ]
    }

    private static func properties(of zone: Zone) -> [JSON.Member] {
        var members: [JSON.Member] = [
            .init("name", .string(zone.name)), .init("kind", .string(zone.kind.rawValue)),
            .init("category", .string(zone.category)), .init("active", .bool(zone.active)),
            .init("priority", .integer(Int64(zone.priority))),
        ]
        switch zone.shape {
        case .circle(_, let radius): members.append(.init("radius", metres(radius)))
        case .corridor(_, let width): members.append(.init("halfWidth", metres(width)))
        case .polygons: break
        }
        members += [
            .init("inset", metres(zone.insetCentimetres)),
            .init("hysteresis", .integer(Int64(zone.hysteresisMetres))),
            .init("alertDistance", .integer(Int64(zone.alertDistanceMetres))),
            .init("dwell", .integer(Int64(zone.dwellSeconds))),
            .init("timeZone", text(zone.clock?.timeZone)),
            .init("schedule", schedule(of: zone)),
            .init("absentBy", text(zone.absentByMinute.map(MinuteOfDay.text))),
            .init("transitions", .array(zone.transitions.map { .string($0.rawValue) })),
            .init("alarm", alarm(zone.alarm)),
            .init("audience", zone.audience.map(audience) ?? .null),
            .init("messages", .array(zone.messages.map { .string($0.description) })),
            .init("extra", .array(zone.extra.map { .string($0) })),
            owner(zone.owner), .init("version", .integer(zone.version)),
        ]
        return members
    }

    /// The owner as a member such as `"circle": "cir_…"`.
    static func owner(_ owner: ZoneOwner) -> JSON.Member {
        switch owner {
        case .circle(let id): .init("circle", .string(id.description))
        case .person(let id): .init("person", .string(id.description))
        case .set(let id): .init("set", .string(id.description))
        }
    }

    private static func metres(_ centimetres: Int32) -> JSON { .number(Double(centimetres) / 100) }

    private static func schedule(of zone: Zone) -> JSON {
        guard let schedule = zone.schedule, let clock = zone.clock else { return .null }
        return ZoneTimes.json(of: schedule, timeZone: clock.timeZone)
    }

    private static func alarm(_ alarm: ZoneAlarm) -> JSON {
        [
            "vibrate": .bool(alarm.vibrates), "sound": .string(alarm.sound),
            "cycle": .integer(Int64(alarm.cycleSeconds)),
            "sleep": .integer(Int64(alarm.sleepSeconds)),
        ]
    }

    private static func audience(_ audience: ZoneAudience) -> JSON {
        [
            "roles": .array(audience.roles.map { .string($0.rawValue) }),
            "people": .array(audience.people.map { .string($0.description) }),
        ]
    }
}
