import Model
import Testing

@testable import Web

@Suite struct `Header fields` {
    @Test func `have case-insensitive names and keep their order`() {
        var headers: Headers = ["ETag": "\"1\"", "X-A": "1"]
        headers.append("x-a", "2")
        #expect(headers["etag"] == "\"1\"")
        #expect(headers.all("X-a") == ["1", "2"])
        headers["X-A"] = "3"
        #expect(headers.fields == [.init("ETag", "\"1\""), .init("X-A", "3")])
        headers["ETAG"] = nil
        #expect(headers.map(\.name) == ["X-A"])
    }
}

@Suite struct `Percent escapes` {
    @Test(arguments: [
        ("a b", "a%20b"), ("+60123", "%2B60123"), ("é", "%C3%A9"), ("-._~Az09", "-._~Az09"),
        ("a&b=c/d?", "a%26b%3Dc%2Fd%3F"), ("", ""),
    ])
    func `round-trip`(plain: String, escaped: String) {
        #expect(Percent.encode(plain) == escaped)
        #expect(Percent.decode(escaped) == plain)
    }

    @Test(arguments: [
        ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("100%25", "100%"), ("%FF", "\u{FFFD}"),
    ])
    func `that are invalid stay or become a replacement character`(
        escaped: String, plain: String
    ) {
        #expect(Percent.decode(escaped) == plain)
    }

    @Test func `of a query decode + as a space`() {
        let query = Query(encoded: "a=1+2&&b&c=%2B=&a=3")
        #expect(
            query.items == [.init("a", "1 2"), .init("b", ""), .init("c", "+="), .init("a", "3")])
        #expect(query["a"] == "1 2")
        #expect(query["d"] == nil)
        #expect(query.encoded == "a=1%202&b=&c=%2B%3D&a=3")
    }
}

@Suite struct `Credentials of a request` {
    @Test(arguments: [
        ("Bearer abc", Credentials.bearer("abc")),
        ("bearer   abc", .bearer("abc")),
        ("Basic YWRhOnMzY3JldA==", .basic(user: "ada", password: "s3cret")),
        ("basic  YWRhOnMzY3JldA==", .basic(user: "ada", password: "s3cret")),
        ("Basic OmE6Yg==", .basic(user: "", password: "a:b")),
    ])
    func `are read from the header`(header: String, credentials: Credentials) {
        #expect(Credentials(["authorization": header]) == credentials)
    }

    @Test(arguments: ["", "Bearer", "Bearer ", "Basic a", "Basic YWRh", "Basic ???", "Digest x=y"])
    func `that are invalid are nil`(header: String) {
        #expect(Credentials(["Authorization": header]) == nil)
        #expect(Credentials([:]) == nil)
    }

    @Test func `contain the token`() {
        #expect(Credentials(["Authorization": "Basic YWRhOnMzY3JldA=="])?.token == "s3cret")
        #expect(Credentials(["Authorization": "Bearer t"])?.token == "t")
    }
}

@Suite struct `A path in a log line` {
    private static let token = "mqSb4GxU9Zr0o1v_Wc-1Yc2Pz0bVxkq3S0F6l7yGkXw"

    @Test(arguments: [
        ("/log/gpslogger/\(token)", "/log/gpslogger/…"), ("/overland/\(token)", "/overland/…"),
        ("/v1/receipts/\(token)", "/v1/receipts/…"), ("/", "/"), ("/pub", "/pub"),
        ("/osmand/\(token.dropLast(13))%2D", "/osmand/…"),
        (
            "/v1/people/per_00000000000000000000000000/devices",
            "/v1/people/per_00000000000000000000000000/devices"
        ),
    ])
    func `contains no secrets`(path: String, shown: String) {
        #expect(Request(id: 1, method: .get, path: path).pathWithoutSecrets == shown)
    }
}

@Suite struct `A problem` {
    @Test func `is JSON with the members that are set`() {
        let problem = Problem.invalid("it says \"91\"\n", field: "lat", hint: "−90…90")
        let response = Response.problem(problem)
        #expect(response.status == 400)
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"type":"about:blank","title":"Invalid request","status":400,"#
                + #""detail":"it says \"91\"\n","field":"lat","hint":"−90…90"}"#)
    }

    @Test func `names the invalid member of a body`() throws {
        struct Body: Decodable { var minutes: Int }
        var request = Request(id: 1, method: .post, path: "/", body: Array(#"{"minutes": 5}"#.utf8))
        #expect(try request.decoded(Body.self).minutes == 5)
        #expect(try request.json()["minutes"]?.int == 5)
        request.body = Array(#"{"minutes": "x"}"#.utf8)
        let mismatch = #expect(throws: Problem.self) { try request.decoded(Body.self) }
        #expect(mismatch?.status == 400)
        #expect(mismatch?.field == "minutes")
        request.body = Array(#"{"minutes": "#.utf8)
        let malformed = #expect(throws: Problem.self) { try request.json() }
        #expect(malformed?.status == 400)
        #expect(malformed?.hint != nil)
        let numbers = Array(repeating: "1", count: 256_000).joined(separator: ",")
        request.body = Array("[\(numbers)]".utf8)
        let crowded = #expect(throws: Problem.self) { try request.json() }
        #expect(crowded?.status == 400 && crowded?.hint == "Send smaller batches.")
        #expect(crowded?.detail.contains("more than 256000 values") == true)
    }

    @Test func `has the headers that its status requires`() {
        #expect(Response.problem(.unauthorized("a")).headers["WWW-Authenticate"] != nil)
        #expect(Response.problem(.denied("a")).headers["WWW-Authenticate"] == nil)
        #expect(
            Response.problem(.unavailable("a", retryAfterSeconds: 7)).headers["Retry-After"] == "7")
        #expect(
            Response.problem(.tooMany("a", retryAfterSeconds: 9)).headers["Retry-After"] == "9")
    }
}

@Suite struct `A router` {
    private enum Route { case circles, circle, zone, newZone, mine }

    private let router = Router<Route>([
        (.get, "/v1/circles", .circles),
        (.get, "/v1/circles/mine", .mine),
        (.get, "/v1/circles/{circle}", .circle),
        (.get, "/v1/circles/{circle}/zones/{zone}", .zone),
        (.post, "/v1/circles/{circle}/zones/{zone}", .newZone),
    ])

    private func found(_ method: Web.Method, _ path: String) -> (Route, Parameters)? {
        guard case .found(let route, let parameters) = router.route(request(method, path)) else {
            return nil
        }
        return (route, parameters)
    }

    private func answered(_ method: Web.Method, _ path: String) -> Response? {
        guard case .answered(let response) = router.route(request(method, path)) else {
            return nil
        }
        return response
    }

    private func request(_ method: Web.Method, _ path: String) -> Request {
        Request(id: 1, method: method, path: path)
    }

    @Test func `finds routes and their parameters`() {
        #expect(found(.get, "/v1/circles")?.0 == .circles)
        #expect(found(.get, "/v1/circles/mine")?.0 == .mine)
        #expect(found(.get, "/v1/circles/a%2Fb%20c")?.1["circle"] == "a/b c")
        let zone = found(.post, "/v1/circles/c/zones/z")
        #expect(zone?.0 == .newZone)
        #expect(zone?.1["circle"] == "c")
        #expect(zone?.1["zone"] == "z")
    }

    @Test(arguments: ["/", "/v1", "/v1/circles/", "/v1/circles//zones/z", "/v1/circles/a/zones"])
    func `answers 404 for unknown paths`(path: String) {
        #expect(answered(.get, path)?.status == 404)
    }

    @Test func `answers 405 with the allowed methods, and OPTIONS`() {
        let refused = answered(.delete, "/v1/circles/c/zones/z")
        #expect(refused?.status == 405)
        #expect(refused?.headers["Allow"] == "GET, HEAD, POST, OPTIONS")
        let options = answered(.options, "/v1/circles/c/zones/z")
        #expect(options?.status == 204)
        #expect(options?.headers["Allow"] == "GET, HEAD, POST, OPTIONS")
    }

    @Test func `parses ids, and answers 404 for invalid ones`() throws {
        let id = CircleID(ID128(high: 1, low: 2))
        let parameters = try #require(found(.get, "/v1/circles/\(id)")).1
        #expect(try parameters.id("circle", CircleID.self) == id)
        let error = #expect(throws: Problem.self) { try parameters.id("circle", ZoneID.self) }
        #expect(error?.status == 404)
        #expect(error?.hint?.contains("zon_") == true)
    }
}
