import Directory
import Model
import Testing
import Web

@testable import TimerDaemon

@Suite struct `A watch with terms` {
    private static let circle = CircleID(.zero)
    private static let home = ZoneID(ID128(high: 8, low: 1))

    /// A world with a zone of the family.
    private func world(
        _ kind: ZoneKind = .safe, edit: (inout Zone) -> Void = { _ in }
    ) throws -> World {
        let world = try World()
        let place = try #require(Coordinate(latitude: 3, longitude: 101))
        var zone = Zone(
            id: Self.home, owner: .circle(Self.circle), name: "Home", kind: kind,
            shape: .circle(center: place, radiusCentimetres: 10_000),
            prepared: PreparedGeometry(
                origin: place, coefficients: [], radiusCentimetres: 10_000, polygons: [],
                inradiusCentimetres: 10_000, reachCentimetres: 10_000))
        edit(&zone)
        world.replica.apply(.zoneChanged(zone))
        return world
    }

    private func start(_ world: World, _ terms: String) throws -> Response {
        try world.send(.post, "/v1/watches", #"{"minutes": 60, \#(terms)}"#, token: "anna")
    }

    @Test func `shows destination and recipients, and passes them on`() throws {
        let world = try world()
        let response = try start(
            world, #""destination": "\#(Self.home)", "recipients": ["\#(ben)", "\#(ben)"]"#)
        #expect(response.status == 201)
        #expect(response.json["destination"]?.string == Self.home.description)
        #expect(response.json["recipients"]?.array?.map(\.string) == [ben.description])
        try world.restart()
        try world.pass(.seconds(2 * 3600))
        guard case .watchExpired(let signal)? = world.expired.last?.body else {
            Issue.record("no expiry")
            return
        }
        #expect(signal.recipients == [ben])
    }

    @Test func `is rejected if the destination decides nothing about the person`() throws {
        let stranger = PersonID(ID128(high: 1, low: 9))
        let worlds = [
            try world(.alert), try world { $0.active = false },
            try world { $0.owner = .person(stranger) },
            try world { $0.owner = .circle(CircleID(ID128(high: 5, low: 5))) },
        ]
        for world in worlds {
            let response = try start(world, #""destination": "\#(Self.home)""#)
            #expect(response.status == 400 && response.json["field"]?.string == "destination")
        }
        let optedOut = try world()
        var person = try #require(optedOut.replica.person(anna))
        person.zoneOptOuts = [Self.home]
        optedOut.replica.apply(.personChanged(person))
        #expect(try start(optedOut, #""destination": "\#(Self.home)""#).status == 400)
        let notSharing = try world()
        var circle = try #require(notSharing.replica.circle(Self.circle))
        for index in circle.members.indices { circle.members[index].sharing = .off }
        notSharing.replica.apply(.circleChanged(circle))
        #expect(try start(notSharing, #""destination": "\#(Self.home)""#).status == 400)
    }

    @Test(arguments: [
        #""recipients": []"#, #""recipients": "per_0""#, #""recipients": ["x"]"#,
        #""recipients": [7]"#, #""recipients": ["\#(anna)"]"#,
        #""recipients": ["\#(PersonID(ID128(high: 1, low: 9)))"]"#, #""destination": "x""#,
        #""destination": 7"#,
    ])
    func `is rejected with a wrong list or zone`(terms: String) throws {
        let response = try start(try world(), terms)
        #expect(response.status == 400 && response.json["field"]?.string != nil)
    }

    @Test func `is rejected if none of its recipients could be notified`() throws {
        let world = try world()
        let citra = PersonID(ID128(high: 1, low: 3))
        world.replica.apply(.personChanged(Person(id: citra, name: "citra")))
        var circle = try #require(world.replica.circle(Self.circle))
        circle.members.append(
            Membership(person: citra, role: .member, joined: noon, trackerID: "ci"))
        world.replica.apply(.circleChanged(circle))
        let response = try start(world, #""recipients": ["\#(citra)"]"#)
        #expect(response.status == 409)
        #expect(response.json["detail"]?.string?.contains("contact point") == true)
        #expect(try start(world, #""recipients": ["\#(citra)", "\#(ben)"]"#).status == 201)
    }

    @Test func `ends when its person arrives`() throws {
        let world = try world()
        let started = try start(world, #""destination": "\#(Self.home)""#)
        let id = try #require(started.json["id"]?.string)
        world.now = noon + .seconds(600)
        try world.receive(
            .zoneEntered(
                ZoneCrossing(
                    person: anna, device: DeviceID(.zero), zone: Self.home, zoneName: "Home",
                    zoneKind: .safe, circle: Self.circle, before: .outside, after: .inside,
                    fix: Fix(
                        time: noon + .seconds(590),
                        position: try #require(Coordinate(latitude: 3, longitude: 101)),
                        accuracyCentimetres: 500),
                    distanceCentimetres: -900, marginCentimetres: 100,
                    reason: .insideBeyondMargin, report: ReportID(.zero))))
        let read = try world.send(.get, "/v1/watches/\(id)", token: "anna")
        #expect(read.json["state"]?.string == "arrived")
        try world.pass(.seconds(2 * 3600))
        #expect(!world.expired.contains { $0.kind == .watchExpired })
    }

    @Test func `is extended by a command of the notifier`() throws {
        let world = try world()
        let started = try start(world, #""note": "run""#)
        let id = try #require(started.json["id"]?.string.flatMap { WatchID($0) })
        try world.receive(
            .watchCommandReceived(
                WatchCommand(
                    person: anna, watch: id, action: .extend, seconds: 1800, at: world.now)))
        let read = try world.send(.get, "/v1/watches/\(id)", token: "anna")
        #expect(read.json["deadline"]?.string == "2026-11-20T13:30:00.000Z")
    }
}
