import Directory
import Model
import Parsing
import Store
import TestSupport
import Testing
import TimerCore
import Web

@testable import TimerDaemon

@Suite struct `A request about watches` {
    private static let anna = PersonID(ID128(high: 0, low: 1))
    private static let ben = PersonID(ID128(high: 0, low: 2))
    private let now = Timestamp(seconds: 1_800_000_000)
    private let rows: WatchRows
    private let replica: Replica
    private let timed: TimedWatch

    init() throws {
        let database = try Database(path: ":memory:", migrations: Tables.migrations)
        rows = WatchRows(database: database)
        var replica = Replica()
        for (person, name, address) in [
            (Self.anna, "Anna", "+15550100"), (Self.ben, "Ben", "+15550101"),
        ] {
            let number = ContactPoint(
                id: ContactID(.zero), channel: .sms, address: address, verified: .zero)
            replica.apply(.personChanged(Person(id: person, name: name, contacts: [number])))
        }
        let members = [Self.anna, Self.ben].map {
            Membership(person: $0, role: .admin, joined: .zero, trackerID: "x")
        }
        replica.apply(
            .circleChanged(Circle(id: CircleID(.zero), name: "Family", members: members)))
        self.replica = replica
        timed = TimedWatch(
            watch: Watch(
                id: WatchID(ID128(high: 9, low: 9)), person: Self.anna, started: now,
                deadline: now + .seconds(600), version: 4),
            reminder: now + .seconds(540))
        try rows.save(timed, at: now)
    }

    private func parse(
        _ method: Method, _ path: String, body: String = "", by principal: Principal?,
        headers: Headers = Headers()
    ) throws -> RequestOutcome {
        let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let request = Request(
            id: 5, method: method, path: String(path.prefix { $0 != "?" }),
            query: Query(encoded: query), headers: headers, body: Array(body.utf8), trace: "t")
        return try TimerRequests(
            watches: rows, core: TimerCore(settings: .init(), started: now), replica: replica,
            principal: principal, now: now
        ).parse(request)
    }

    private func problem(
        _ method: Method, _ path: String, body: String = "", by principal: Principal?,
        headers: Headers = Headers()
    ) -> Problem? {
        do {
            _ = try parse(method, path, body: body, by: principal, headers: headers)
            return nil
        } catch { return error as? Problem }
    }

    private var path: String { "/v1/watches/\(timed.watch.id)" }

    @Test func `starts a watch for the caller, also by their device`() throws {
        for principal in [Principal.person(Self.anna), .device(DeviceID(.zero), of: Self.anna)] {
            let body = #"{"minutes": 45.5, "note": "home by bus"}"#
            guard
                case .input(.startWatch(let start), _) = try parse(
                    .post, "/v1/watches", body: body, by: principal)
            else {
                Issue.record("no start")
                return
            }
            #expect(start.person == Self.anna && start.span == .seconds(2730))
            #expect(start.terms.note == "home by bus" && start.obstacle == nil)
            #expect(start.request == 5 && start.trace == "t")
        }
    }

    @Test func `accepts a deadline with any UTC offset`() throws {
        let body = #"{"deadline": "2026-11-20T22:30:00+08:00", "note": null}"#
        let json = try JSON.parse(Array(body.utf8))
        let read = try WatchBody(json, fields: ["minutes", "deadline", "note"])
        #expect(read.span == .until(try #require(Timestamp("2026-11-20T14:30:00Z"))))
        #expect(read.terms == WatchTerms())
    }

    @Test(
        arguments: [
            ("[]", nil), ("{", nil), ("{}", "minutes"), (#"{"minutes": 0}"#, "minutes"),
            (#"{"minutes": "5"}"#, "minutes"), (#"{"minutes": 1e300}"#, "minutes"),
            (#"{"deadline": "tomorrow"}"#, "deadline"), (#"{"deadline": 5}"#, "deadline"),
            (#"{"minutes": 5, "deadline": "2026-11-20T14:30:00Z"}"#, "minutes"),
            (#"{"minutes": 5, "note": 7}"#, "note"), (#"{"minutes": 5, "zone": 1}"#, "zone"),
        ] as [(String, String?)])
    func `with an invalid body names the field`(body: String, field: String?) {
        let problem = problem(.post, "/v1/watches", body: body, by: .person(Self.anna))
        #expect(problem?.status == 400 && problem?.field == field)
    }

    @Test func `without credentials is rejected`() {
        #expect(problem(.get, "/v1/watches", by: nil)?.status == 401)
        let nothing = TimerRequests(
            watches: rows, core: TimerCore(settings: .init(), started: now), replica: Replica(),
            principal: nil, now: now)
        #expect(throws: Problem.self) {
            do { _ = try nothing.parse(Request(id: 1, method: .get, path: "/v1/watches")) } catch {
                #expect((error as? Problem)?.status == 503)
                throw error
            }
        }
    }

    @Test func `of the operator may read but not change`() throws {
        guard case .respond(let response) = try parse(.get, path, by: .operator) else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == 200 && response.headers["ETag"] == "\"4\"")
        #expect(problem(.delete, path, by: .operator)?.status == 403)
        let start = problem(.post, "/v1/watches", body: #"{"minutes": 5}"#, by: .operator)
        #expect(start?.status == 403)
    }

    @Test func `of another person finds nothing`() throws {
        for (method, path) in [(Method.get, path), (.delete, path), (.post, path + "/end")] {
            #expect(problem(method, path, by: .person(Self.ben))?.status == 404)
        }
        guard case .respond(let list) = try parse(.get, "/v1/watches", by: .person(Self.ben))
        else { return }
        #expect(String(decoding: list.body, as: UTF8.self) == #"{"items":[],"next":null}"#)
    }

    @Test func `of its person extends, ends and cancels`() throws {
        let anna = Principal.person(Self.anna)
        let id = timed.watch.id
        guard
            case .input(.extendWatch(id, by: .seconds(600), request: 5), _) = try parse(
                .post, path + "/extension", body: #"{"minutes": 10}"#, by: anna),
            case .input(.closeWatch(id, as: .end, pin: .entered(nil), request: 5), _) = try parse(
                .post, path + "/end", by: anna),
            case .input(.closeWatch(id, as: .cancel, pin: .entered(nil), request: 5), _) =
                try parse(
                    .delete, path, by: anna, headers: ["If-Match": "\"4\""])
        else {
            Issue.record("not what was asked for")
            return
        }
        let outdated = problem(.delete, path, by: anna, headers: ["If-Match": "\"3\""])
        #expect(outdated?.status == 412)
    }

    @Test(arguments: ["?limit=0", "?limit=x", "?limit=1000", "?cursor=next"])
    func `for a list with an invalid limit or cursor is rejected`(query: String) {
        let problem = problem(.get, "/v1/watches" + query, by: .person(Self.anna))
        #expect(problem?.status == 400)
    }

    @Test func `pages through a list by cursor`() throws {
        for number: UInt64 in 1...3 {
            var other = timed
            other.watch.id = WatchID(ID128(high: 1, low: number))
            try rows.save(other, at: now)
        }
        var seen: [String] = []
        var path = "/v1/watches?limit=3"
        for _ in 0..<3 {
            guard case .respond(let page) = try parse(.get, path, by: .person(Self.anna)) else {
                break
            }
            let json = try JSON.parse(page.body)
            seen += (json["items"]?.array ?? []).compactMap { $0["id"]?.string }
            guard let next = json["next"]?.string else { break }
            path = "/v1/watches?limit=3&cursor=" + next
        }
        #expect(seen.count == 4 && Set(seen).count == 4)
    }
}
