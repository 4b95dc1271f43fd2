import Parsing

/// A zone of the tests.
struct Zone: Sendable {
    let name: String
    /// Well inside.
    let inside: Place
    private let geometry: JSON
    private let radius: JSON?

    /// A place that no zone of the tests is near.
    static let far = Place(latitude: 1.2, longitude: 103.6)

    /// A circle, for tests that need one zone.
    static let park = circle("Park", at: Place(latitude: 1.3, longitude: 103.8))

    /// A circle of 150 m.
    static func circle(_ name: String, at place: Place) -> Zone {
        Zone(
            name: name, inside: place,
            geometry: [
                "type": "Point",
                "coordinates": [.number(place.longitude), .number(place.latitude)],
            ], radius: 150)
    }

    /// A square of about 1.1 km.
    static func polygon(_ name: String, at place: Place) -> Zone {
        let corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)].map { x, y -> JSON in
            [
                .number(place.longitude + 0.005 * Double(x)),
                .number(place.latitude + 0.005 * Double(y)),
            ]
        }
        return Zone(
            name: name, inside: place,
            geometry: ["type": "Polygon", "coordinates": [.array(corners)]], radius: nil)
    }

    var feature: JSON {
        var properties: [JSON.Member] = [
            .init("name", .string(name)), .init("kind", "safe"),
        ]
        if let radius { properties.append(.init("radius", radius)) }
        return ["type": "Feature", "geometry": geometry, "properties": .object(properties)]
    }
}
