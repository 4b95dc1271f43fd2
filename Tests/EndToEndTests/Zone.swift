import Foundation
import Parsing

/// A zone of the tests, beside ``outside``.
///
/// From there to the place inside are 50 m. Nobody can have come from far away in no time: the
/// evaluator waits for a second fix then.
struct Zone: Sendable {
    let name: String
    /// 25 m inside the edge, by a phone so fast that it can have come from ``outside`` within a
    /// second.
    let inside: Place
    private let geometry: JSON
    private let properties: [JSON.Member]

    /// 25 m outside the edges of all zones of the tests, on foot: one fix is enough to leave them.
    static let outside = Place(latitude: 1.3, longitude: 103.8, speed: 1.5)
    /// 175 m away from the edge of ``park`` and of ``river``, likewise.
    static let away = outside.moved(150, towards: 180, speed: 1.5)

    /// A circle, for tests that need one zone.
    static let park = circle("Park", towards: 0)

    /// An alert zone that is near from 100 m on, where a stay of 5 s is told.
    static let river = circle(
        "River", towards: 0,
        [
            .init("kind", "alert"), .init("alertDistance", 100), .init("dwell", 5),
            .init("transitions", ["enter", "exit", "approach", "dwell"]),
            .init("alarm", ["cycle": 3600]),
        ])

    /// A circle of 150 m. Five of them do not come to each other's places, 72° apart.
    static func circle(
        _ name: String, towards degrees: Double,
        _ properties: [JSON.Member] = [.init("kind", "safe")]
    ) -> Zone {
        Zone(
            name: name, inside: outside.moved(50, towards: degrees, speed: 60),
            geometry: [
                "type": "Point", "coordinates": outside.moved(175, towards: degrees).coordinates,
            ], properties: properties + [.init("radius", 150)])
    }

    /// A square of 1 km in the south.
    static func square(_ name: String) -> Zone {
        let middle = outside.moved(525, towards: 180)
        let corners = [45, 135, 225, 315, 45].map { degrees in
            middle.moved(500 * 2.0.squareRoot(), towards: degrees).coordinates
        }
        return Zone(
            name: name, inside: outside.moved(50, towards: 180, speed: 60),
            geometry: ["type": "Polygon", "coordinates": [.array(corners)]],
            properties: [.init("kind", "safe")])
    }

    var feature: JSON {
        [
            "type": "Feature", "geometry": geometry,
            "properties": .object([.init("name", .string(name))] + properties),
        ]
    }
}

extension Place {
    /// The place so many metres away, clockwise from north.
    fileprivate func moved(
        _ metres: Double, towards degrees: Double, speed: Double? = nil
    ) -> Place {
        let angle = degrees * .pi / 180
        return Place(
            latitude: latitude + metres * cos(angle) / 110_574,
            longitude: longitude + metres * sin(angle) / 111_290, speed: speed)
    }

    fileprivate var coordinates: JSON { [.number(longitude), .number(latitude)] }
}
