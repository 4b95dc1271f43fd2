import Hashing
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Testing
import Web

@testable import IngestDaemon

/// What the apps of OwnTracks send over HTTP, beside fixes.
@Suite struct OwnTracksTests {
    static let passphrase = "a secret"
    static let keyPath = "/v1/people/\(person(1))/devices/\(device(1))/encryption-key"

    /// As an app seals it.
    private func sealed(_ message: String, _ passphrase: String = passphrase) -> String {
        let key = Array(passphrase.utf8) + [UInt8](repeating: 0, count: 32 - passphrase.utf8.count)
        let bytes = SecretBox.seal(
            Array(message.utf8), key: key, nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        return #"{"_type":"encrypted","data":"\#(Base64.encode(bytes))"}"#
    }

    private func opened(_ answer: Response) throws -> String {
        let key =
            Array(Self.passphrase.utf8)
            + [UInt8](repeating: 0, count: 32 - Self.passphrase.utf8.count)
        let data = try #require(answer.json["data"]?.string.flatMap { Base64.decode($0) })
        return String(decoding: try #require(SecretBox.open(data, key: key)), as: UTF8.self)
    }

    private func reasons(_ world: World) throws -> [String] {
        try world.database.all("SELECT reason FROM quarantine ORDER BY number") { $0.text(0) }
    }

    // MARK: Encrypted

    @Test func `an encrypted report counts, and its whole answer is encrypted`() throws {
        let world = try World()
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        #expect(try world.send(.put, Self.keyPath, body, token: "person-1").status == 204)
        for _ in 0..<2 {
            let answer = try world.send(
                .post, "/pub", sealed(PhoneTests.location), token: "phone-1")
            #expect(answer.status == 200 && answer.json["_type"] == "encrypted")
            #expect(try opened(answer).contains(#""_type":"location""#))
            try world.restart()
        }
        #expect(world.records(.inputReport).count == 1)
        let plain = try world.send(.post, "/pub", "", token: "phone-1")
        #expect(plain.text == "[]", "what comes in clear is answered in clear")
        #expect(try reasons(world).isEmpty)
    }

    @Test func `an encrypted report gets friends even if the token is in the URL`() throws {
        let world = try World()
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        try world.send(.put, Self.keyPath, body, token: "person-1")
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-2")
        let answer = try world.send(.post, "/pub?token=phone-1", sealed(PhoneTests.location))
        let text = try opened(answer)
        #expect(text.contains("T2") && text.contains("lat"))
        let wrong = try world.send(
            .post, "/pub?token=phone-1", sealed(PhoneTests.location, "another"))
        #expect(try opened(wrong) == "[]", "a caller that cannot encrypt it learns nothing")
    }

    @Test func `unreadable messages are quarantined, and the phone gets a success`() throws {
        let world = try World()
        let message = sealed(PhoneTests.location, "another")
        #expect(try world.send(.post, "/pub", message, token: "phone-1").text == "[]")
        #expect(try reasons(world) == ["encrypted"])
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        try world.send(.put, Self.keyPath, body, token: "phone-1")
        let answer = try world.send(.post, "/pub", message + " ", token: "phone-1")
        #expect(answer.status == 200)
        #expect(try opened(answer) == "[]")
        #expect(try reasons(world) == ["encrypted", "undecryptable"])
        #expect(try world.send(.delete, Self.keyPath, token: "phone-1").status == 204)
        try world.send(.post, "/pub", sealed(PhoneTests.location), token: "phone-1")
        #expect(try reasons(world) == ["encrypted", "undecryptable", "encrypted"])
    }

    @Test func `a passphrase is neither in the store nor in a response`() throws {
        let world = try World()
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        try world.send(.put, Self.keyPath, body, token: "person-1")
        let rows = try world.database.all("SELECT sealed FROM device_key") { $0.blob(0) }
        #expect(rows.count == 1)
        #expect(!rows[0].contains(Array(Self.passphrase.utf8)))
        #expect(try world.send(.get, Self.keyPath, token: "person-1").status == 405)
    }

    @Test(arguments: ["{}", #"{"passphrase":""}"#, #"{"passphrase":7}"#, "no json"])
    func `a passphrase that the apps do not accept is a 400`(body: String) throws {
        let world = try World()
        #expect(try world.send(.put, Self.keyPath, body, token: "person-1").status == 400)
    }

    @Test func `a key is set by its owner, on their own devices`() throws {
        let world = try World()
        let body = #"{"passphrase":"x"}"#
        #expect(try world.send(.put, Self.keyPath, body, token: "person-2").status == 403)
        let foreign = "/v1/people/\(person(1))/devices/\(device(2))/encryption-key"
        #expect(try world.send(.put, foreign, body, token: "person-1").status == 404)
        #expect(try world.database.scalar("SELECT count(*) FROM device_key") == .integer(0))
    }

    @Test func `with another key file encrypted messages are quarantined`() throws {
        let world = try World()
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        try world.send(.put, Self.keyPath, body, token: "person-1")
        let other = Hex.encode([UInt8](repeating: 1, count: 32))
        try Files.write(Array(other.utf8), to: world.secrets + "/devices.key", mode: 0o600)
        try world.restart()
        try world.send(.post, "/pub", sealed(PhoneTests.location), token: "phone-1")
        #expect(try reasons(world) == ["encrypted"])
    }

    @Test func `without its key file a store of sealed keys starts only if it may lose them`()
        throws
    {
        let world = try World()
        try world.restart()
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        #expect(try !KeyFile.hasSealedDevices(world.database))
        try world.send(.put, Self.keyPath, body, token: "person-1")
        #expect(try KeyFile.hasSealedDevices(world.database))
        let path = world.secrets + "/devices.key"
        try Files.remove(path)
        #expect(throws: MissingKeyFile.self) { try world.restart() }
        try Files.write(Array("new\n".utf8), to: path, mode: 0o600)
        try world.restart()
        #expect(world.service.runner.keys[device(1)] == nil)
    }

    @Test func `removing a person deletes the keys of their phones`() throws {
        let world = try World()
        let body = #"{"passphrase":"\#(Self.passphrase)"}"#
        try world.send(.put, Self.keyPath, body, token: "person-1")
        let change = EventBody.personRemoved(PersonRemoval(person: person(1)))
        let event = Event(id: EventID(.zero), time: start, body: change)
        try world.turn { try world.service.directoryWillChange(event) }
        #expect(try world.database.scalar("SELECT count(*) FROM device_key") == .integer(0))
        #expect(world.service.runner.keys[device(1)] == nil)
    }

    // MARK: Zones drawn on the phone

    private static let waypoint =
        #"{"_type":"waypoint","desc":"Home","lat":3.1,"lon":101.7,"rad":80,"tst":1790000000}"#

    private func suggestions(_ world: World, token: String = "person-1") throws -> [JSON] {
        let path = "/v1/people/\(person(1))/suggested-zones"
        return try world.send(.get, path, token: token).json["items"]?.array ?? []
    }

    @Test func `a waypoint is suggested as a zone that can be created unchanged`() throws {
        let world = try World()
        #expect(try world.send(.post, "/pub", Self.waypoint, token: "phone-1").text == "[]")
        let suggestion = try #require(try suggestions(world).first)
        #expect(
            suggestion["zone"]
                == [
                    "type": "Feature",
                    "geometry": ["type": "Point", "coordinates": [101.7, 3.1]],
                    "properties": ["name": "Home", "radius": 80],
                ])
        #expect(suggestion["device"]?.string == device(1).description)
        #expect(try reasons(world).isEmpty && world.records(.inputReport).isEmpty)
    }

    @Test func `an accepted or dismissed suggestion returns only after a change`() throws {
        let world = try World()
        try world.send(.post, "/pub", Self.waypoint, token: "phone-1")
        let id = try #require(try suggestions(world).first?["id"]?.string)
        let path = "/v1/people/\(person(1))/suggested-zones/\(id)"
        #expect(try world.send(.delete, path, token: "person-2").status == 403)
        #expect(try world.send(.delete, path, token: "person-1").status == 204)
        #expect(try world.send(.delete, path, token: "person-1").status == 404)
        try world.send(.post, "/pub", Self.waypoint, token: "phone-1")
        #expect(try suggestions(world).isEmpty)
        let changed = Self.waypoint.replacing("\"rad\":80", with: "\"rad\":90")
        try world.send(.post, "/pub", changed, token: "phone-1")
        try world.send(
            .post, "/pub", changed.replacing("\"rad\":90", with: "\"rad\":95"), token: "phone-1")
        let radii = try suggestions(world).map { $0["zone"]?["properties"]?["radius"]?.int }
        #expect(radii == [95], "of the same circle the newest only")
    }

    @Test func `only the person sees their suggestions, up to a maximum`() throws {
        let world = try World()
        for number in 0..<120 {
            let body = Self.waypoint.replacing("1790000000", with: "\(1_790_000_000 + number)")
            try world.send(.post, "/pub", body, token: "phone-1")
        }
        #expect(try suggestions(world).count == 100)
        let path = "/v1/people/\(person(1))/suggested-zones"
        #expect(try world.send(.get, path, token: "person-2").status == 403)
        #expect(try world.send(.get, path, token: "operator").status == 403)
    }

    // MARK: What phones send and receive

    @Test func `an impaired phone is shown with its reasons`() throws {
        let world = try World()
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        let status = #"{"_type":"status","android":{"wifi":1,"ps":0,"bo":1,"hib":0,"loc":-2}}"#
        #expect(try world.send(.post, "/pub", status, token: "phone-1").text == "[]")
        try world.restart()
        let positions = try world.send(
            .get, "/v1/circles/\(circle(1))/positions", token: "person-2")
        let anna = positions.json["features"]?.array?
            .first { $0["id"]?.string == person(1).description }?["properties"]
        #expect(anna?["state"] == "impaired")
        #expect(anna?["impairments"] == ["battery-optimisation", "location-permission"])
        #expect(world.service.statusDetails["impaired"] == 1)
    }

    @Test func `a phone with another key is impaired until it can be decrypted`() throws {
        let world = try World()
        func shown() throws -> JSON? {
            try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")
                .json["features"]?.array?
                .first { $0["id"]?.string == person(1).description }?["properties"]
        }
        func sealed(_ passphrase: String) -> String {
            self.sealed(PhoneTests.location, passphrase)
        }
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        #expect(try world.send(.post, "/pub", sealed("theirs"), token: "wrong").status == 401)
        #expect(try shown()?["state"] == "fresh")
        #expect(try world.send(.post, "/pub", sealed("theirs"), token: "phone-1").status == 200)
        #expect(try shown()?["state"] == "impaired")
        #expect(world.records(.inputImpairment).count == 1)
        try world.send(
            .put, "/v1/people/\(person(1))/devices/\(device(1))/encryption-key",
            #"{"passphrase":"ours"}"#, token: "person-1")
        try world.send(.post, "/pub", sealed("theirs"), token: "phone-1")
        // What is read once more is of then.
        let entry = try world.send(.get, "/v1/quarantine", token: "person-1").json["items"]?[0]
        let path = "/v1/quarantine/\(entry?["id"]?.string ?? "")/retry"
        #expect(try world.send(.post, path, token: "person-1").status == 200)
        try world.restart()
        #expect(try shown()?["impairments"] == ["undecryptable"])
        try world.send(.post, "/pub", sealed("ours"), token: "phone-1")
        #expect(try shown()?["state"] == "fresh" && shown()?["impairments"] == nil)
        #expect(world.records(.inputImpairment).count == 1)
    }

    @Test func `an avatar reaches the phones of friends, also after a restart`() throws {
        let world = try World()
        let avatar = Base64.encode([0xFF, 0xD8, 0xFF, 0xE0])
        let card = #"{"_type":"card","tid":"AN","name":"Mama","face":"\#(avatar)"}"#
        try world.send(.post, "/pub", card, token: "phone-1")
        try world.restart()
        let answer = try world.send(.post, "/pub", PhoneTests.location, token: "phone-2")
        let shown = answer.json.array?.first { $0["name"] == "Mama" }
        #expect(shown?["face"]?.string == avatar)
    }

    @Test func `an emergency with a large photo is raised, and only its position is kept`() throws {
        let world = try World()
        let photo = String(repeating: "QUJD", count: 12 << 18)
        let body =
            #"{"image":"\#(photo)","_type":"location","poi":"SOS","#
            + #""lat":3,"lon":101,"tst":1795169990}"#
        #expect(body.utf8.count > Limits.phoneBodyBytes)
        #expect(body.utf8.count < Limits.ownTracksBodyBytes)
        #expect(try world.send(.post, "/pub", body, token: "phone-1").status == 200)
        #expect(world.records(.sosRaised).count == 1)
        #expect(try world.database.scalar("SELECT count(*) FROM quarantine") == .integer(0))
    }

    @Test func `a phone is asked for its location in the next response`() throws {
        let world = try World()
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        let path = "/v1/people/\(person(1))/locate"
        let answer = try world.send(.post, path, token: "person-2")
        #expect(answer.status == 202)
        #expect(answer.json["asked"]?.string == start.description)
        let again = try world.send(.post, path, token: "person-2")
        #expect(again.status == 429 && again.headers["Retry-After"] == "60")
        #expect(try world.send(.post, path, token: "person-3").status == 403)
        try world.restart()
        let asked = try world.send(.post, "/pub", #"{"_type":"steps"}"#, token: "phone-1")
        #expect(asked.text == #"[{"_type":"cmd","action":"reportLocation"}]"#)
        let seen = try world.database.all("SELECT asked FROM access WHERE asked IS NOT NULL") {
            $0.time(0)
        }
        #expect(seen == [start])
    }

    @Test func `the person reads the access log page by page`() throws {
        let world = try World()
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        for hour in 0..<3 {
            world.now = start + .seconds(Int64(hour) * 3600)
            try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")
            let positions = "/v1/circles/\(circle(1))/positions"
            #expect(try world.send(.get, positions, token: "operator").status == 400)
            let reason = "?reason=support%20case%2012"
            #expect(try world.send(.get, positions + reason, token: "operator").status == 200)
        }
        try world.send(.post, "/v1/people/\(person(1))/locate", token: "person-2")
        let path = "/v1/people/\(person(1))/access-log"
        var items: [JSON] = []
        var cursor = ""
        repeat {
            let page = try world.send(.get, path + "?limit=2" + cursor, token: "person-1").json
            items += page["items"]?.array ?? []
            cursor = page["next"]?.string.map { "&cursor=" + $0 } ?? ""
        } while !cursor.isEmpty && items.count < 20
        #expect(items.count == 7)
        #expect(items.map { $0["name"]?.string } == [nil, "Ben", "Ben", nil, "Ben", nil, "Ben"])
        #expect(items[0]["hour"]?.string == "2026-11-20T12:00:00.000Z")
        #expect(items[0]["reason"] == "support case 12" && items[0]["kind"] == "positions")
        #expect(items[1]["kind"] == "locate")
        #expect(items[1]["asked"]?.string == world.now.description)
        #expect(items[2]["kind"] == "positions" && items[2]["count"] == 1)
        #expect(items[2]["asked"] == .null && items[2]["reason"] == .null)
        #expect(try world.send(.get, path, token: "person-2").status == 403)
        #expect(try world.send(.get, path + "?cursor=x", token: "person-1").status == 400)
    }

    @Test func `the access log shows what staff did to an account, and why`() throws {
        let world = try World()
        let record = AccessRecord(
            person: person(1), viewer: nil, at: world.now, kind: .credentials,
            reason: "lost phone 12")
        try world.receive(.accessRecorded(record), id: 1, on: .directory)
        let path = "/v1/people/\(person(1))/access-log"
        let items = try world.send(.get, path, token: "person-1").json["items"]?.array ?? []
        #expect(items.count == 1 && items[0]["kind"] == "credentials")
        #expect(items[0]["viewer"] == .null && items[0]["reason"] == "lost phone 12")
        for short in ["x", "%20%20%20too%20few", String(repeating: "x", count: 201)] {
            let answer = try world.send(
                .get, "/v1/circles/\(circle(1))/positions?reason=\(short)", token: "operator")
            #expect(answer.status == 400 && answer.json["field"] == "reason", "\(short)")
        }
    }

    @Test func `a policy is sent as a command until the phone confirms it`() throws {
        let world = try World()
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        let policy = ReportingPolicy(
            person: person(1), device: device(1), mode: .standard, distanceFilterMetres: 50,
            intervalSeconds: 180, contactTimeoutSeconds: 1800)
        try world.receive(.policyChanged(policy), id: 1, on: .events(Partition.of(person(1))))
        func answer(at seconds: Int64) throws -> String {
            world.now = start + .seconds(seconds)
            let time = world.now.seconds
            let body = #"{"_type":"location","lat":3.1,"lon":101.7,"tst":\#(time),"m":1}"#
            return try world.send(.post, "/pub", body, token: "phone-1").text
        }
        let command =
            #"{"_type":"cmd","action":"setConfiguration","configuration":"#
            + #"{"_type":"configuration","monitoring":1,"locatorInterval":10,"#
            + #""locatorDisplacement":50}}"#
        #expect(try answer(at: 1).hasSuffix("," + command + "]"))
        #expect(try !answer(at: 2).contains("setConfiguration"))
    }

    @Test func `a double press calls for help if the setting allows it`() throws {
        let world = try World()
        for second in [1_795_169_990, 1_795_169_993] {
            let body = #"{"_type":"location","lat":3.1,"lon":101.7,"tst":\#(second),"t":"u"}"#
            try world.send(.post, "/pub", body, token: "phone-1")
        }
        #expect(world.records(.sosRaised).count == 1)
    }

    @Test func `Overland in OwnTracks's protocol gets an object`() throws {
        let world = try World()
        let answer = try world.send(
            .post, "/pub", #"{"_type":"location","lat":3.1,"lon":101.7,"tst":816862790}"#,
            token: "phone-1", headers: ["User-Agent": "Overland/1.5"])
        #expect(answer.text == #"{"result":"ok"}"#)
        guard case .inputReport(let report)? = world.records(.inputReport).first?.body else {
            Issue.record("the report is taken")
            return
        }
        #expect(report.fix.time == Timestamp(seconds: 1_795_169_990))
    }

    @Test func `the credential identifies the device; name changes are counted`() throws {
        let world = try World()
        func send(_ user: String, _ query: String = "") throws {
            try world.send(
                .post, "/pub" + query, "", token: "phone-1", headers: ["X-Limit-U": user])
        }
        try send("anna")
        try send("ANNA")
        #expect(world.service.runner.counts.namesChanged == 0)
        try send("ben")
        #expect(world.service.runner.counts.namesChanged == 1)
        try world.send(.post, "/pub?u=x&d=y", PhoneTests.location, token: "phone-1")
        #expect(world.records(.inputReport).count == 1)
    }
}
