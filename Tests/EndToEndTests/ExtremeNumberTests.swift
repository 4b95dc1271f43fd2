import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// Integer arithmetic stops a process when it overflows: no number of a client may lead to
    /// that. The operations are those of docs/openapi.yaml; a new one is asked without more ado.
    @Suite struct `Extreme numbers` {
        @Test func `stop no service, in whatever field of whatever operation`() async throws {
            let settings = [
                "JAGA_INGEST_DEVICE_CALLS_PER_SECOND": "0",
                "JAGA_INGEST_ADDRESS_CALLS_PER_SECOND": "0",
                "JAGA_INGEST_FAILURES_PER_MINUTE": "0",
            ]
            try await Household.run(zones: [.park], settings: settings) { home in
                try await home.phone.report(Zone.outside)
                let fixture = try ExtremeFixture(home)
                let before = RunningSuite.Service.allCases.map(home.suite.processID(of:))
                let operations = try Operations.read()
                #expect(operations.count > 150, "docs/openapi.yaml is read")
                var asked = 0
                for operation in operations {
                    for query in operation.extremeQueries(fixture) {
                        try fixture.ask(operation.method, operation.path, query: query)
                        asked += 1
                    }
                    for header in operation.extremeHeaders {
                        try fixture.ask(operation.method, operation.path, headers: header)
                        asked += 1
                    }
                }
                for body in ExtremeBody.all {
                    let isKnown = operations.contains {
                        $0.method == body.method && $0.path == body.path
                    }
                    #expect(isKnown, "\(body.method) \(body.path) is in docs/openapi.yaml")
                    for text in body.variants {
                        if body.isQuery {
                            try fixture.ask(body.method, body.path, query: text)
                        } else {
                            try fixture.ask(body.method, body.path, body: text)
                        }
                        asked += 1
                    }
                }
                #expect(asked > 5000)
                let after = RunningSuite.Service.allCases.map(home.suite.processID(of:))
                #expect(before == after, "a service is another process now")
                for service in 1...5 {
                    let http = PlainHTTP(port: home.suite.portBase + service)
                    #expect(try http.send("GET", "/readyz").status == 200)
                }
                // Who calls for help is heard after all of it.
                let id = try await home.button.callForHelp("after extreme numbers")
                #expect(try home.anna.api.call("GET", "/v1/emergencies/\(id)")["id"] != nil)
            }
        }
    }
}

/// Numbers that have stopped programs.
private let extremes = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "9007199254740993", "-9007199254740993", "4294967296", "2147483648",
    "-2147483649", "1e308", "-1e308", "1e400", "5e-324", "NaN", "-1", "0", "",
    "99999999999999999999999999",
]

/// An operation of docs/openapi.yaml.
private struct Operation {
    var method: String
    var path: String
    var queries: [String] = []
    var headers: [String] = []

    /// Cursors that consist of several numbers.
    func extremeQueries(_ fixture: ExtremeFixture) -> [String] {
        var found = queries.flatMap { name in
            extremes.map { "\(name)=\(Percent.encode($0))" }
        }
        if queries.contains("cursor") || queries.contains("since") {
            found += extremes.flatMap { number in
                fixture.cursors.map {
                    (queries.contains("cursor") ? "cursor=" : "since=")
                        + Percent.encode($0.replacing("%", with: number))
                }
            }
        }
        // A tail without an end would be waited for.
        return path.hasPrefix("/v1/tail/") ? found.map { "until=now&" + $0 } : found
    }

    var extremeHeaders: [[String: String]] {
        let numbers = headers.flatMap { name in extremes.map { [name: $0] } }
        let quoted = headers.contains("If-Match") ? extremes.map { ["If-Match": "\"\($0)\""] } : []
        let places =
            headers.contains("Last-Event-ID")
            ? extremes.flatMap { number in
                ["in/17@\(number).0000", "sos@\(number).ffff", "directory@1.\(number)"].map {
                    ["Last-Event-ID": $0]
                }
            } : []
        let common = extremes.flatMap { number in
            [["X-Request-Id": number], ["Retry-After": number], ["Range": "bytes=\(number)-"]]
        }
        return numbers + quoted + places + common.prefix(3)
    }
}

private enum Operations {
    /// Reads paths, methods and the names of parameters; the form of the document is checked by
    /// the tests of the repository.
    static func read() throws -> [Operation] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/openapi.yaml")
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let shared = parameters(of: lines)
        var found: [Operation] = []
        var path = ""
        var ofPath = Operation(method: "", path: "")
        var isPaths = false
        var name = ""
        for line in lines {
            if !line.hasPrefix(" ") { isPaths = line == "paths:" }
            guard isPaths else { continue }
            let text = line.drop { $0 == " " }
            let depth = line.count - text.count
            if depth == 2, text.hasPrefix("/") {
                path = String(text.dropLast())
                ofPath = Operation(method: "", path: path)
                continue
            }
            let methods = ["get:", "post:", "put:", "patch:", "delete:"]
            if depth == 4, methods.contains(String(text)) {
                var operation = ofPath
                operation.method = text.dropLast().uppercased()
                found.append(operation)
                continue
            }
            if text.hasPrefix("- name: ") { name = String(text.dropFirst("- name: ".count)) }
            var parameter: (name: String, place: Substring)?
            if text.hasPrefix("in: ") { parameter = (name, text.dropFirst(4)) }
            if text.hasPrefix("- $ref: \"#/components/parameters/") {
                let key = text.dropFirst("- $ref: \"#/components/parameters/".count).dropLast()
                parameter = shared[String(key)]
            }
            guard let parameter else { continue }
            let isOfPath = found.last?.path != path
            var operation = isOfPath ? ofPath : found.removeLast()
            switch parameter.place {
            case "query": operation.queries.append(parameter.name)
            case "header": operation.headers.append(parameter.name)
            default: break
            }
            if isOfPath { ofPath = operation } else { found.append(operation) }
        }
        return found
    }

    private static func parameters(
        of lines: [Substring]
    ) -> [String: (name: String, place: Substring)] {
        var found: [String: (name: String, place: Substring)] = [:]
        var isThere = false
        var key = ""
        var name = ""
        for line in lines {
            let text = line.drop { $0 == " " }
            let depth = line.count - text.count
            if depth == 2 { isThere = text == "parameters:" }
            guard isThere else { continue }
            if depth == 4 { key = String(text.dropLast()) }
            if text.hasPrefix("name: ") { name = String(text.dropFirst(6)) }
            if text.hasPrefix("in: ") { found[key] = (name, text.dropFirst(4)) }
        }
        return found
    }
}

/// What operations are about, and who asks.
private struct ExtremeFixture {
    let home: Household
    let ids: [String: String]
    let cursors: [String]
    private let http: PlainHTTP

    init(_ home: Household) throws {
        self.home = home
        var http = home.suite.http
        http.timeout = 10
        self.http = http
        let device = try home.admin.list("/v1/people/\(home.anna.id)/devices")[0].text("id")
        let zone = try home.admin.list("/v1/circles/\(home.circle)/zones")[0].text("id")
        let journey = try home.anna.api.call(
            "POST", "/v1/people/\(home.anna.id)/journeys", ["name": "way"]
        ).text("id")
        let watch = try home.anna.api.call("POST", "/v1/watches", ["minutes": 600]).text("id")
        let call = try home.phoneAPI.call(
            "POST", "/v1/emergencies", ["trigger": "fall", "countdown": 120])
        let emergency = try call.text("id")
        try home.phoneAPI.call("POST", "/v1/emergencies/\(emergency)/cancellation")
        let set = try home.admin.call("POST", "/v1/sets", ["name": "Set"]).text("id")
        ids = [
            "person": home.anna.id, "circle": home.circle, "device": device, "zone": zone,
            "journey": journey, "watch": watch, "emergency": emergency, "set": set,
            "token": home.phoneAPI.token, "action": "close", "gateway": "outbox",
        ]
        let points = try home.anna.api.call(
            "GET", "/v1/people/\(home.anna.id)/journeys/\(journey)/points")
        let next = points["properties"]?["next"]?.string ?? "1.0.00000000.0.0.0"
        // Each of the numbers of a cursor in turn.
        let parts = next.split(separator: ".", omittingEmptySubsequences: false)
        cursors =
            parts.indices.map { place in
                parts.enumerated().map { $0 == place ? "%" : String($1) }.joined(separator: ".")
            } + ["%-00", "%.\(watch)", "in/17@%.0000"]
    }

    /// Asks as the operator, the person and the phone: nobody may hear 5xx.
    func ask(
        _ method: String, _ path: String, query: String = "", headers: [String: String] = [:],
        body: String = ""
    ) throws {
        // What removes what others need is asked about nothing that is there.
        let takesAway =
            method == "DELETE" || path.hasSuffix("/end") || path.hasSuffix("/reset")
            || path.hasSuffix("/stop") || path.contains("/admin/") || path.hasSuffix("/credential")
        if takesAway, query.isEmpty, headers["If-Match"] == nil { return }
        var target = path
        for (name, id) in ids where !takesAway {
            target = target.replacing("{\(name)}", with: id)
        }
        target = target.replacing(/\{[a-z]+\}/, with: "00000000000000000000000000")
        if !query.isEmpty { target += "?" + query }
        var headers = headers
        if !body.isEmpty { headers["Content-Type"] = "application/json" }
        let tokens = [home.admin.token, home.anna.api.token, home.phoneAPI.token]
        for token in tokens {
            let answer = try http.send(
                method, target, body: Array(body.utf8), token: token, headers: headers)
            #expect(answer.status < 500, "\(method) \(target) \(headers) \(body): \(answer.text)")
            if ![401, 403].contains(answer.status) { break }
        }
    }
}

/// A body, or a query of a phone, with numbers in `«»`, each of which takes every extreme value.
private struct ExtremeBody {
    var method = "POST"
    var path: String
    var text: String
    var isQuery = false

    var variants: [String] {
        let parts = text.split(separator: "«", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().map {
            $0.split(separator: "»", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return numbers.indices.flatMap { place in
            extremes.map { extreme in
                var whole = String(parts[0])
                for (index, number) in numbers.enumerated() {
                    whole += index == place ? value(extreme) : String(number[0])
                    whole += number.count > 1 ? String(number[1]) : ""
                }
                return whole
            }
        }
    }

    private func value(_ extreme: String) -> String {
        if isQuery { return Percent.encode(extreme) }
        return extreme.isEmpty || extreme == "NaN" ? "\"\(extreme)\"" : extreme
    }

    private static let zone =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[«101.7»,«3.1»]},"#
        + #""properties":{"name":"Z","kind":"alert","radius":«100»,"inset":«0»,"priority":«5»,"#
        + #""alertDistance":«100»,"dwell":«60»,"hysteresis":«20»,"#
        + #""alarm":{"cycle":«60»,"sleep":«600»}}}"#
    private static let corridor =
        #"{"type":"Feature","geometry":{"type":"LineString","coordinates":"#
        + #"[[«101.7»,«3.1»],[101.8,3.2]]},"properties":{"name":"C","halfWidth":«50»,"inset":«0»}}"#
    private static let report =
        #"{"lat":«3.1»,"lon":«101.7»,"accuracy":«5»,"altitude":«9»,"speed":«1»,"course":«7»,"#
        + #""battery":«50»,"time":«1763634000»}"#
    private static let circle =
        #"{"name":"X","historyDays":«30»,"escalation":[{"roles":["admin"],"channels":["sms"],"#
        + #""waitSeconds":«60»}]}"#
    private static let ownTracks =
        #"{"_type":"location","lat":«3.1»,"lon":«101.7»,"tst":«1763634000»,"acc":«5»,"alt":«3»,"#
        + #""vel":«4»,"cog":«5»,"batt":«6»,"vac":«7»,"created_at":«8»,"m":«1»,"p":«100.1»}"#
    private static let waypoint =
        #"{"_type":"waypoint","desc":"w","lat":«3.1»,"lon":«101.7»,"rad":«50»,"tst":«1763634000»}"#
    private static let overland =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
        + #"[«101.7»,«3.1»]},"properties":{"timestamp":"2026-11-20T10:20:00Z","altitude":«1»,"#
        + #""speed":«2»,"course":«3»,"horizontal_accuracy":«4»,"vertical_accuracy":«5»,"#
        + #""battery_level":«0.5»}}]}"#
    private static let osmAnd =
        "lat=«3.1»&lon=«101.7»&timestamp=«1763634000»&hdop=«1»&altitude=«2»&speed=«3»"
        + "&bearing=«4»&batt=«5»&accuracy=«6»"

    static let all = [
        ExtremeBody(path: "/v1/circles/{circle}/zones", text: zone),
        ExtremeBody(path: "/v1/circles/{circle}/zones", text: corridor),
        ExtremeBody(path: "/v1/people/{person}/zones", text: zone),
        ExtremeBody(path: "/v1/sets/{set}/zones", text: zone),
        ExtremeBody(method: "PATCH", path: "/v1/circles/{circle}/zones/{zone}", text: zone),
        ExtremeBody(path: "/v1/circles", text: circle),
        ExtremeBody(
            path: "/v1/people",
            text:
                #"{"name":"P","contacts":[{"channel":"sms","#
                + #""address":"+15550009999","rank":«1»}]}"#),
        ExtremeBody(path: "/v1/reports", text: report),
        ExtremeBody(path: "/v1/reports", text: #"{"reports":[\#(report)]}"#),
        ExtremeBody(
            path: "/v1/emergencies",
            text: #"{"trigger":"fall","id":"same","countdown":«10»,"raised":«5»,"#
                + #""report":\#(report)}"#),
        ExtremeBody(path: "/v1/watches", text: #"{"minutes":«10»}"#),
        ExtremeBody(path: "/v1/watches/{watch}/extension", text: #"{"minutes":«10»}"#),
        ExtremeBody(
            path: "/v1/people/{person}/journeys/{journey}/notes",
            text: #"{"text":"n","lat":«3.1»,"lon":«101.7»}"#),
        ExtremeBody(path: "/v1/streams/ingest", text: #"{"action":"drop","entry":«1»}"#),
        ExtremeBody(
            path: "/v1/streams/timer",
            text: #"{"action":"skip","stream":"sos","sequence":«1»}"#),
        ExtremeBody(path: "/pub", text: ownTracks),
        ExtremeBody(path: "/pub", text: waypoint),
        ExtremeBody(path: "/overland", text: overland),
        ExtremeBody(path: "/osmand", text: osmAnd, isQuery: true),
        ExtremeBody(path: "/log/gpslogger", text: osmAnd, isQuery: true),
        ExtremeBody(
            path: "/gprmc/Data",
            text: "gprmc=$GPRMC,«102000»,A,«0308.34»,N,«10141.21»,E,«1.1»,«180»,«201126»,,"
                + "&alt=«1»&acc=«2»&batt=«3»&code=«63553»", isQuery: true),
        ExtremeBody(
            path: "/v1/circles/{circle}/zones/import",
            text: "AlertZoneStart,,\nAlertZoneName,A\nAlertZoneSize,«60»\nAlertZoneInset,«1»\n"
                + "AlertDistance,«5»\nAlertZonePriority,«1»\nAlertZoneSleepTime,«9»\n"
                + "Location,«1»,«10.5»,«123.4»\nAlertZoneEnd,,\n"),
    ]
}
