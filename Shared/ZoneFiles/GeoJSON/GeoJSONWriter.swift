import Model
import Parsing

/// Writes zones as a GeoJSON FeatureCollection (RFC 7946) with the field names of the HTTP API.
enum GeoJSONWriter {
    static func write(_ drafts: [ZoneDraft]) -> [UInt8] {
        let json: JSON = [
            "type": "FeatureCollection", "features": .array(drafts.map(feature)),
        ]
        return json.serialized() + [0x0A]
    }

    static func feature(_ draft: ZoneDraft) -> JSON {
        var properties: [JSON.Member] = [
            .init("name", .string(draft.name)), .init("kind", .string(draft.kind.rawValue)),
            .init("category", .string(draft.category)), .init("active", .bool(draft.active)),
            .init("priority", .integer(Int64(draft.priority))),
        ]
        switch draft.shape {
        case .circle(_, let radius): properties.append(.init("radius", metres(radius)))
        case .corridor(_, let half): properties.append(.init("halfWidth", metres(half)))
        case .polygons: break
        }
        func whole(_ name: String, _ value: Int) {
            properties.append(.init(name, .integer(Int64(value))))
        }
        whole("hysteresis", draft.hysteresisMetres)
        if let transitions = draft.transitions {
            properties.append(
                .init("transitions", .array(transitions.map { .string($0.rawValue) })))
        }
        properties.append(.init("inset", metres(draft.insetCentimetres)))
        whole("alertDistance", draft.alertDistanceMetres)
        whole("dwell", draft.dwellSeconds)
        properties.append(
            .init(
                "alarm",
                [
                    "vibrate": .bool(draft.alarm.vibrates), "sound": .string(draft.alarm.sound),
                    "cycle": .integer(Int64(draft.alarm.cycleSeconds)),
                    "sleep": .integer(Int64(draft.alarm.sleepSeconds)),
                ]))
        if !draft.extra.isEmpty {
            properties.append(.init("extra", .array(draft.extra.map(JSON.string))))
        }
        return [
            "type": "Feature", "geometry": GeoJSONShape.write(draft.shape),
            "properties": .object(properties),
        ]
    }

    private static func metres(_ centimetres: Int32) -> JSON {
        centimetres % 100 == 0
            ? .integer(Int64(centimetres / 100)) : .number(Double(centimetres) / 100)
    }
}
