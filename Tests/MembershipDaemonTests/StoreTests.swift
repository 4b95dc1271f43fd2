import Directory
import Foundation
import Hosting
import MembershipCore
import Model
import Parsing
import Runtime
import Store
import TestSupport
import Testing
import Web
import Wire

@testable import MembershipDaemon

private let now = Timestamp(seconds: 1_800_000_000)
private let token = String(repeating: "t", count: 43)

private func post(
    _ body: String, key: String?, path: String = "/v1/people", token: String = token
) -> Request {
    var request = Request(id: 1, method: .post, path: path, body: Array(body.utf8))
    request.headers["Authorization"] = "Bearer \(token)"
    if let key { request.headers["Idempotency-Key"] = key }
    return request
}

@Suite struct KeptAnswerTests {
    private let database: Database
    private let answers: IdempotencyStore

    init() throws {
        database = try Database(path: ":memory:", migrations: Tables.migrations)
        answers = IdempotencyStore(database)
    }

    private func keep(_ text: String, status: Int = 201, for request: Request) throws {
        let key = try #require(try IdempotencyStore.Key(request))
        var response = Response.json(["token": .string(text)], status: status)
        response.headers["ETag"] = "\"1\""
        try answers.store(response, to: key, at: now)
    }

    private func answer(to request: Request, at time: Timestamp = now) throws -> Response? {
        let key = try #require(try IdempotencyStore.Key(request))
        return try answers.response(to: key, at: time)
    }

    @Test func `a repeated request gets the first response, marked as a replay`() throws {
        try keep("first", for: post("{}", key: "k"))
        let again = try #require(try answer(to: post("{}", key: "k")))
        #expect(again.status == 201)
        #expect(String(decoding: again.body, as: UTF8.self) == #"{"token":"first"}"#)
        #expect(again.headers["ETag"] == "\"1\"")
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try answer(to: post("{}", key: "other")) == nil)
    }

    @Test func `an error is not stored`() throws {
        try keep("no", status: 409, for: post("{}", key: "k"))
        #expect(try answer(to: post("{}", key: "k")) == nil)
    }

    @Test func `other callers do not get the response, and the store does not reveal it`() throws {
        try keep("secret-words", for: post("{}", key: "k"))
        let other = String(repeating: "u", count: 43)
        #expect(try answer(to: post("{}", key: "k", token: other)) == nil)
        let stored = try database.all("SELECT sealed FROM idempotent_answer") { $0.blob(0) }
        #expect(stored.count == 1)
        #expect(!String(decoding: stored[0], as: UTF8.self).contains("secret-words"))
    }

    @Test func `a key belongs to one request`() throws {
        try keep("first", for: post("{}", key: "k"))
        for request in [post("{ }", key: "k"), post("{}", key: "k", path: "/v1/circles")] {
            let problem = #expect(throws: Problem.self) { try answer(to: request) }
            #expect(problem?.status == 409)
            #expect(problem?.field == "Idempotency-Key")
        }
    }

    @Test func `a response is stored for a day`() throws {
        try keep("first", for: post("{}", key: "k"))
        let day = now + .seconds(24 * 3600)
        #expect(try answer(to: post("{}", key: "k"), at: day - .seconds(1)) != nil)
        #expect(try answer(to: post("{}", key: "k"), at: day) == nil)
        #expect(try answers.prune(at: day - .seconds(1)) == 0)
        #expect(try answers.prune(at: day) == 1)
    }

    @Test func `a key is a printable text`() throws {
        #expect(try IdempotencyStore.Key(post("{}", key: nil)) == nil)
        for key in ["", "a\nb", String(repeating: "k", count: 256)] {
            let request = post("{}", key: key)
            #expect(problem { _ = try IdempotencyStore.Key(request) }.field == "Idempotency-Key")
        }
    }
}

@Suite struct OperatorTokenTests {
    @Test func `the first start creates a token that only its owner can read`() throws {
        let folder = try TemporaryFolder()
        let file = OperatorToken(home: folder.path)
        let secret = try file.establish()
        #expect(secret.token.utf8.count == 43)
        #expect(try Files.read(file.path) == Array((secret.token + "\n").utf8))
        #expect(rights(of: file.path) == 0o600)
        #expect(rights(of: folder.file("secrets")) == 0o700)
        #expect(try file.establish().credential.hash == secret.credential.hash)
    }

    @Test func `a token is replaced atomically`() throws {
        let folder = try TemporaryFolder()
        let file = OperatorToken(home: folder.path)
        _ = try file.establish()
        let secret = NewSecret()
        try file.write(secret)
        #expect(try file.establish().token == secret.token)
        #expect(rights(of: file.path) == 0o600)
    }

    @Test func `an invalid token file stops the start with a hint`() throws {
        let folder = try TemporaryFolder()
        let file = OperatorToken(home: folder.path)
        try Files.makeFolder(folder.file("secrets"))
        for text in [
            "", "short\n", String(repeating: "x", count: 100), "with blanks in its middle…",
        ] {
            try Files.write(Array(text.utf8), to: file.path, mode: 0o600)
            let error = #expect(throws: UnusableToken.self) { try file.establish() }
            #expect(error?.hint.isEmpty == false)
        }
    }

    @Test func `a token file that others can read stops the start`() throws {
        let folder = try TemporaryFolder()
        let file = OperatorToken(home: folder.path)
        let secret = try file.establish()
        try Files.write(Array(secret.token.utf8), to: file.path, mode: 0o644)
        // Whatever the umask is.
        try #require(chmod(file.path, 0o644) == 0)
        let error = #expect(throws: OpenSecret.self) { try file.establish() }
        #expect(error?.hint.hasPrefix("chmod 600 \(file.path);") == true)
        #expect(throws: OpenSecret.self) { try file.check() }
    }

    @Test func `the check before a start creates no token`() throws {
        let file = OperatorToken(home: try TemporaryFolder().path)
        try file.check()
        #expect(!file.exists)
    }
}

@Suite struct DirectoryRowTests {
    @Test func `recorded rows survive a restart`() throws {
        let folder = try TemporaryFolder()
        var core = MembershipCore()
        var patch = PersonPatch()
        patch.name = "Anna"
        var circle = CirclePatch()
        circle.name = "Family"
        let person = PersonID(SecureRandom.id())
        let device = DeviceID(SecureRandom.id())
        var phone = DevicePatch()
        phone.name = "Pixel"
        let zone = try ZoneBody.read(
            try json(
                """
                {'type': 'Feature', 'properties': {'name': 'Home'}, 'geometry':
                 {'type': 'Polygon', 'coordinates': [[[1, 1], [1.1, 1], [1.1, 1.1], [1, 1]]]}}
                """), isNew: true, clocks: clocks)
        let circleID = CircleID(SecureRandom.id())
        let changes: [Change] = [
            .createPerson(person, patch), .createCircle(circleID, circle),
            .createDevice(person, device, phone, NewSecret().credential),
            .addMember(circleID, person, MemberPatch()),
            .createZone(.circle(circleID), ZoneID(SecureRandom.id()), zone),
        ]
        func perform(_ changes: [Change], by principal: Principal = .operator) throws {
            let rows = DirectoryRows(
                database: try Database(path: folder.file("s"), migrations: Tables.migrations),
                rights: .standard)
            for change in changes {
                var effects: [Effect] = []
                core.handle(
                    .command(Command(request: 1, principal: principal, change: change)), at: now,
                    into: &effects)
                for case .record(let step) in effects { try rows.record(step) }
            }
            #expect(try rows.load() == core.directory)
        }
        try perform(changes)
        try perform(
            [.createCredential(person, NewSecret().credential, CredentialTerms())],
            by: .person(person))
        #expect(core.directory.counts == (1, 1, 2, 1, 1))
        try perform([.removeDevice(person, device), .removeCircle(circleID)])
        try perform([.removePerson(person)])
        #expect(core.directory.isEmpty)
    }
}

/// The permission bits of a file or folder.
private func rights(of path: String) -> UInt16? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.uint16Value
}
