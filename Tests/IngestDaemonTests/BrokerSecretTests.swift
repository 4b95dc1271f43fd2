import Hashing
import Model
import Parsing
import Runtime
import TestSupport
import Testing

@testable import IngestDaemon

/// Phones whose secret was replaced while the broker has the former one.
@Suite struct BrokerSecretTests {
    private let broker = FakeBroker()

    private func location(_ seconds: Int64 = 0, _ more: String = "") -> String {
        let time = start.seconds + seconds
        return #"{"_type":"location","lat":3.1,"lon":101.5,"tst":\#(time),"acc":8\#(more)}"#
    }

    /// Under which Anna's phone publishes: its id is the user.
    private let anna = "owntracks/\(device(1))/phone"

    private func publish(
        _ world: World, _ payload: String, _ topic: String? = nil, isRetained: Bool = false
    ) throws {
        broker.send(payload, to: topic ?? anna, isRetained: isRetained)
        try world.turn {}
    }

    private func setTopic(
        _ world: World, _ name: String, of number: UInt64, token: String = "operator"
    ) throws -> Int {
        try world.send(
            .put, "/v1/devices/\(device(number))/mqtt-topic", #"{"topic":"\#(name)"}"#,
            token: token
        ).status
    }

    /// A new secret takes the place of the one of Anna's phone.
    private func replaceSecret(_ world: World) throws {
        let former = try #require(world.replica.credentials(of: device(1)).first)
        let removal = EventBody.credentialRemoved(CredentialRemoval(credential: former.id))
        try world.turn {
            try world.service.directoryWillChange(
                Event(id: EventID(ID128(high: 7, low: 1)), time: world.now, body: removal))
        }
        world.replica.apply(removal)
        world.replica.apply(
            .credentialChanged(
                Credential(
                    id: CredentialID(ID128(high: 7, low: 7)), hash: Hash.sha256Text("new"),
                    person: former.person, device: device(1), created: world.now)))
    }

    private func refused(_ world: World) throws -> [String] {
        let state = try world.send(.get, "/v1/mqtt", token: "operator").json
        return state["rejected"]?.array?.compactMap(\.string) ?? []
    }

    @Test(arguments: [true, false])
    func `a phone with a replaced secret is rejected until the broker has the new one`(
        hasReported: Bool
    ) throws {
        let world = try World(broker: broker)
        if hasReported { try publish(world, location()) }
        try replaceSecret(world)
        try world.restart()
        broker.forgetReceived()
        let before = world.records(.inputReport).count
        try publish(world, location(60))
        let locate = "/v1/people/\(person(1))/locate"
        try world.send(.post, locate, token: "person-2")
        try world.turn {}
        #expect(world.records(.inputReport).count == before && broker.kept.isEmpty)
        #expect(broker.received.isEmpty, "a possible thief receives nothing")
        #expect(try refused(world) == [device(1).description])
        // The phone may still be its owner's: one emergency an hour is accepted.
        for number in [0, 1, 3601] as [Int64] {
            world.now = start + .seconds(number)
            try publish(world, location(number, #","poi":"SOS","created_at":\#(number + 9)"#))
        }
        #expect(world.records(.sosRaised).count == 2)
        #expect(broker.received.isEmpty)
        let name = "\(device(1))/phone"
        #expect(try setTopic(world, name, of: 1) == 204)
        #expect(try refused(world).isEmpty)
        try publish(world, location(3700))
        #expect(world.records(.inputReport).count == before + 1)
        #expect(!broker.received.isEmpty)
    }

    @Test func `the shared folder has the broker's secrets`() throws {
        let world = try World(broker: broker)
        let folder = try TemporaryFolder()
        world.brokerFolder = folder.path
        try world.restart()
        func give(_ secret: String) throws {
            let line = "\(device(1)) \(Hash.sha256Text(secret))\n"
            try Files.write(Array(line.utf8), to: folder.file("secrets"))
            world.now = world.now + .seconds(2)
            try world.turn {}
        }
        func refused() throws -> String {
            String(decoding: try Files.read(folder.file("refused")), as: UTF8.self)
        }
        try give("phone-1")
        #expect(try refused().isEmpty)
        try replaceSecret(world)
        try give("phone-1")
        #expect(try refused() == "\(device(1)) \(Hash.sha256Text("phone-1"))\n")
        try publish(world, location())
        #expect(world.records(.inputReport).isEmpty)
        try give("new")
        #expect(try refused().isEmpty)
        try publish(world, location(1))
        #expect(world.records(.inputReport).count == 1)
    }
}
