import Dialects
import Glibc
import Model
import Parsing
import Runtime
import Web

/// The demo's circle with its people and zones.
struct DemoCircle {
    struct Person {
        let name: String
        let user: String
        let account: (id: String, activationCode: String)
        let device: DeviceID
        let token: String
        let trackerID: String
        let role: Role
    }

    let circle: String
    let people: [Person]

    /// A road in Kuala Lumpur, 30 m from both zones: one fix of a walker with 5 m accuracy proves
    /// that.
    static let road = (latitude: 3.1435, longitude: 101.6905)
    /// 30 m inside. The demo runs slowly enough that moving these 60 m is plausible.
    static let home = (latitude: 3.142957, longitude: 101.6905)
    /// 30 m inside the yard.
    static let school = (latitude: 3.144043, longitude: 101.6905)
    private static let middleOfHome = (latitude: 3.141872, longitude: 101.6905)
    private static let middleOfSchool = (latitude: 3.145271, longitude: 101.6905)

    private static let cast: [(Enrolment.NewPerson, Role)] = [
        (
            .init(
                name: "Anna", timeZone: "Asia/Kuala_Lumpur", phone: "+15550000101",
                mail: "anna@jaga.example"), .member
        ),
        (
            .init(
                name: "Ben", timeZone: "Asia/Kuala_Lumpur", phone: "+15550000102",
                mail: "ben@jaga.example"), .guardian
        ),
        (
            .init(
                name: "Chitra", timeZone: "Asia/Kuala_Lumpur", phone: "+15550000103",
                mail: "chitra@jaga.example"), .guardian
        ),
    ]

    /// Creates people, phones, circle and zones.
    init(make enrolment: Enrolment) throws {
        circle = try enrolment.circle(DemoCircle.name)
        var people: [Person] = []
        for (person, role) in DemoCircle.cast {
            let account = try enrolment.person(person)
            let device = try enrolment.device("\(person.name)'s phone", of: account.id)
            people.append(
                Person(
                    name: person.name, user: person.name.lowercased(), account: account,
                    device: device.id,
                    token: device.token,
                    trackerID: try enrolment.join(account.id, to: circle, as: role), role: role))
        }
        self.people = people
        try enrolment.zone(
            "Home", geometry: DemoCircle.homeGeometry, ["radius": 150, "kind": "safe"], in: circle)
        try enrolment.zone(
            "School", geometry: DemoCircle.schoolGeometry, ["kind": "safe"], in: circle)
    }

    /// Removes people and circle of an earlier demo, so that names stay unambiguous. People belong
    /// to the demo if they have one of its reserved addresses; a circle, if it is named Demo and
    /// has no other members.
    static func removeFormer(_ api: API) throws {
        let addresses = Set(cast.compactMap(\.0.mail))
        let former = try api.list("/v1/people").filter { person in
            (person["contacts"]?.array ?? []).contains { addresses.contains($0.cell("address")) }
        }
        let ids = Set(former.map { $0.cell("id") })
        guard !ids.isEmpty else { return }
        for circle in try api.list("/v1/circles") where circle.cell("name") == name {
            let members = (circle["members"]?.array ?? []).map { $0.cell("person") }
            guard !members.isEmpty, ids.isSuperset(of: members) else { continue }
            try api.delete("/v1/circles/" + circle.cell("id"))
        }
        for id in ids.sorted() { try api.delete("/v1/people/" + id) }
    }

    private static let name = "Demo"

    private static let homeGeometry: JSON = [
        "type": "Point",
        "coordinates": [.number(middleOfHome.longitude), .number(middleOfHome.latitude)],
    ]

    /// A yard of about 330 by 300 metres with five corners.
    private static let schoolGeometry: JSON = {
        let corners = [
            (-0.0015, -0.0014), (-0.0015, 0.0013), (0.0002, 0.0016), (0.0013, 0.0010),
            (0.0013, -0.0014), (-0.0015, -0.0014),
        ]
        let ring = corners.map { north, east in
            JSON.array([
                .number(middleOfSchool.longitude + east), .number(middleOfSchool.latitude + north),
            ])
        }
        return ["type": "Polygon", "coordinates": [.array(ring)]]
    }()

    /// Reports Anna's first position, on the road. It establishes where she is and notifies nobody.
    func playBeginning(_ api: API) throws {
        guard let anna = people.first else { return }
        let body: JSON = [
            "_type": "location", "lat": .number(DemoCircle.road.latitude),
            "lon": .number(DemoCircle.road.longitude), "acc": 10, "tid": .string(anna.trackerID),
            "tst": .integer(Int64(time(nil)) - 60),
        ]
        let answer = try api.exchange(
            HTTPCall(
                .post, api.url + "/pub", headers: ["Content-Type": "application/json"],
                body: body.serialized(), login: Login(user: anna.user, password: anna.token)))
        guard answer.status == 200 else {
            throw CommandError("Anna's first report was answered \(answer.status)")
        }
    }

    /// Prints what to do with each phone.
    ///
    /// - Parameter home: where the files go that hold the phones' secrets
    func show(phoneURL: String, api: API, home: String) throws {
        Console.print("Created the circle Demo (\(circle)) with zones Home and School.\n")
        for person in people {
            let setup = PhoneSetup(
                url: phoneURL, device: person.device, token: person.token, user: person.user,
                deviceName: "phone", trackerID: person.trackerID)
            Console.print(Console.paint("\(person.name), \(person.role.rawValue)", .bold))
            Console.print("  set-up of OwnTracks on \(person.name)'s phone:")
            try setup.show()
            for line in Enrolment.activationLines(person.account) { Console.print("  " + line) }
            Console.print()
        }
        if PhoneURL.isLocal(phoneURL) {
            Console.print(
                "Phones cannot reach \(phoneURL): start the suite with 'jaga up --lan'.\n")
        }
        Console.print(
            "Watch in another terminal: jaga tail --type jaga.zone --pii --access-reason "
                + "\"try it out\", and: jaga outbox\n")
        for person in people where person.role == .member {
            let setup = PhoneSetup(
                url: phoneURL, device: person.device, token: person.token, user: person.user,
                deviceName: "phone", trackerID: person.trackerID)
            let login = setup.curlLogin("demo-" + person.user, in: home)
            Console.print(
                Console.paint("Paste these to simulate \(person.name)'s phone.", .bold)
                    + " She starts on the road, then she")
            for (what, place, velocity) in [
                ("comes home", DemoCircle.home, nil), ("drives off", DemoCircle.road, 160),
                ("reaches school", DemoCircle.school, nil),
            ] as [(String, (latitude: Double, longitude: Double), Int?)] {
                let line = setup.curl(
                    latitude: place.latitude, longitude: place.longitude, velocity: velocity,
                    url: api.url, login: login)
                Console.print("\n  # \(what)\n\(line)")
            }
            Console.print("\n  # is in danger\n\(panic(url: api.url, login))\n")
        }
    }

    private func panic(url: String, _ login: String) -> String {
        """
        curl -sS \(login) -H 'Content-Type: application/json' \\
            -d '{"trigger":"panic"}' \(Shell.quoted(url + "/v1/emergencies"))
        """
    }
}
