import Dialects
import Hashing
import MQTT
import Model
import Parsing
import Runtime
import TestSupport
import Testing

@testable import Hosting
@testable import IngestDaemon

/// What phones publish on the operator's broker.
@Suite struct MQTTTests {
    private let broker = FakeBroker()

    private func location(_ seconds: Int64 = 0, _ more: String = "") -> String {
        let time = start.seconds + seconds
        return #"{"_type":"location","lat":3.1,"lon":101.5,"tst":\#(time),"acc":8\#(more)}"#
    }

    /// Under which Anna's phone publishes: its id is the user.
    private let anna = "owntracks/\(device(1))/phone"
    private let ben = "owntracks/\(device(2))/phone"

    private func publish(
        _ world: World, _ payload: String, _ topic: String? = nil, isRetained: Bool = false
    ) throws {
        broker.send(payload, to: topic ?? anna, isRetained: isRetained)
        try world.turn {}
    }

    private func reasons(_ world: World) throws -> [String] {
        try world.database.all("SELECT path, reason FROM quarantine ORDER BY number") {
            "\($0.text(0)) \($0.text(1))"
        }
    }

    private func setTopic(
        _ world: World, _ name: String, of number: UInt64, token: String = "operator"
    ) throws -> Int {
        try world.send(
            .put, "/v1/devices/\(device(number))/mqtt-topic", #"{"topic":"\#(name)"}"#,
            token: token
        ).status
    }

    // MARK: Reports

    @Test func `a report is stored, and acknowledged only then`() throws {
        let world = try World(broker: broker)
        broker.send(location(), to: anna)
        try world.failingTurn {}
        #expect(broker.kept.count == 1 && world.records(.inputReport).isEmpty)
        #expect(broker.received.isEmpty)
        try world.turn {}
        #expect(broker.kept.isEmpty)
        #expect(world.records(.inputReport).count == 1)
    }

    @Test func `a repeated message is no second report, also after a restart`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        try publish(world, location())
        try world.restart()
        try publish(world, location(), isRetained: true)
        #expect(world.records(.inputReport).count == 1)
        try publish(world, location(60), isRetained: true)
        #expect(world.records(.inputReport).count == 2, "what the broker kept may be new")
    }

    @Test func `a retained message is no contact, nor is its deletion`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        let seen = world.service.runner.core.reports.devices[device(1)]?.seen
        world.now = start + .seconds(300)
        try publish(world, #"{"_type":"card","name":"Annie"}"#, anna + "/info", isRetained: true)
        try publish(world, "", anna)
        #expect(world.service.runner.core.reports.devices[device(1)]?.seen == seen)
        let card = try world.database.first("SELECT name FROM card") { $0.text(0) }
        #expect(card == "Annie", "its news count all the same")
        try publish(world, #"{"_type":"steps"}"#, anna + "/step")
        #expect(world.service.runner.core.reports.devices[device(1)]?.seen == world.now)
    }

    @Test func `every part of a phone's topics is read by its type`() throws {
        let world = try World(broker: broker)
        let waypoint = #"{"_type":"waypoint","desc":"Pond","lat":3.2,"lon":101.6,"rad":80,"tst":1}"#
        try publish(world, waypoint, anna + "/waypoint")
        try publish(world, #"{"_type":"status","android":{"bo":1,"loc":0}}"#, anna + "/status")
        try publish(world, #"{"_type":"card","name":"Anna B."}"#, anna + "/info")
        let time = start.seconds
        let crossing = #"{"_type":"transition","event":"enter","lat":3,"lon":101,"tst":\#(time)}"#
        try publish(world, crossing, anna + "/event")
        #expect(try world.database.scalar("SELECT count(*) FROM suggestion") == .integer(1))
        #expect(try world.database.scalar("SELECT count(*) FROM condition") == .integer(1))
        #expect(try world.database.scalar("SELECT name FROM card") == .text("Anna B."))
        #expect(world.records(.inputReport).count == 1)
    }

    @Test func `unusable payloads are quarantined and acknowledged`() throws {
        let world = try World(broker: broker)
        try publish(world, "{", anna + "/event")
        try publish(world, #"{"_type":"location","lat":100,"lon":1,"tst":1}"#)
        #expect(broker.kept.isEmpty)
        #expect(try reasons(world) == ["mqtt/event not-json", "mqtt bad-position"])
    }

    @Test func `a last will is no contact`() throws {
        let world = try World(broker: broker)
        try publish(world, #"{"_type":"lwt","tst":1}"#)
        #expect(try world.database.scalar("SELECT count(*) FROM device") == .integer(0))
        #expect(broker.kept.isEmpty)
    }

    // MARK: Whose it is

    @Test func `messages of unknown topics are dropped, counted and listed`() throws {
        let world = try World(broker: broker)
        try publish(world, location(), "owntracks/anna/phone")
        try publish(world, location(), "owntracks/anna/phone")
        try publish(world, location(), "owntracks/\(person(1))/phone")
        try publish(world, location(), "owntracks/somebody/\(device(1))")
        #expect(broker.kept.isEmpty && world.records(.inputReport).isEmpty)
        let shown = try world.send(.get, "/v1/mqtt", token: "operator").json
        #expect(shown["state"] == "online")
        #expect(shown["unknown"]?.array?.count == 3)
        #expect(shown["unknown"]?[0] == "anna/phone")
        #expect(try world.send(.get, "/v1/mqtt", token: "person-1").status == 403)
    }

    @Test func `the operator can assign a topic twice`() throws {
        let world = try World(broker: broker)
        #expect(try setTopic(world, "anna/Pixel8", of: 1) == 204)
        try publish(world, location(), "owntracks/Anna/pixel8")
        #expect(world.records(.inputReport).count == 1)
        #expect(try setTopic(world, "anna/pixel8", of: 2) == 409, "it is another's")
        #expect(try setTopic(world, "anna/pixel9", of: 1) == 204, "the one before is free")
        #expect(try setTopic(world, "anna/pixel8", of: 2) == 204)
        try world.restart()
        let shown = try world.send(.get, "/v1/mqtt", token: "operator").json
        #expect(
            shown["topics"] == [
                ["topic": "anna/pixel8", "device": .string(device(2).description)],
                ["topic": "anna/pixel9", "device": .string(device(1).description)],
            ])
        let path = "/v1/devices/\(device(2))/mqtt-topic"
        #expect(try world.send(.delete, path, token: "operator").status == 204)
        try publish(world, location(60), "owntracks/anna/pixel8")
        #expect(world.records(.inputReport).count == 1)
    }

    @Test(arguments: ["anna", "anna/", "/phone", "anna/phone/event", "anna/+", "#/a", "a b/c", ""])
    func `an invalid topic is rejected`(name: String) throws {
        let world = try World(broker: broker)
        #expect(try setTopic(world, name, of: 1) == 400)
        #expect(try setTopic(world, "anna/phone", of: 1, token: "person-1") == 403)
    }

    @Test func `messages of unknown devices wait at the broker, others are accepted`() throws {
        let world = try World(broker: broker)
        world.isDirectoryFresh = false
        try world.restart()
        broker.send(location(), to: "owntracks/\(device(9))/phone")
        broker.send(location(), to: anna)
        try world.turn {}
        #expect(world.records(.inputReport).count == 1)
        #expect(broker.kept.count == 2 && broker.pause == .seconds(2))
        world.isDirectoryFresh = true
        try world.turn {}
        #expect(world.records(.inputReport).count == 1 && broker.kept.isEmpty)
    }

    @Test func `a device may be new also while the directory is behind later on`() throws {
        let world = try World(broker: broker)
        world.isDirectoryFresh = true
        try world.turn {}
        world.isDirectoryFresh = false
        let new = "owntracks/\(device(9))/phone"
        broker.send(location(), to: new)
        try world.turn {}
        #expect(broker.kept.count == 1 && broker.pause == .seconds(2))
        world.now = world.now + .seconds(60)
        try world.turn {}
        #expect(broker.kept.isEmpty, "nothing behind it waits for ever")
    }

    // MARK: Room

    @Test func `an oversized message is dropped without effect on others`() throws {
        let world = try World(broker: broker)
        broker.send("", to: anna, isTooLarge: true)
        broker.send(location(), to: anna)
        try world.turn {}
        #expect(broker.kept.isEmpty && world.records(.inputReport).count == 1)
        #expect(world.service.mqtt?.counts[.dropped] == 1)
    }

    @Test func `with a full disk reports wait at the broker, emergencies behind them do not`()
        throws
    {
        let world = try World(broker: broker)
        world.diskPressure = .short
        broker.send(location(), to: anna)
        broker.send(location(1, #","poi":"SOS","_id":"0badcafe""#), to: ben)
        try world.turn {}
        #expect(world.records(.inputReport).count == 1 && world.records(.sosRaised).count == 1)
        #expect(broker.kept.count == 2 && broker.pause == .seconds(30))
        world.diskPressure = .none
        try world.turn {}
        #expect(world.records(.inputReport).count == 2 && world.records(.sosRaised).count == 1)
        #expect(broker.kept.isEmpty)
    }

    @Test func `messages left with the broker are no contact`() throws {
        let world = try World(broker: broker)
        try world.receive(
            .policyChanged(
                ReportingPolicy(
                    person: person(1), device: device(1), mode: .significant, intervalSeconds: 180,
                    contactTimeoutSeconds: 1800)), id: 1, on: .events(.of(person(1))))
        func report(_ more: String = "") throws -> JSON {
            world.now = world.now + .seconds(1)
            let body = #"{"lat":3,"lon":101,"time":"\#(world.now.description)"\#(more)}"#
            return try world.send(.post, "/v1/reports", body, token: "phone-1").json
        }
        let mark = try #require(try report()["policy"]?["mark"]?.string)
        _ = try report(#","policy":"\#(mark)""#)
        let before = world.records(.inputContact).count
        world.diskPressure = .short
        broker.send(location(), to: anna)
        for _ in 1...40 {
            try world.turn {}
            world.now = world.now + .seconds(30)
        }
        #expect(broker.kept.count == 1)
        #expect(world.records(.inputContact).count == before + 1)
    }

    @Test func `a message that always fails is dropped`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        // Storing something of Anna's phone fails, and not for lack of disk space.
        try world.database.run(
            """
            CREATE TEMP TRIGGER spoil BEFORE INSERT ON suggestion BEGIN
                SELECT raise(ABORT, 'spoilt');
            END
            """)
        broker.send(
            #"{"_type":"waypoint","desc":"Pond","lat":3.2,"lon":101.6,"rad":80,"tst":1}"#,
            to: anna + "/waypoint")
        broker.send(location(60), to: anna)
        for _ in 0..<3 {
            #expect(throws: (any Error).self) { try world.turn {} }
            try world.service.reload()
        }
        try world.turn {}
        #expect(broker.kept.isEmpty && world.records(.inputReport).count == 2)
    }

    // MARK: Calls for help

    @Test func `a call for help in a message that always fails is accepted`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        try world.database.run(
            """
            CREATE TEMP TRIGGER spoil BEFORE INSERT ON report BEGIN
                SELECT raise(ABORT, 'spoilt');
            END
            """)
        broker.send(location(60, #","poi":"SOS","_id":"0badcafe""#), to: anna)
        for _ in 0..<3 {
            #expect(throws: (any Error).self) { try world.turn {} }
            try world.service.reload()
        }
        #expect(world.records(.sosRaised).isEmpty)
        try world.turn {}
        #expect(broker.kept.isEmpty && Set(world.records(.sosRaised).map(\.id)).count == 1)
    }

    @Test func `a repeated call is one; an old retained one is none`()
        throws
    {
        let world = try World(broker: broker)
        let call = location(0, #","poi":"SOS","_id":"0badcafe""#)
        try publish(world, call)
        try publish(world, call)
        try publish(world, call, isRetained: true)
        #expect(world.records(.sosRaised).count == 1)
        let old = location(-90_000, #","poi":"SOS","_id":"0badcaff""#)
        try publish(world, old, ben, isRetained: true)
        #expect(world.records(.sosRaised).count == 1)
        // Of a clock that is ahead, without an id.
        let ahead = location(600, #","tag":"SOS""#)
        for _ in 0..<3 {
            try publish(world, ahead, isRetained: true)
            world.now = world.now + .seconds(40)
        }
        #expect(world.records(.sosRaised).count == 2)
    }

    // MARK: Answers

    @Test func `friends are published for a phone, and again only when they moved`() throws {
        let world = try World(broker: broker)
        try publish(world, location(), ben)
        broker.forgetReceived()
        try publish(world, location())
        let friend = "owntracks/\(device(1))/jaga-T2"
        #expect(broker.texts(friend).count == 1)
        let shown = try JSON.parse(Array(try #require(broker.texts(friend).first).utf8))
        #expect(shown["_type"] == "location" && shown["tid"] == "T2" && shown["topic"] == nil)
        #expect(broker.texts(friend + "/info").count == 1)
        #expect(!broker.received.contains { $0.topic.contains("T1") })
        try publish(world, location(30))
        #expect(broker.texts(friend).count == 1)
        try publish(world, location(30), ben)
        try publish(world, location(60))
        #expect(broker.texts(friend).count == 2)
        let before = world.records(.inputReport).count
        try publish(world, broker.texts(friend)[0], friend)
        #expect(world.records(.inputReport).count == before, "the suite receives its own messages")
    }

    @Test func `a phone is asked for its location at once`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        broker.forgetReceived()
        world.now = start + .seconds(20)
        let path = "/v1/people/\(person(1))/locate"
        #expect(try world.send(.post, path, token: "person-2").status == 202)
        #expect(broker.texts(anna + "/cmd") == [#"{"_type":"cmd","action":"reportLocation"}"#])
        try publish(world, location(21))
        #expect(broker.texts(anna + "/cmd").count == 1)
    }

    @Test func `a phone is not asked during an emergency under duress`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 9, low: 9)), person: person(1), trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now,
            underDuress: EmergencyID(ID128(high: 9, low: 1)))
        try world.receive(.signalReceived(signal), id: 9, on: .deliveries)
        broker.forgetReceived()
        let path = "/v1/people/\(person(1))/locate"
        #expect(try world.send(.post, path, token: "person-2").status == 202)
        #expect(broker.texts(anna + "/cmd").isEmpty)
    }

    @Test func `an encrypted phone gets an encrypted response`() throws {
        let world = try World(broker: broker)
        let passphrase = OwnTracksTests.passphrase
        try world.send(
            .put, OwnTracksTests.keyPath, #"{"passphrase":"\#(passphrase)"}"#, token: "person-1")
        let key = try #require(OwnTracks.Key(passphrase: passphrase))
        let nonce = [UInt8](repeating: 7, count: SecretBox.nonceBytes)
        let sealed = OwnTracks.seal(Array(location().utf8), key: key, nonce: nonce)
        try publish(world, String(decoding: sealed, as: UTF8.self))
        #expect(world.records(.inputReport).count == 1)
        broker.forgetReceived()
        world.now = start + .seconds(20)
        try world.send(.post, "/v1/people/\(person(1))/locate", token: "person-2")
        let command = try #require(broker.texts(anna + "/cmd").first)
        #expect(command.contains("encrypted") && !command.contains("reportLocation"))
    }

    // MARK: How it goes

    @Test func `a broker that is away is a concern at once, and an alarm after a minute`() throws {
        let world = try World(broker: broker)
        broker.state = .waiting
        broker.failure = BrokerFailure("lost", "Connection refused", hint: "")
        try world.turn {}
        let sentence = "not connected to the MQTT broker: Connection refused"
        #expect(world.service.concerns == [sentence] && world.service.alarms == [])
        world.now = start + .seconds(61)
        try world.turn {}
        #expect(world.service.alarms == [sentence])
        broker.state = .online
        try world.turn {}
        #expect(world.service.alarms == [] && world.service.concerns == [])
    }

    @Test func `metrics count messages without names`() throws {
        let world = try World(broker: broker)
        try publish(world, location())
        try publish(world, location(), "owntracks/anna/phone")
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        let text = metrics.render()
        #expect(text.contains(#"jaga_ingest_mqtt_messages_total{outcome="accepted"} 1"#))
        #expect(text.contains(#"jaga_ingest_mqtt_messages_total{outcome="unknown"} 1"#))
        #expect(text.contains("jaga_ingest_mqtt_connected 1"))
        #expect(!text.contains("anna"))
    }

    @Test func `a dry run does not connect to the broker`() throws {
        let folder = try TemporaryFolder()
        func intake(_ more: [String: String]) throws -> MQTTIntake? {
            try MQTTSettings.intake(
                Configuration(
                    settings: CommonSettings.all + Main.definition.settings,
                    environment: [
                        "JAGA_HOME": folder.path, "JAGA_INGEST_MQTT_URL": "mqtt://jaga@127.0.0.1",
                    ]
                    .merging(more) { _, given in given }))
        }
        #expect(try intake([:]) != nil)
        #expect(try intake(["JAGA_DRY_RUN": "on"]) == nil)
    }
}
