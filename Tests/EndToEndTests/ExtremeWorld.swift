import Foundation
import Model
import Parsing
import TestSupport

/// Resources for every operation of docs/openapi.yaml, and callers with the rights for them.
struct ExtremeWorld {
    let home: Household
    let contract: Contract
    /// Values of path parameters.
    private var ids: [String: String]
    /// Values for operations that remove something.
    private var spares: [String: String]
    private var tokens: [String]
    private let links: [String: KeptHTTP]

    /// A picture of one pixel.
    static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
        + "rkJggg=="
    static var pictureBytes: [UInt8] { Array(Data(base64Encoded: picture) ?? Data()) }

    init(_ home: Household) async throws {
        self.home = home
        contract = try Contract()
        links = Dictionary(
            uniqueKeysWithValues: RunningSuite.Service.allCases.enumerated().map {
                ($1.rawValue, KeptHTTP(port: home.suite.portBase + $0 + 1))
            })
        tokens = [home.anna.api.token, home.phoneAPI.token, home.admin.token, home.bob.api.token]
        ids = try Self.things(home, home.anna)
        let dora = try Household.person("Dora", number: "+15550001004", home.admin)
        spares = try Self.things(home, dora)
        let removable = try Household.person("Evan", number: "+15550001005", home.admin)
        spares["removable"] = removable.id
        spares["member"] = home.cara.id
        ids["device"] = try home.admin.list("/v1/people/\(home.anna.id)/devices").first {
            $0["name"] == "phone"
        }?.text("id")
        tokens.append(dora.api.token)
        // A zone that the phone suggests, and an unusable payload.
        let waypoint: JSON = [
            "_type": "waypoint", "desc": "Cafe", "lat": 1.31, "lon": 103.81, "rad": 60,
            "tst": 1_763_634_000,
        ]
        try home.phoneAPI.call("POST", "/pub", waypoint)
        for latitude in 91...92 {
            let bad: JSON = ["_type": "location", "lat": .integer(Int64(latitude))]
            try home.phoneAPI.call("POST", "/pub", bad)
        }
        let offers = try home.anna.api.call("GET", "/v1/people/\(home.anna.id)/suggested-zones")
        ids["offer"] = offers["items"]?[0]?["id"]?.string ?? "none"
        let aside = try home.admin.list("/v1/quarantine")
        ids["id"] = try aside[0].text("id")
        spares["id"] = try aside[1].text("id")
        ids["emergency"] = try await home.button.callForHelp("to ask about")
        spares["emergency"] = ids["emergency"]
        ids["token"] = home.phoneAPI.token
        ids["gateway"] = try home.admin.list("/v1/gateways")[0].text("name")
        ids["action"] = "close"
        ids["call"] = "upc_" + String(repeating: "7", count: 26)
        _ = await eventually { (try? home.admin.list("/v1/notifications").isEmpty) == false }
        ids["bob"] = home.bob.id
        let second = try home.bob.api.call("POST", "/v1/watches", ["minutes": 600])
        spares["cancelled watch"] = try second.text("id")
        ids["notification"] = try home.admin.list("/v1/notifications")[0].text("id")
    }

    /// Creates a circle, zones, messages, a set, a journey and so on of a person.
    private static func things(
        _ home: Household, _ person: Household.Person
    ) throws -> [String: String] {
        var ids = ["person": person.id]
        let zone = Zone.park.feature
        let text: JSON = [
            "number": "+15550000199", "recipientName": "Mum", "line": "At school",
            "mode": "automatic",
        ]
        let own = "/v1/people/\(person.id)"
        ids["circle"] = try home.admin.call("POST", "/v1/circles", ["name": "More"]).text("id")
        let circle = "/v1/circles/\(ids["circle"] ?? "")"
        for member in [person.id, home.cara.id] {
            try home.admin.call(
                "POST", circle + "/members", ["person": .string(member), "role": "admin"])
        }
        let invitation = try home.admin.call("POST", circle + "/invitations", ["uses": 9])
        ids["invitation"] = try invitation.text("id")
        ids["invitation token"] =
            try invitation.text("link").split(separator: "=").last.map(String.init)
        for sees in [false, true] {
            try home.admin.call("PUT", circle, ["membersSeePositions": .bool(sees)])
        }
        let consents = try person.api.call("GET", own + "/consents")
        ids["consent"] = consents["items"]?[0]?["id"]?.string ?? "none"
        ids["set"] = try home.admin.call("POST", "/v1/sets", ["name": "Floods"]).text("id")
        let set = "/v1/sets/\(ids["set"] ?? "")"
        ids["/v1/circles zone"] = try home.admin.call("POST", circle + "/zones", zone).text("id")
        ids["/v1/sets zone"] = try home.admin.call("POST", set + "/zones", zone).text("id")
        ids["/v1/people zone"] = try person.api.call("POST", own + "/zones", zone).text("id")
        ids["/v1/circles message"] =
            try home.admin.call("POST", circle + "/messages", text).text("id")
        ids["/v1/people message"] = try person.api.call("POST", own + "/messages", text).text("id")
        let made = try home.admin.call("POST", own + "/devices", ["name": "second phone"])
        ids["device"] = try made.member("device").text("id")
        ids["credential"] = try made.member("credential").text("id")
        let journey = try person.api.call("POST", own + "/journeys", ["name": "way"]).text("id")
        ids["journey"] = journey
        let picture = try person.api.http.send(
            "POST", own + "/journeys/\(journey)/photos",
            body: Array(Data(base64Encoded: picture) ?? Data()), token: person.api.token,
            headers: ["Content-Type": "image/png"])
        ids["photo"] = picture.json["id"]?.string ?? "none: \(picture.text)"
        ids["watch"] = try person.api.call("POST", "/v1/watches", ["minutes": 600]).text("id")
        let contacts = try person.api.call("GET", own)["contacts"]
        ids["contact"] = contacts?[0]?["id"]?.string
        return ids
    }

    // MARK: Requests

    /// The minimal valid request of an operation.
    struct Request {
        var operation: Contract.Operation
        /// Values of path parameters.
        var path: [String: String] = [:]
        var query: [(String, String)] = []
        var headers: [(String, String)] = []
        var body: [UInt8] = []

        var target: String {
            var target = operation.path
            for (name, value) in path {
                target = target.replacing("{\(name)}", with: Percent.encode(value))
            }
            let query = query.map { "\(Percent.encode($0))=\(Percent.encode($1))" }
            return target + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        }
    }

    /// Operations that need other resources.
    private static let own = [
        "removeMember person": "member", "removePerson person": "removable",
        "optOutOfZone zone": "/v1/circles zone", "optInToZone zone": "/v1/circles zone",
        "cancelWatch watch": "cancelled watch",
    ]

    func request(_ operation: Contract.Operation) throws -> Request {
        var request = Request(operation: operation)
        let root = operation.path.split(separator: "/").prefix(2).joined(separator: "/")
        let hasSpare = ExtremeBody.removes(operation) && operation.id != "dropSuggestedZone"
        let known = hasSpare ? spares : ids
        for parameter in operation.parameters {
            switch parameter.place {
            case .path:
                request.path[parameter.name] =
                    Self.own["\(operation.id) \(parameter.name)"].flatMap { known[$0] }
                    ?? known["/\(root) \(parameter.name)"] ?? known[parameter.name]
                    ?? ids[parameter.name] ?? "none"
            case .query where parameter.isRequired:
                let sample = try contract.sample(parameter.schema)
                request.query.append((parameter.name, sample.string ?? sample.text))
            default: break
            }
        }
        // Endless responses would block the test.
        if operation.path.hasPrefix("/v1/tail/") { request.query.append(("until", "now")) }
        if operation.path.hasSuffix("/import") { request.query.append(("preview", "true")) }
        if let body = operation.body {
            let sample = ExtremeBody.samples[operation.id].map { text in
                Array(ids.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }.utf8)
            }
            request.body = sample ?? body.sample.serialized()
            request.headers.append(("Content-Type", body.contentType))
        }
        if operation.path.hasSuffix("/photos") {
            request.body = Self.pictureBytes
        }
        return request
    }

    private func send(
        _ request: Request, by token: String, _ reason: [(String, String)], _ link: KeptHTTP
    ) throws -> PlainHTTP.Answer {
        try link.send(
            request.operation.method, request.target,
            headers: [("Authorization", "Bearer \(token)")] + reason + request.headers,
            body: request.body)
    }

    /// Sends the request directly to the service, with each caller until one has the right.
    ///
    /// - Returns: the first response that is no denial, otherwise the last one
    mutating func send(_ request: Request) throws -> PlainHTTP.Answer {
        guard let link = links[request.operation.service] else {
            throw TestFailure("unknown service \(request.operation.service)")
        }
        let hasReason = request.headers.contains { $0.0 == "X-Access-Reason" }
        let reason = hasReason ? [] : [("X-Access-Reason", "extreme numbers")]
        var last: PlainHTTP.Answer?
        for (index, token) in tokens.enumerated() {
            var answer = try send(request, by: token, reason, link)
            // A replay ends some time after its client has gone.
            for _ in 0..<50 where answer.status == 503 && request.target.contains("/replay") {
                usleep(100_000)
                answer = try send(request, by: token, reason, link)
            }
            if answer.status >= 500 { return answer }
            last = answer
            guard ![401, 403, 404].contains(answer.status) else { continue }
            // Most operations accept the caller of the previous one.
            if index > 0 { tokens.swapAt(0, index) }
            if answer.status == 201 { try remove(answer, link) }
            if request.operation.id == "rotateOperatorToken" {
                tokens[0] = try home.suite.operatorToken()
            }
            return answer
        }
        guard let last else { throw TestFailure("no caller") }
        return last
    }

    /// Removes created resources, to stay below the limits on their number.
    private func remove(_ answer: PlainHTTP.Answer, _ link: KeptHTTP) throws {
        guard let place = answer.headers["location"] else { return }
        _ = try link.send("DELETE", place, headers: [("Authorization", "Bearer \(tokens[0])")])
    }
}
