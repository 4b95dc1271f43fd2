import API
import Directory
import Hashing
import Model
import Parsing
import TestSupport
import Testing

@testable import Hosting
@testable import Web

@Suite struct `A request's credential` {
    private static let person = PersonID(ID128(high: 1, low: 1))
    private static let device = DeviceID(ID128(high: 2, low: 1))

    /// A stage with a credential of each kind, whose token is the kind's name in 43 characters, and
    /// which knows the operations of all services.
    private func stage() throws -> Stage {
        var definition = Stage.definition
        let routers = (
            Router(IngestOperation.table), Router(MembershipOperation.table),
            Router(TimerOperation.table), Router(NotifierOperation.table)
        )
        definition.operation = { request in
            routers.0.operation(request) ?? routers.1.operation(request)
                ?? routers.2.operation(request) ?? routers.3.operation(request)
        }
        let stage = try Stage(definition)
        try stage.change(.personChanged(Person(id: Self.person, name: "Anna")))
        try stage.change(
            .deviceChanged(Device(id: Self.device, person: Self.person, name: "Phone")))
        for (number, kind) in CredentialKind.allCases.enumerated() {
            try add(kind, UInt64(number), to: stage)
        }
        try stage.run(until: {
            stage.host.directory?.replica.counts.credentials == CredentialKind.allCases.count
        })
        return stage
    }

    private func add(
        _ kind: CredentialKind, _ number: UInt64, to stage: Stage, expires: Timestamp? = nil
    ) throws {
        let isPersonal = [.report, .help, .session, .person].contains(kind)
        try stage.change(
            .credentialChanged(
                Credential(
                    id: CredentialID(ID128(high: 3, low: number)),
                    hash: Hash.sha256Text(token(kind)), kind: kind,
                    person: isPersonal ? Self.person : nil,
                    device: kind == .report ? Self.device : nil, created: .zero,
                    expires: expires)))
    }

    private func token(_ kind: CredentialKind) -> String {
        let name = kind.rawValue
        return name + String(repeating: "x", count: 43 - name.count)
    }

    /// Sends a request with headers, and returns the response.
    private func send(
        _ method: Web.Method, _ path: String, _ headers: Headers, _ stage: Stage, _ id: UInt64
    ) throws -> Response {
        stage.httpServer.requests.append(
            Request(id: id, method: method, path: path, headers: headers))
        try stage.round()
        return try #require(stage.httpServer.answers[id])
    }

    @Test func `of every kind reaches exactly the operations that accept it`() throws {
        let stage = try stage()
        var (id, refused) = (UInt64(1000), 0)
        // The host answers these itself.
        let hosts = ["/v1/status/", "/v1/streams/", "/v1/held/", "/v1/tail/"]
        for operation in Operation.all
        where operation.path.hasPrefix("/v1/")
            && !hosts.contains(where: operation.path.hasPrefix)
        {
            let path = operation.path.split(separator: "/").map {
                $0.hasPrefix("{") ? "/x" : "/\($0)"
            }.joined()
            for kind in CredentialKind.allCases {
                id += 1
                let response = try send(
                    operation.method, path, ["Authorization": "Bearer \(token(kind))"], stage, id)
                let isAccepted = operation.kinds.includes(kind)
                #expect(response.status == (isAccepted ? 204 : 403), "\(kind) \(path)")
                guard !isAccepted else { continue }
                refused += 1
                #expect(response.json["detail"]?.string?.contains(kind.rawValue) == true)
                #expect(response.json["hint"]?.string?.isEmpty == false)
            }
        }
        #expect(refused > 300)
    }

    @Test func `counts for a rate limit, but not once it has expired`() throws {
        let stage = try stage()
        func request(_ token: String) -> Request {
            Request(
                id: 1, method: .get, path: "/v1/circles",
                headers: ["Authorization": "Bearer \(token)"])
        }
        let request = request(token(.person))
        #expect(stage.host.principal(of: request) == .person(Self.person))
        try add(.person, 3, to: stage, expires: stage.host.now + .seconds(5))
        try stage.run(for: .seconds(4))
        #expect(stage.host.principal(of: request) == .person(Self.person))
        try stage.run(for: .seconds(2))
        #expect(stage.host.principal(of: request) == nil)
    }

    @Test func `may be a cookie, on the API only, and gives way to a header`() throws {
        let stage = try stage()
        let cookie = "__Host-jaga=\(token(.session))"
        func principal(_ path: String, _ headers: Headers) -> Principal? {
            stage.host.principal(of: Request(id: 1, method: .get, path: path, headers: headers))
        }
        #expect(principal("/v1/circles", ["Cookie": cookie]) == .person(Self.person))
        #expect(principal("/v1/circles", ["Cookie": "a=b; \(cookie); c"]) == .person(Self.person))
        for path in ["/pub", "/", "/osmand", "/overland", "/log/gpslogger/x", "/gprmc/Data"] {
            #expect(principal(path, ["Cookie": cookie]) == nil, "\(path)")
        }
        let wrong: Headers = ["Cookie": cookie, "Authorization": "Bearer wrong"]
        #expect(principal("/v1/circles", wrong) == nil)
        let both: Headers = ["Cookie": cookie, "Authorization": "Bearer \(token(.operator))"]
        #expect(principal("/v1/circles", both) == .operator)
        // Phones have credentials of their own.
        let response = try send(
            .post, "/v1/reports", ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"], stage, 2000)
        #expect(response.status == 403)
    }

    @Test func `is none of thousands of random cookies`() throws {
        let stage = try stage()
        let good = "__Host-jaga=\(token(.session))"
        var generator = SeededGenerator(seed: 17)
        let pieces = [
            "__Host-jaga", "jaga-local", "=", ";", " ", "\"", ",", token(.session), "x", "\u{0}",
            "é", "__Host-jaga=", "; __Host-jaga=", "%3D", "\t", "=;", "__host-jaga",
        ]
        for number in 0..<20_000 {
            var text = ""
            if number % 3 == 0 {
                // One changed byte.
                var bytes = Array(good.utf8)
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                let byte = UInt8.random(in: 32...126, using: &generator)
                guard bytes[index] != byte else { continue }
                bytes[index] = byte
                text = String(decoding: bytes, as: UTF8.self)
            } else {
                for _ in 0..<Int.random(in: 0...8, using: &generator) {
                    text += pieces.randomElement(using: &generator) ?? ""
                }
            }
            let host = number % 2 == 0 ? "127.0.0.1:8080" : "jaga.example"
            let request = Request(
                id: 1, method: .get, path: "/v1/circles",
                headers: ["Cookie": text, "Host": host])
            let isGood = Self.isGood(text, token(.session), isLocal: number % 2 == 0)
            #expect(
                (stage.host.principal(of: request) != nil) == isGood,
                "\(text.debugDescription)")
        }
    }

    /// Whether a header has the session's cookie, and no other value under the same name.
    private static func isGood(_ text: String, _ token: String, isLocal: Bool) -> Bool {
        func value(_ name: String) -> String? {
            let values = text.split(separator: ";", omittingEmptySubsequences: false)
                .map { String($0.drop { $0 == " " }) }
                .filter { $0.hasPrefix(name + "=") }
                .map { String($0.dropFirst(name.count + 1)) }
            guard Set(values).count == 1, let value = values.first,
                value.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil
            else { return nil }
            return value
        }
        return (value("__Host-jaga") ?? (isLocal ? value("jaga-local") : nil)) == token
    }
}
