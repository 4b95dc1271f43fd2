import Directory
import DirectoryViews
import Hashing
import Hosting
import Model
import NotifierCore
import Parsing
import TestSupport
import Testing
import Web

@testable import NotifierDaemon

@Suite struct `Live streams` {
    private let host: TestHost

    init() throws {
        host = try TestHost()
        _ = try host.messageKey.loadOrCreate()
        try host.change(.personChanged(Person(id: person(9), name: "Nobody")))
    }

    private func member(_ number: UInt64, joined: Bool = true) -> Membership {
        Membership(
            person: person(number), role: .member, joined: joined ? noon : nil,
            trackerID: "T\(number)")
    }

    private func renamed(_ name: String) -> EventBody {
        var circle = host.replica.circle(family)!
        circle.name = name
        circle.version += 1
        return .circleChanged(circle)
    }

    private func connected(_ number: UInt64) throws -> LiveClient {
        let client = LiveClient(host, number)
        try client.readSnapshot()
        try client.connect(isFresh: true)
        return client
    }

    // MARK: Events

    @Test func `shows a changed circle whole to each member, and nobody else`() throws {
        let aisha = try connected(1)
        let dewi = try connected(4)
        try host.change(renamed("Tan"))
        let events = host.events(of: aisha.request!)
        #expect(events.map(\.name) == ["circle"])
        let data = try JSON.parse(Array(try #require(events.first).data.utf8))
        #expect(data["circle"] == OwnView.circle(family, for: person(1), in: host.replica))
        #expect(data["circle"]?["name"] == "Tan")
        #expect(data["circleListVersion"] == .integer(host.now.microseconds))
        #expect(host.events(of: dewi.request!) == [])
        #expect(host.text(of: dewi.request!).hasPrefix(": live\n\nretry: 2000\n\n"))
    }

    @Test func `shows a removed member only that the circle is gone`() throws {
        let aisha = try connected(1)
        let budi = try connected(2)
        let circle = host.replica.circle(family)!
        try host.change(.circleChanged(circle.without(person(1))))
        let gone = host.events(of: aisha.request!)
        #expect(gone.map(\.name) == ["circle-gone"])
        let data = try JSON.parse(Array(try #require(gone.first).data.utf8))
        #expect(data.object?.map(\.key) == ["id", "circleListVersion"])
        let seen = host.events(of: budi.request!)
        #expect(seen.map(\.name) == ["circle"])
        #expect(seen.first?.data.contains("Aisha") == false)
        try host.change(renamed("Secret"))
        #expect(host.events(of: aisha.request!) == gone)
    }

    @Test func `says that a person is asked for consent, and where to read it`() throws {
        let aisha = try connected(1)
        let budi = try connected(2)
        try host.change(.consentsChanged(ConsentsChange(person: person(1))))
        let events = host.events(of: aisha.request!)
        #expect(events.map(\.name) == ["consents"])
        let data = try JSON.parse(Array(try #require(events.first).data.utf8))
        #expect(data["person"] == .string(person(1).description))
        #expect(data["url"] == .string("/v1/people/\(person(1))/consents"))
        #expect(host.events(of: budi.request!) == [])
        // It goes on after the event, not before it.
        try aisha.receive()
        aisha.disconnect()
        try aisha.connect()
        #expect(host.events(of: aisha.request!) == [])
    }

    @Test func `shows private changes to their person only`() throws {
        let aisha = try connected(1)
        let budi = try connected(2)
        var changed = host.replica.person(person(1))!
        changed.locale = "ms"
        changed.version += 1
        try host.change(.personChanged(changed))
        try host.change(
            .deviceChanged(Device(id: DeviceID(.zero), person: person(1), name: "Pixel")))
        #expect(host.events(of: aisha.request!).map(\.name) == ["person"])
        #expect(host.events(of: budi.request!) == [])
        changed.name = "Aisyah"
        changed.version += 1
        try host.change(.personChanged(changed))
        #expect(host.events(of: aisha.request!).map(\.name) == ["person", "person", "circle"])
        #expect(host.events(of: budi.request!).map(\.name) == ["circle"])
        #expect(host.events(of: budi.request!).first?.data.contains("Aisyah") == true)
    }

    @Test func `shows people who are invited no zones`() throws {
        var circle = host.replica.circle(family)!
        circle.members.append(member(4, joined: false))
        try host.change(.circleChanged(circle))
        let dewi = try connected(4)
        let aisha = try connected(1)
        var zone = host.replica.zone(ZoneID(.zero))!
        zone.version += 1
        try host.change(.zoneChanged(zone))
        #expect(host.events(of: aisha.request!).map(\.name) == ["circle"])
        #expect(host.events(of: dewi.request!) == [])
        #expect(!dewi.view.circles.values.contains { $0["zones"] != nil })
    }

    // MARK: Positions

    @Test func `resumes after the last event, not after others of the same record`() throws {
        let other = CircleID(ID128(high: 3, low: 2))
        try host.change(
            .circleChanged(Circle(id: other, name: "Work", members: [member(1), member(2)])))
        let budi = try connected(2)
        var aisha = host.replica.person(person(1))!
        aisha.name = "Aisyah"
        try host.change(.personChanged(aisha))
        #expect(host.events(of: budi.request!).map(\.name) == ["circle", "circle"])
        try budi.receive(1)
        budi.disconnect()
        try host.change(renamed("Tan"))
        try budi.connect()
        let rest = host.events(of: budi.request!)
        #expect(rest.map(\.name) == ["circle", "circle"])
        try budi.receive()
        #expect(budi.view == OwnView(of: person(2), in: host.replica))
        #expect(budi.resets == 0)
    }

    @Test func `resumes after the process was killed`() throws {
        let budi = try connected(2)
        try host.change(renamed("Tan"))
        try budi.receive()
        budi.disconnect()
        try host.restart()
        try host.change(renamed("Lim"))
        try host.restart()
        try budi.connect()
        try budi.receive()
        #expect(budi.resets == 0)
        #expect(budi.view == OwnView(of: person(2), in: host.replica))
    }

    @Test func `shows the last state once to a client that was away`() throws {
        let budi = try connected(2)
        budi.disconnect()
        for name in ["A", "B", "C"] { try host.change(renamed(name)) }
        try budi.connect()
        #expect(host.events(of: budi.request!).count == 1)
        #expect(host.events(of: budi.request!).first?.data.contains(#""name":"C""#) == true)
    }

    @Test(arguments: ["", "x", "AAAA", "%%%"])
    func `starts with a snapshot without a known position`(text: String) throws {
        let request = try host.send(
            .get, "/v1/live", as: "person-2", headers: [("Last-Event-ID", text)])
        #expect(host.events(of: request).map(\.name) == ["reset"])
        #expect(host.events(of: request).first?.id != nil)
    }

    @Test func `starts with a snapshot after a position of another chain`() throws {
        let budi = try connected(2)
        budi.disconnect()
        // The directory was restored: equal sequences, other records.
        host.chainSalt = 0xABCD
        host.directoryPosition = host.chainPosition(host.directoryPosition!.sequence)
        try host.turn { try $0.replace(.directory, with: []) }
        try budi.connect()
        try budi.receive()
        #expect(budi.resets == 1)
    }

    @Test func `tells open streams to start again when the directory is replaced`() throws {
        let budi = try connected(2)
        try host.change(renamed("Tan"))
        try host.turn { try $0.replace(.directory, with: []) }
        #expect(host.events(of: budi.request!).map(\.name) == ["circle", "reset"])
    }

    @Test func `starts with a snapshot when the position is pruned`() throws {
        let budi = try connected(2)
        budi.disconnect()
        try host.change(renamed("Tan"))
        host.now = host.now + .seconds(25 * 3600)
        try host.change(renamed("Lim"))
        try budi.connect()
        try budi.receive()
        #expect(budi.resets == 1)
        #expect(budi.view == OwnView(of: person(2), in: host.replica))
        budi.disconnect()
        try host.change(renamed("Goh"))
        try budi.connect()
        try budi.receive()
        #expect(budi.resets == 1)
        #expect(budi.view == OwnView(of: person(2), in: host.replica))
    }

    @Test func `waits for a record that membership has published before`() throws {
        let budi = LiveClient(host, 2)
        try budi.readSnapshot()
        let before = host.directoryPosition
        let change = renamed("Tan")
        // The position of the record after the last one.
        host.directoryPosition = host.chainPosition(before!.sequence + 1)
        try budi.readSnapshot()
        host.directoryPosition = before
        try budi.connect(isFresh: true)
        #expect(host.events(of: budi.request!) == [])
        try host.change(change)
        #expect(host.events(of: budi.request!) == [], "the snapshot has it already")
        try host.change(renamed("Lim"))
        #expect(host.events(of: budi.request!).map(\.name) == ["circle"])

        let cara = LiveClient(host, 3)
        let now = host.directoryPosition
        host.directoryPosition = host.chainPosition(now!.sequence + 50)
        try cara.readSnapshot()
        host.directoryPosition = now
        try cara.connect(isFresh: true)
        host.now = host.now + .seconds(6)
        try host.turn { _ in }
        #expect(host.events(of: cara.request!).map(\.name) == ["reset"])
    }

    @Test func `positions say nothing about records of others`() throws {
        let budi = try connected(2)
        try host.change(renamed("Tan"))
        let id = try #require(host.events(of: budi.request!).first?.id)
        #expect(id.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        #expect(LivePosition(id, key: [UInt8](repeating: 1, count: 32)) == nil)
        let one = try host.position()
        #expect(try host.position() != one)
        let quiet = host.text(of: budi.request!)
        try host.change(
            .deviceChanged(Device(id: DeviceID(.zero), person: person(1), name: "Pixel")))
        #expect(host.text(of: budi.request!) == quiet)
    }

    // MARK: Ends

    @Test func `ends with its credential, in the turn that revokes it`() throws {
        let budi = try connected(2)
        let other = try connected(1)
        let credential = CredentialID(Hash.id(.text("person-2")))
        try host.change(
            renamed("Tan"), .credentialRemoved(CredentialRemoval(credential: credential)),
            renamed("Secret"))
        let request = try #require(budi.request)
        #expect(host.events(of: request).last?.name == "end")
        #expect(host.isEnded(request))
        #expect(!host.text(of: request).contains("Secret"))
        #expect(!host.isEnded(try #require(other.request)))
        try budi.connect()
        #expect(host.answers[budi.request!]?.status == 401)
    }

    @Test func `ends with its person`() throws {
        let budi = try connected(2)
        try host.change(.personRemoved(PersonRemoval(person: person(2))))
        #expect(host.isEnded(budi.request!))
    }

    @Test func `ends when its credential expires`() throws {
        let token = "short"
        try host.change(
            .credentialChanged(
                Credential(
                    id: CredentialID(Hash.id(.text(token))), hash: Hash.sha256Text(token),
                    person: person(2), created: noon, expires: noon + .seconds(15))))
        let request = try host.send(.get, "/v1/live", as: token)
        host.now = host.now + .seconds(10)
        try host.turn { _ in }
        #expect(host.text(of: request).hasSuffix(":\n\n"))
        #expect(!host.isEnded(request))
        host.now = host.now + .seconds(10)
        try host.turn { _ in }
        #expect(host.isEnded(request))
    }

    @Test func `sends another session's end`() throws {
        let budi = try connected(2)
        let session = CredentialID(ID128(high: 7, low: 7))
        try host.change(
            .credentialChanged(
                Credential(
                    id: session, hash: "h", kind: .session, person: person(2), created: noon)))
        try host.change(.credentialRemoved(CredentialRemoval(credential: session)))
        let events = host.events(of: budi.request!)
        #expect(events.map(\.name) == ["credential-gone"])
        #expect(events.last?.data == #"{"id":"\#(session)"}"#)
    }

    // MARK: Limits

    @Test func `refuses the operator, phones and strangers`() throws {
        try host.change(
            .deviceChanged(Device(id: DeviceID(.zero), person: person(1), name: "Pixel")),
            .credentialChanged(
                Credential(
                    id: CredentialID(Hash.id(.text("phone"))), hash: Hash.sha256Text("phone"),
                    person: person(1), device: DeviceID(.zero), created: noon)))
        #expect(try host.get("/v1/live").status == 403)
        #expect(try host.get("/v1/live", as: "phone").status == 403)
        #expect(try host.get("/v1/live", as: "x").status == 401)
        #expect(try host.get("/v1/live", as: nil).status == 401)
    }

    @Test func `limits the streams of a person and of the process`() throws {
        for _ in 0..<Limits.liveStreamsPerPersonMax { _ = try connected(1) }
        let many = try host.send(.get, "/v1/live", as: "person-1")
        #expect(host.answers[many]?.status == 429)
        #expect(host.answers[many]?.headers["Retry-After"] != nil)
        host.connectionsMax = 12
        _ = try connected(2)
        let full = try host.send(.get, "/v1/live", as: "person-3")
        #expect(host.answers[full]?.status == 503)
        #expect(host.answers[full]?.headers["Retry-After"] != nil)
    }

    @Test func `frees the place of a client that is gone`() throws {
        for _ in 0..<Limits.liveStreamsPerPersonMax { try connected(1).disconnect() }
        host.now = host.now + .seconds(11)
        try host.turn { _ in }
        let request = try host.send(.get, "/v1/live", as: "person-1")
        #expect(host.events(of: request).map(\.name) == ["reset"])
    }

    @Test func `sends a slow reader the newest state when it has read`() throws {
        let budi = try connected(2)
        let request = try #require(budi.request)
        host.unsent[request] = Limits.liveUnsentBytes
        for name in ["A", "B", "C"] { try host.change(renamed(name)) }
        #expect(host.events(of: request) == [])
        host.unsent[request] = 0
        try host.turn { _ in }
        #expect(host.events(of: request).count == 1)
        try budi.receive()
        #expect(budi.view == OwnView(of: person(2), in: host.replica))
    }

    @Test func `spreads the events of many streams over turns`() throws {
        var circle = host.replica.circle(family)!
        for number in UInt64(10)..<400 {
            try host.change(
                .personChanged(
                    Person(
                        id: person(number), name: String(repeating: "x", count: 90) + "\(number)"))
            )
            circle.members.append(member(number))
        }
        try host.change(.circleChanged(circle))
        let numbers: [UInt64] = [3] + (0..<16).map { 1 + $0 % 2 }
        let clients = try numbers.map { try connected($0) }
        try host.change(renamed("Large"))
        func reached() -> Int { clients.count { !host.events(of: $0.request!).isEmpty } }
        #expect((1..<clients.count).contains(reached()))
        #expect(host.service.nextDeadline == host.now)
        for _ in 0..<clients.count where reached() < clients.count { try host.turn { _ in } }
        #expect(reached() == clients.count)
    }

    // MARK: Rollback

    @Test func `cuts the streams to which a rolled-back turn has sent`() throws {
        let budi = try connected(2)
        let dewi = try connected(4)
        let change = renamed("Tan")
        try host.rolledBackTurn {
            try host.apply([change], at: host.now, to: $0)
            try $0.tick()
        }
        try host.turn { _ in }
        #expect(host.isCut(budi.request!))
        #expect(!host.isCut(dewi.request!))
        #expect(host.events(of: budi.request!) == [])
        try budi.connect()
        try host.change(change)
        try budi.receive()
        #expect(budi.view == OwnView(of: person(2), in: host.replica))
        #expect(budi.resets == 0)
    }
}
