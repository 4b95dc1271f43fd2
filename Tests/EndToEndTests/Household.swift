import Parsing
import TestSupport
import Testing

/// A running suite with a circle in it: Anna is a member, Bob a guardian, Cara an admin. Anna has a
/// phone; everybody has a number and a mail address.
final class Household {
    let suite: RunningSuite
    let circle: String
    let anna: Person
    let bob: Person
    let cara: Person
    /// Anna's phone.
    let phone: Phone
    /// The operator.
    let admin: API

    /// Somebody with an account.
    struct Person {
        let name: String
        let id: String
        let number: String
        var mail: String { "\(name.lowercased())@example.test" }
        /// The API in their name.
        let api: API
    }

    /// Makes the circle in a suite that runs.
    init(in suite: RunningSuite) throws {
        self.suite = suite
        admin = API(http: suite.http, token: try suite.operatorToken())
        circle = try admin.call("POST", "/v1/circles", ["name": "Family"]).text("id")
        anna = try Household.person("Anna", number: "+15550001001", admin)
        bob = try Household.person("Bob", number: "+15550001002", admin)
        cara = try Household.person("Cara", number: "+15550001003", admin)
        for (person, role) in [(cara, "admin"), (bob, "guardian"), (anna, "member")] {
            try admin.call(
                "POST", "/v1/circles/\(circle)/members",
                ["person": .string(person.id), "role": .string(role)])
        }
        let device = try admin.call(
            "POST", "/v1/people/\(anna.id)/devices", ["name": "phone", "platform": "android"])
        let token = try device.member("credential").text("token")
        phone = Phone(API(http: suite.http, token: token), name: "anna")
    }

    private static func person(_ name: String, number: String, _ admin: API) throws -> Person {
        let id = try admin.call(
            "POST", "/v1/people",
            [
                "name": .string(name),
                "contacts": [
                    ["channel": "sms", "address": .string(number)],
                    ["channel": "email", "address": .string("\(name.lowercased())@example.test")],
                ],
            ]
        ).text("id")
        let made = try admin.call("POST", "/v1/people/\(id)/credentials", [:])
        let token = try made.member("credential").text("token")
        return Person(
            name: name, id: id, number: number, api: API(http: admin.http, token: token))
    }

    /// Adds a zone.
    func add(_ zone: Zone) throws {
        try admin.call("POST", "/v1/circles/\(circle)/zones", zone.feature)
    }

    var people: [Person] { [anna, bob, cara] }

    /// What the built-in outbox holds.
    func told() throws -> [Told] {
        try admin.list("/v1/outbox").map { item in
            let to = try item.text("to")
            let person = people.first { $0.number == to || $0.mail == to }
            return Told(
                way: try item.text("channel") == "sms" ? .sms : .mail, to: person?.name ?? to,
                text: try item.text("text"))
        }
    }
}

/// A zone of the tests.
struct Zone: Sendable {
    let name: String
    /// Well inside.
    let inside: Place
    private let geometry: JSON
    private let radius: JSON?

    /// A place that no zone of the tests is near.
    static let far = Place(latitude: 1.2, longitude: 103.6)

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
