import Parsing
import TestSupport
import Testing

/// A running suite with a circle: Anna is a member, Bob a guardian, Cara an admin. Anna has a
/// phone; all have a number and a mail address.
final class Household {
    let suite: RunningSuite
    let circle: String
    let anna: Person
    let bob: Person
    let cara: Person
    /// Anna's phone.
    let phone: Phone
    /// The panic button of that phone, which does not wait for reports.
    let button: Phone
    /// For requests that a phone would not send.
    let phoneAPI: API
    /// The operator.
    let admin: API

    /// A person.
    struct Person {
        let name: String
        let id: String
        let number: String
        var mail: String { "\(name.lowercased())@example.test" }
        /// The API with their credential.
        let api: API
    }

    private let gateways: Gateways?

    /// Starts a suite, creates the circle, and stops everything after the body.
    ///
    /// - Parameters:
    ///   - gateways: running gateways; without them the built-in sink keeps all messages
    ///   - zones: zones of the circle
    ///   - home: the folder of the suite's files; default: a temporary one
    ///   - settings: additional lines of jaga.conf
    ///   - arguments: additional ones for `jaga up`
    static func run(
        through gateways: Gateways? = nil, zones: [Zone] = [], home: String? = nil,
        settings: [String: String] = [:],
        arguments: [String] = [],
        _ body: (Household) async throws -> Void
    ) async throws {
        let own = try gateways?.settings() ?? [:]
        let suite = try RunningSuite(
            home: home, settings: own.merging(settings) { $1 }, arguments: arguments)
        do {
            try await suite.start()
            try await body(Household(in: suite, gateways, zones))
        } catch {
            await suite.stop()
            throw error
        }
        #expect(await suite.stop() == 0, "a process had to be killed")
    }

    /// Creates the circle in a running suite.
    init(in suite: RunningSuite, _ gateways: Gateways?, _ zones: [Zone]) throws {
        self.suite = suite
        self.gateways = gateways
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
        for zone in zones {
            try admin.call("POST", "/v1/circles/\(circle)/zones", zone.feature)
        }
        // Ingest has applied all previous changes when this gets its response.
        let device = try admin.call(
            "POST", "/v1/people/\(anna.id)/devices", ["name": "phone", "platform": "android"])
        guard device["active"] == true else { throw TestFailure("ingest did not apply the device") }
        let token = try device.member("credential").text("token")
        phoneAPI = API(http: suite.http, token: token)
        phone = Phone(phoneAPI, name: "anna")
        button = Phone(phoneAPI, name: "anna's button")
    }

    static func person(_ name: String, number: String, _ admin: API) throws -> Person {
        let created = try admin.call(
            "POST", "/v1/people",
            [
                "name": .string(name),
                "contacts": [
                    ["channel": "sms", "address": .string(number), "vouched": true],
                    [
                        "channel": "email", "vouched": true,
                        "address": .string("\(name.lowercased())@example.test"),
                    ],
                ],
            ])
        return Person(
            name: name, id: try created.text("id"), number: number,
            api: API(http: admin.http, token: try admin.activate(created)))
    }

    var people: [Person] { [anna, bob, cara] }

    /// All notifications since the start.
    func messages() throws -> [Message] {
        if let gateways { return gateways.messages(to: people) }
        return try admin.list("/v1/outbox").map { item in
            let to = try item.text("to")
            let person = people.first { $0.number == to || $0.mail == to }
            return Message(
                way: try item.text("channel") == "sms" ? .sms : .mail, to: person?.name ?? to,
                text: try item.text("text"), id: try item.text("notification"))
        }
    }

    /// Bob acknowledges an emergency and resolves it.
    func bobHelps(_ emergency: String) async throws {
        try await bob.api.insist("POST", "/v1/emergencies/\(emergency)/acknowledgement")
        try await bob.api.insist("POST", "/v1/emergencies/\(emergency)/resolution")
    }

    /// The notifications when Bob helps, after he was notified.
    static let helped =
        NotificationSummary.all(
            "Bob is responding to your emergency", "Bob ended your emergency", to: "Anna")
        + NotificationSummary.all("Anna's emergency is over: ended by Bob", to: "Bob")
}
