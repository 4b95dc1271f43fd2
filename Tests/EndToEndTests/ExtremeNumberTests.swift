import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// Integer arithmetic traps on overflow: no number of a client may lead to that. The operations
    /// are those of docs/openapi.yaml.
    @Suite struct `Extreme numbers` {
        /// Without rate limits, because thousands of requests have the same address.
        private static let settings = [
            "JAGA_INGEST_DEVICE_CALLS_PER_SECOND": "0", "JAGA_INGEST_ADDRESS_CALLS_PER_SECOND": "0",
            "JAGA_INGEST_AUTH_FAILURES_PER_MINUTE": "0", "JAGA_CREDENTIAL_CALLS_PER_SECOND": "0",
            "JAGA_ADDRESS_CALLS_PER_SECOND": "0", "JAGA_AUTH_FAILURES_PER_MINUTE": "0",
        ]

        @Test func `crash no service, in any field of any operation`() async throws {
            try await Household.run(settings: Self.settings) { home in
                try await home.phone.report(Zone.outside)
                let phone = try home.admin.call(
                    "POST", "/v1/people/\(home.cara.id)/devices", ["name": "Cara's phone"])
                let cara = Phone(
                    API(
                        http: home.suite.http, token: try phone.member("credential").text("token")),
                    name: "cara")
                var attempt = ExtremeAttempt(try await ExtremeWorld(home))
                let operations = attempt.world.contract.operations
                    .enumerated().sorted {
                        (ExtremeBody.rank($0.element), $0.offset)
                            < (ExtremeBody.rank($1.element), $1.offset)
                    }.map(\.element)
                for operation in operations { try attempt.ask(operation) }
                #expect(
                    attempt.requested.count == operations.count, "every operation is requested")
                try attempt.askForState()
                // An emergency request still works afterwards.
                try await cara.report(Zone.outside)
                let id = try await cara.callForHelp("after extreme numbers")
                let isNotified = try await eventually {
                    let outbox = try home.suite.http.send(
                        "GET", "/v1/outbox", token: home.suite.operatorToken())
                    return outbox.text.contains("after extreme numbers")
                }
                #expect(isNotified, "\(id) is notified")
                attempt.expectSameProcesses("at the end")
                print("extreme numbers: \(attempt.count) requests, \(operations.count) operations")
            }
        }
    }
}

/// Sends operations and records server errors.
private struct ExtremeAttempt {
    var world: ExtremeWorld
    var requested: Set<String> = []
    var count = 0
    private var processes: [Int32?]

    /// Operations that the fixture cannot perform: the status of a valid request.
    private static let expected = [
        // Three mails went to the same address before, with each header.
        "mailPrivateZone": 429, "mailSet": 429, "mailZoneOfSet": 429,
        // The same applies to codes; no response contains the code.
        "sendPrivateMessageCode": 429, "sendCircleMessageCode": 429,
        "enterPrivateMessageCode": 400, "enterCircleMessageCode": 400,
        "verifyContact": 400, "openSession": 401,
        // Nobody has resolved the emergency, and there is no draft.
        "confirmEndOfEmergency": 409, "sendDraft": 404,
        // No app store is configured.
        "receiveBillingEvent": 404,
        // No response contains tokens of receipts and replies: NotifierDaemonTests covers these.
        "receiveReceipt": 404, "receiveReceiptForm": 404, "receiveReply": 404,
        "receiveReplyForm": 404,
        // For the operator; ingest processes every call here: IngestDaemonTests covers this.
        "readUnprocessedCall": 403,
        // No stream is stopped.
        "mendStreamsOfIngest": 409, "mendStreamsOfMembership": 409, "mendStreamsOfTimer": 409,
        "mendStreamsOfNotifier": 409,
        // Only the response that creates a person contains the code.
        "activatePerson": 400,
        // No provider and no session in a browser: MembershipDaemonTests covers these.
        "startAtProvider": 404, "returnFromProvider": 400, "endSessionsByProvider": 400,
        "signOut": 401,
        // No authenticator, and passkeys are their person's alone.
        "readPasskeySignInOptions": 409, "signInWithPasskey": 400,
        "addPasskey": 400, "readPasskeyOptions": 409,
        // The caller is a member.
        "acceptInvitation": 409,
        // The countdown has ended.
        "cancelEmergency": 409,
        // There is no PIN, and codes and links are in messages only: NotifierDaemonTests covers
        // these.
        "setDuressPIN": 409, "acknowledgeByReference": 404, "openEmergencyPage": 404,
        "useEmergencyPage": 404, "openLivePage": 404, "useLivePage": 404,
        "openQuestionPage": 404, "useQuestionPage": 404,
        // There is none in this world: TimerDaemonTests cover these.
        "readCheckInSchedule": 404, "replaceCheckInSchedule": 404, "readTimer": 404,
        // An emergency is open in the circle: NotifierDaemonTests cover drills.
        "startDrill": 409, "readDrill": 404, "stopDrill": 404,
    ]

    init(_ world: ExtremeWorld) {
        self.world = world
        processes = RunningSuite.Service.allCases.map(world.home.suite.processID(of:))
    }

    /// Sends a valid request, then each extreme value in each field. The valid request must
    /// succeed, except for operations that remove something.
    mutating func ask(_ operation: Contract.Operation) throws {
        let valid = try world.request(operation)
        let requests = try extremes(of: valid)
        var answers: [PlainHTTP.Answer] = []
        if ExtremeBody.removes(operation) {
            for request in requests + [valid] { answers.append(try send(request)) }
        } else {
            answers.append(try send(valid))
            for request in requests { try send(request) }
        }
        let expected = Self.expected[operation.id]
        let isAnswered = answers.contains { answer in
            expected.map { $0 == answer.status } ?? (200..<400).contains(answer.status)
        }
        // An earlier request may have removed it already.
        #expect(
            isAnswered || ExtremeBody.removes(operation),
            "\(operation.id): \(valid.target): \(answers.map(\.status)) \(answers.last?.text ?? "")"
        )
        requested.insert("\(operation.method) \(operation.path)")
        expectSameProcesses("\(operation.method) \(operation.path)")
    }

    @discardableResult
    private mutating func send(_ request: ExtremeWorld.Request) throws -> PlainHTTP.Answer {
        count += 1
        do {
            let answer = try world.send(request)
            if answer.status >= 500 {
                Issue.record("\(describe(request)): \(answer.status) \(answer.text)")
            }
            return answer
        } catch {
            Issue.record("\(describe(request)): \(error)")
            throw error
        }
    }

    private func describe(_ request: ExtremeWorld.Request) -> String {
        "\(request.operation.method) \(request.target) \(request.headers) "
            + String(decoding: request.body.prefix(2000), as: UTF8.self)
    }

    private func extremes(of valid: ExtremeWorld.Request) throws -> [ExtremeWorld.Request] {
        let operation = valid.operation
        // A PUT or PATCH has the parser of the POST.
        let numbers = operation.method == "POST" ? ExtremeBody.numbers : ExtremeBody.fewNumbers
        var found: [ExtremeWorld.Request] = []
        func add(_ change: (inout ExtremeWorld.Request) -> Void) {
            var request = valid
            change(&request)
            found.append(request)
        }
        for parameter in operation.parameters {
            for extreme in Self.values(of: parameter) {
                add { $0.set(parameter, extreme) }
            }
        }
        for extreme in ExtremeBody.fewNumbers {
            add { $0.headers += Self.headers(extreme) }
        }
        if let body = operation.body, body.schema.object?.isEmpty == false {
            let base = (try? JSON.parse(valid.body)) ?? body.sample
            for leaf in try world.contract.leaves(of: body.schema, in: base) {
                let text = leaf.make("«»").text
                let extremes = numbers + (leaf.leaf == .time ? ExtremeBody.times : [])
                for extreme in extremes {
                    let value = ExtremeBody.inJSON(extreme)
                    add { $0.body = Array(text.replacing("\"«»\"", with: value).utf8) }
                }
            }
        }
        for template in ExtremeBody.templates[operation.id] ?? [] {
            let isJSON = template.hasPrefix("{") || template.hasPrefix("[")
            let write = isJSON ? ExtremeBody.inJSON : Percent.encode
            for text in ExtremeBody.variants(of: template, with: numbers, write) {
                add { $0.body = Array(text.utf8) }
            }
        }
        for template in ExtremeBody.queries[operation.id] ?? [] {
            for text in ExtremeBody.variants(of: template, with: ExtremeBody.numbers, { $0 }) {
                add { $0.setQuery(text) }
            }
        }
        return found
    }

    /// Cursors and entity tags consist of several numbers; each is replaced by every value.
    private static func values(of parameter: Contract.Parameter) -> [String] {
        let forms: [String]
        switch parameter.name {
        case "cursor", "since", "before":
            forms = [
                "%", "%.1", "1.%", "%-00", "1-%", "%.1.00000000.0.0.0", "1.%.00000000.0.0.0",
                "1.1.%.0.0.0", "1.1.00000000.%.0.0", "1.1.00000000.0.%.0", "1.1.00000000.0.0.%",
                "%s", "%d", "in/17@%.0000", "2026-11-20T10:20:00.000Z.%",
            ]
        case "If-Match", "If-None-Match": forms = ["%", "\"%\"", "W/\"%\""]
        case "Last-Event-ID":
            forms = [
                "%", "%.0", "0.%", "%-%", "in/17@%.0000", "in/17@1.%", "in/%@1.0", "sos@%.ffff",
                "directory@1.%",
            ]
        default: forms = ["%"]
        }
        // For all but a few operations, path components are opaque names.
        let all =
            parameter.place == .path ? Array(ExtremeBody.numbers.prefix(6)) : ExtremeBody.numbers
        let times = parameter.place == .query ? ExtremeBody.times : []
        return forms.flatMap { form in all.map { form.replacing("%", with: $0) } } + times
    }

    /// Headers that an operation or a library may parse.
    private static func headers(_ extreme: String) -> [(String, String)] {
        [
            ("Range", "bytes=\(extreme)-\(extreme)"), ("X-Request-Id", extreme),
            ("Last-Event-ID", extreme), ("If-None-Match", "\"\(extreme)\""),
            ("If-Modified-Since", extreme), ("Keep-Alive", "timeout=\(extreme)"),
            ("Retry-After", extreme), ("Max-Forwards", extreme), ("Age", extreme),
            ("Content-Range", "bytes \(extreme)-\(extreme)/\(extreme)"), ("X-Limit-U", extreme),
            ("X-Forwarded-For", extreme), ("X-Forwarded-Port", extreme), ("DNT", extreme),
        ]
    }

    /// The pages of every service, and bodies of extreme lengths.
    mutating func askForState() throws {
        for number in 1...5 {
            let port = world.home.suite.portBase + number
            let http = KeptHTTP(port: port)
            for path in ["/healthz", "/readyz", "/metrics"] {
                for extreme in ExtremeBody.numbers.filter({ !$0.isEmpty }) {
                    let query = "?limit=\(Percent.encode(extreme))"
                    let answer = try http.send("GET", path + query, headers: Self.headers(extreme))
                    #expect(answer.status < 500 || answer.status == 503, "\(path): \(answer.text)")
                }
            }
            for extreme in ExtremeBody.numbers {
                for header in ["Content-Length: \(extreme)", "Transfer-Encoding: chunked"] {
                    let link = try RawLink(port: port)
                    link.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\n\(header)\r\n\r\n")
                    link.send("\(extreme)\r\n{}")
                }
            }
            #expect(try http.send("GET", "/readyz").status == 200, "\(port) is ready")
        }
        expectSameProcesses("states and lengths")
    }

    mutating func expectSameProcesses(_ place: String) {
        let now = RunningSuite.Service.allCases.map(world.home.suite.processID(of:))
        #expect(now == processes, "\(place): a service is another process now")
        processes = now
    }
}

extension ExtremeWorld.Request {
    mutating func set(_ parameter: Contract.Parameter, _ value: String) {
        switch parameter.place {
        case .path: path[parameter.name] = value
        case .query: query = query.filter { $0.0 != parameter.name } + [(parameter.name, value)]
        case .header:
            headers = headers.filter { $0.0 != parameter.name } + [(parameter.name, value)]
        }
    }

    mutating func setQuery(_ text: String) {
        query = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
}
