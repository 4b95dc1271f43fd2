import Hosting
import Model
import Parsing
import Web

/// A person of a simulated world.
struct SimulatedPerson {
    let name: String
    var id: PersonID
    var token = ""
    /// Nil for people without a reporting phone.
    var phone: Phone?

    var number: String { "+6010000000\(name.utf8.first ?? 0)" }
    var mail: String { "\(name.lowercased())@people.test" }
}

/// The people of a world: a family, and a club that shares one member with it. The two circles are
/// isolated from each other.
final class Household {
    private unowned let world: World
    private(set) var people: [String: SimulatedPerson] = [:]
    private(set) var circles: [String: CircleID] = [:]
    /// By circle and name.
    var zones: [String: ZoneID] = [:]
    /// A ward of Cho, who takes over during the run.
    private(set) var ward: (id: PersonID, until: Timestamp)?
    private var waiting = 0
    private var hasLists = false
    private(set) var isReady = false

    static let names = ["Anna", "Ben", "Cho", "Dee", "Eve", "Fay"]
    static let members: [(circle: String, person: String, role: String)] = [
        ("Family", "Cho", "admin"), ("Family", "Ben", "guardian"), ("Family", "Anna", "member"),
        ("Family", "Fay", "guardian"),
        ("Club", "Dee", "admin"), ("Club", "Eve", "guardian"), ("Club", "Anna", "member"),
    ]
    static let withPhone: Set<String> = ["Anna", "Ben", "Dee", "Eve"]
    /// Who is on whose never-notify list.
    static let hidden: [(person: String, from: String)] = [("Anna", "Fay"), ("Dee", "Eve")]
    /// Who never agrees to be shown to the members of the club.
    static let reserved = "Dee"
    /// Milliseconds after the set-up at which the ward takes over.
    private static let wardMilliseconds: Int64 = 45_000
    /// 64 characters, as in the token file.
    static let operatorToken = String(repeating: "operator", count: 8)

    init(_ world: World) { self.world = world }

    /// All people, by name.
    var everyone: [SimulatedPerson] { Household.names.compactMap { people[$0] } }

    func person(withID id: PersonID?) -> SimulatedPerson? { people.values.first { $0.id == id } }

    /// Whether two people were ever in one circle.
    func share(_ one: PersonID, _ other: PersonID) -> Bool {
        guard let one = self.person(withID: one)?.name, let other = self.person(withID: other)?.name
        else { return false }
        let circles = Household.members.filter { $0.person == one }.map(\.circle)
        return Household.members.contains { $0.person == other && circles.contains($0.circle) }
    }

    /// Whether somebody must never be notified or shown anything about a person.
    func hides(_ person: PersonID, from viewer: PersonID) -> Bool {
        let (name, other) = (self.person(withID: person)?.name, self.person(withID: viewer)?.name)
        return Household.hidden.contains { $0.person == name && $0.from == other }
    }

    /// The circles of a person.
    func circles(of person: PersonID) -> Set<CircleID> {
        let name = self.person(withID: person)?.name
        return Set(Household.members.filter { $0.person == name }.compactMap { circles[$0.circle] })
    }

    /// Codes of new accounts, by name.
    private var activationCodes: [String: String] = [:]

    // MARK: Set-up

    /// Creates everything at membership; ready when all requests are answered.
    func begin() {
        for name in ["Family", "Club"] {
            ask("/v1/circles", Household.circle(name)) { [self] json in
                circles[name] = json["id"]?.string.flatMap { CircleID($0) }
            }
        }
        for name in Household.names {
            ask("/v1/people", Household.person(name)) { [self] json in
                guard let id = json["id"]?.string.flatMap({ PersonID($0) }) else { return }
                people[name] = SimulatedPerson(name: name, id: id)
                activationCodes[name] = json["activation"]?["code"]?.string
            }
        }
    }

    private func continueWithMembers() {
        for entry in Household.members {
            guard let circle = circles[entry.circle], let person = people[entry.person] else {
                continue
            }
            ask(
                "/v1/circles/\(circle)/members",
                [
                    "person": .string(person.id.description), "role": .string(entry.role),
                ]
            ) { _ in }
        }
        for (circle, place) in [("Family", Place.home), ("Family", .school), ("Club", .hall)] {
            guard let id = circles[circle] else { continue }
            ask("/v1/circles/\(id)/zones", place.zone()) { [self] json in
                zones["\(circle) \(place.name)"] = json["id"]?.string.flatMap { ZoneID($0) }
            }
        }
        for person in people.values.sorted(by: { $0.name < $1.name }) {
            let code: JSON = ["code": .string(activationCodes[person.name] ?? "")]
            ask("/v1/people/\(person.id)/activation", code) { [self] json in
                people[person.name]?.token = json["credential"]?["token"]?.string ?? ""
            }
            guard Household.withPhone.contains(person.name) else { continue }
            ask("/v1/people/\(person.id)/devices", ["name": "phone"]) { [self] json in
                guard let id = json["device"]?["id"]?.string.flatMap({ DeviceID($0) }),
                    let token = json["credential"]?["token"]?.string
                else { return }
                people[person.name]?.phone = Phone(
                    of: person.name, id, token: token, in: world, world.chance.fork())
            }
        }
    }

    private func continueWithLists() {
        for entry in Household.hidden {
            guard let person = people[entry.person], let other = people[entry.from] else {
                continue
            }
            ask(
                "/v1/people/\(person.id)/never-notify",
                ["people": [.string(other.id.description)]], .put, as: person.token
            ) { [self] json in hasLists = json["people"] != nil }
        }
    }

    /// Cho declares a ward.
    private func continueWithWard() {
        guard let guardian = people["Cho"] else { return }
        let until = world.trueTime + .milliseconds(Household.wardMilliseconds)
        ask(
            "/v1/people/\(guardian.id)/wards",
            ["name": "Gus", "wardUntil": .string(until.description)], as: guardian.token
        ) { [self] json in
            ward = json["id"]?.string.flatMap { PersonID($0) }.map { ($0, until) }
        }
    }

    private func ask(
        _ path: String, _ body: JSON, _ method: Web.Method = .post,
        as token: String = Household.operatorToken, then handle: @escaping (JSON) -> Void
    ) {
        waiting += 1
        let clientRequest = ClientRequest(
            method, path, of: .membership, body, as: token, key: "make-\(world.newNumber())"
        ) { [self] response, _ in
            waiting -= 1
            if let json = try? JSON.parse(response.body) { handle(json) }
            guard waiting == 0 else { return }
            if zones.isEmpty {
                continueWithMembers()
            } else if !hasLists {
                continueWithLists()
            } else if ward == nil {
                continueWithWard()
            } else {
                isReady = true
            }
        }
        world.clientRequests.begin(clientRequest)
    }

    private static func circle(_ name: String) -> JSON {
        let tiers: [JSON] = ["guardian", "admin", "member"].map { role in
            ["roles": [.string(role)], "waitSeconds": 10]
        }
        // Members of the club are asked before they are shown to each other.
        return [
            "name": .string(name), "escalation": .array(tiers),
            "membersSeePositions": .bool(name != "Club"),
        ]
    }

    private static func person(_ name: String) -> JSON {
        let someone = SimulatedPerson(name: name, id: PersonID(.zero))
        return [
            "name": .string(name), "timeZone": "UTC",
            "contacts": [
                ["channel": "sms", "address": .string(someone.number), "vouched": true],
                ["channel": "email", "address": .string(someone.mail), "vouched": true],
            ],
        ]
    }
}

/// A geographic position.
struct Place: Hashable {
    let name: String
    let latitude: Double
    let longitude: Double

    static let home = Place(name: "Home", latitude: 1.300, longitude: 103.800)
    static let school = Place(name: "School", latitude: 1.320, longitude: 103.820)
    static let hall = Place(name: "Hall", latitude: 1.3005, longitude: 103.8005)
    static let away = Place(name: "", latitude: 1.200, longitude: 103.600)
    static let all = [home, school, hall, away]

    /// A zone around it.
    func zone(named name: String? = nil, radius: Int64 = 150, active: Bool = true) -> JSON {
        [
            "type": "Feature",
            "geometry": [
                "type": "Point", "coordinates": [.number(longitude), .number(latitude)],
            ],
            "properties": [
                "name": .string(name ?? self.name), "kind": "safe", "radius": .integer(radius),
                "active": .bool(active),
            ],
        ]
    }
}
