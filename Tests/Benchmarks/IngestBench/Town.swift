import Bus
import Glibc
import Hashing
import Model
import Runtime
import Store
import Wire

/// A directory like that of membership: people with one phone each. The first ones are in one
/// circle.
struct Town {
    let people: Int
    let inCircle: Int

    private func person(_ number: Int) -> PersonID { PersonID(Hash.id("person", .number(number))) }
    private func device(_ number: Int) -> DeviceID { DeviceID(Hash.id("device", .number(number))) }
    private func token(_ number: Int) -> String { Hash.id("token", .number(number)).text }
    private var circle: CircleID { CircleID(Hash.id("circle")) }

    /// The token with which the first person reads positions.
    private var readerToken: String { Hash.id("reader").text }

    /// Writes the circle's id, the token of a reader and the token of each phone, one per line.
    func writeTokens(to path: String) throws {
        let lines = ["\(circle)", readerToken] + (0..<people).map(token)
        guard let file = fopen(path, "w") else { fatalError("cannot write \(path)") }
        for line in lines { fputs(line + "\n", file) }
        fclose(file)
    }

    /// Serves the stream `directory`.
    func serve(store: String, publish: String, control: String) throws {
        let database = try Database(path: store, migrations: SQLiteBusStore.migrations)
        try database.run("PRAGMA synchronous = OFF")
        var configuration = Bus.Configuration(name: "membership")
        configuration.served = [Bus.Served(.directory)]
        configuration.publishEndpoint = publish
        configuration.controlEndpoint = control
        let clock = SystemClock()
        let bus = try Bus(
            configuration: configuration, store: SQLiteBusStore(database), clock: clock)
        for number in 0..<people {
            for body in bodies(number, at: clock.now) { try append(body, to: bus, at: clock.now) }
            guard number % 1000 == 999 else { continue }
            try database.commit()
            bus.committed()
        }
        let reader = Credential(
            id: CredentialID(Hash.id("reader")),
            hash: Hex.encode(Hash.sha256(Array(readerToken.utf8))), kind: .person,
            person: person(0), created: clock.now)
        try append(.credentialChanged(reader), to: bus, at: clock.now)
        let members = (0..<inCircle).map { number in
            Membership(
                person: person(number), role: .member, joined: clock.now,
                trackerID: String(Hash.id(.number(number)).text.prefix(2)))
        }
        let body = EventBody.circleChanged(Circle(id: circle, name: "Town", members: members))
        try append(body, to: bus, at: clock.now)
        try database.commit()
        bus.committed()
        Main.printLine("ready")
        while !Main.isInputClosed {
            Loop.wait(on: [bus], atMost: 100)
            try bus.receive { _, _, _ in }
            if database.isInTransaction { try database.commit() }
            bus.committed()
            try bus.tick()
        }
    }

    private func bodies(_ number: Int, at now: Timestamp) -> [EventBody] {
        let hash = Hex.encode(Hash.sha256(Array(token(number).utf8)))
        return [
            .personChanged(Person(id: person(number), name: "P\(number)")),
            .deviceChanged(Device(id: device(number), person: person(number), name: "phone")),
            .credentialChanged(
                Credential(
                    id: CredentialID(Hash.id("credential", .number(number))), hash: hash,
                    person: person(number), device: device(number), created: now)),
        ]
    }

    private func append(_ body: EventBody, to bus: Bus, at now: Timestamp) throws {
        let event = Event(id: EventID(.zero), time: now, body: body)
        try bus.append(try EventCodec.encode(event), to: .directory)
    }
}
