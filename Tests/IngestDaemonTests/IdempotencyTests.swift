import Hashing
import Model
import Parsing
import Store
import TestSupport
import Testing
import Web

@testable import Hosting
@testable import IngestDaemon

@Suite struct `Stored responses to repeated requests` {
    private let now = Timestamp(seconds: 1_800_000_000)
    private let person = Principal.person(PersonID(ID128(high: 0, low: 7)))

    private func request(
        _ body: String = "{}", key: String? = "k", path: String = "/v1/reports"
    ) -> Request {
        var request = Request(id: 1, method: .post, path: path, body: Array(body.utf8))
        if let key { request.headers["Idempotency-Key"] = key }
        return request
    }

    private func key(
        _ request: Request, by principal: Principal? = nil, within seconds: Int64 = 60
    ) throws -> IdempotencyStore.Key {
        try #require(
            IdempotencyStore.Key(request, by: principal ?? person, within: .seconds(seconds)))
    }

    @Test func `count for the same sender, path, key and body within the window`() throws {
        let store = IdempotencyStore(
            try Database(path: ":memory:", migrations: [IdempotencyStore.migration]))
        let response = Response.json(["id": "x"], status: 202)
        try store.store(response, to: try key(request()), at: now)
        let again = try #require(try store.response(to: key(request()), at: now + .seconds(59)))
        #expect(again.status == 202 && again.body == response.body)
        #expect(try store.response(to: key(request()), at: now + .seconds(60)) == nil)
        #expect(try store.response(to: key(request(), within: 61), at: now + .seconds(60)) != nil)
        let others = [
            try key(request("[]")), try key(request(key: "l")), try key(request(path: "/v1/x")),
            try key(request(), by: .operator),
        ]
        for other in others { #expect(try store.response(to: other, at: now) == nil) }
        #expect(IdempotencyStore.Key(request(key: nil), by: person) == nil)
    }

    @Test func `of an older store still count`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let request = request()
        do {
            let older = Tables.migrations.filter { $0.component == "" && $0.number <= 20 }
            let database = try Database(
                path: path, migrations: HostParts.commonMigrations + older)
            let id = Hash.id(
                "answered", .id(PersonID(ID128(high: 0, low: 7))), .text(request.path), .text("k"),
                .bytes(request.body))
            try database.run(
                "INSERT INTO answered (key, status, body, time) VALUES (?, 202, ?, ?)", .id(id),
                .blob(Array(#"{"id":"ä\n"}"#.utf8)), .time(now))
        }
        let database = try Database(
            path: path, migrations: HostParts.commonMigrations + Tables.migrations)
        let store = IdempotencyStore(database)
        let first = try #require(try store.response(to: key(request), at: now))
        #expect(first.status == 202)
        #expect(first.headers["Content-Type"] == "application/json")
        #expect(String(decoding: first.body, as: UTF8.self) == #"{"id":"ä\n"}"#)
        try store.prune(at: now + .seconds(24 * 3600), limit: .max)
        #expect(try store.response(to: key(request, within: 86_400), at: now) == nil)
    }
}
