import Foundation
import Parsing

/// A zone of the tests. See also ``outside``.
///
/// The point inside is 50 m away. Without time for that distance, the evaluator would wait for a
/// second fix.
struct Zone: Sendable {
    let name: String
    /// 25 m inside the edge, with a speed that makes the distance from ``outside`` plausible within
    /// a second.
    let inside: Place
    private let geometry: JSON
    private let properties: [JSON.Member]

    /// 25 m outside the edges of all zones of the tests, on foot: one fix is enough to leave them.
    static let outside = Place(latitude: 1.3, longitude: 103.8, speed: 1.5)
    /// 175 m from the edge of ``park`` and of ``river``, on foot.
    static let away = outside.moved(150, towards: 180, speed: 1.5)

    /// A circle, for tests that need one zone.
    static let park = circle("Park", towards: 0)

    /// An alert zone with an alert distance of 100 m and a dwell time of 5 s.
    static let river = circle(
        "River", towards: 0,
        [
            .init("kind", "alert"), .init("alertDistance", 100), .init("dwell", 5),
            .init("transitions", ["enter", "exit", "approach", "dwell"]),
            .init("alarm", ["cycle": 3600]),
        ])

    /// A circle of 150 m. Five of them, 72° apart, do not contain each other's points.
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
    /// The point at this distance in metres, clockwise from north.
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
