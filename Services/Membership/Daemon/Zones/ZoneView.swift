import DirectoryViews
import Model
import Parsing
import ZoneFiles

extension View {
    /// A zone as a GeoJSON Feature.
    static func zone(_ zone: Zone) -> JSON {
        [
            "type": "Feature", "id": .string(zone.id.description),
            "geometry": GeoJSONShape.write(zone.shape),
            "properties": .object(
                ZoneField.all.members(of: zone) + [
                    owner(zone.owner), .init("version", .integer(zone.version)),
                ]),
        ]
    }

    /// The owner as a member such as `"circle": "cir_…"`.
    static func owner(_ owner: ZoneOwner) -> JSON.Member {
        switch owner {
        case .circle(let id): .init("circle", .string(id.description))
        case .person(let id): .init("person", .string(id.description))
        case .set(let id): .init("set", .string(id.description))
        }
    }
}
