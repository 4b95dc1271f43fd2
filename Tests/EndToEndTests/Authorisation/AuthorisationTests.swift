import API
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// Every operation with every kind of credential and every relation to whom it is about.
    @Suite struct `The authorisation matrix` {
        @Test func `knows every operation`() {
            let names = Set(Operation.all.compactMap(\.name))
            let known = AuthorisationOracle.names
            #expect(names.subtracting(known).sorted() == [], "add a sentence to the oracle")
            #expect(known.subtracting(names).sorted() == [], "there is no such operation")
        }

        @Test func `holds for the running suite`() async throws {
            try await Household.run(settings: MatrixSettings.all) { home in
                let world = try await AuthorisationWorld(home)
                var matrix = Matrix(world)
                try await matrix.run()
                for finding in matrix.findings { Issue.record("\(finding)") }
                print(
                    "matrix: \(matrix.operations.count) operations, \(matrix.cells) cells, "
                        + "\(matrix.pairs) pairs of answers, \(world.requests) requests, "
                        + "\(matrix.findings.count) findings")
                #expect(matrix.cells > 5_000 && matrix.pairs > 300)
                try matrix.expectPlantedDifferences()
                try matrix.measureTimes()
            }
        }
    }
}

/// Settings without limits, which would answer 429.
private enum MatrixSettings {
    static let all = [
        "JAGA_CREDENTIAL_CALLS_PER_SECOND": "0", "JAGA_ADDRESS_CALLS_PER_SECOND": "0",
        "JAGA_AUTH_FAILURES_PER_MINUTE": "0", "JAGA_INGEST_DEVICE_CALLS_PER_SECOND": "0",
        "JAGA_INGEST_ADDRESS_CALLS_PER_SECOND": "0", "JAGA_INGEST_AUTH_FAILURES_PER_MINUTE": "0",
        "JAGA_SIGN_IN_CODES_PER_NETWORK": "10000",
    ]
}

/// Sends the requests of the matrix and compares what they get.
private struct Matrix {
    let world: AuthorisationWorld
    let operations = Operation.all
    private(set) var findings: [String] = []
    private(set) var cells = 0
    private(set) var pairs = 0

    /// A request of the matrix.
    private struct Cell {
        let operation: Operation
        /// Of the operation, or with a suffix for another request.
        let name: String
        let isWard: Bool
        let caller: Caller
        let expected: Verdict
    }

    /// Allowed callers may hear that there is none: no alarm, policy, photo, draft and so on.
    private static let absent: Set = [
        "readAlarm", "answerAlarm", "readPolicy", "readJourney", "readJourneyPoints",
        "readJourneyTrack", "replayJourney", "readJourneyPhoto", "dropSuggestedZone",
        "sendDraft", "readNotification", "readQuarantined", "dropQuarantined",
        "retryQuarantined", "testGateway", "dropEncryptionKey", "dropMQTTTopic", "setMQTTTopic",
        "locate", "setEncryptionKey", "optInToZone", "removePasskey", "acknowledgeByReference",
        "removeMonitoringToken", "readDrill", "stopDrill", "readUnprocessedCall",
        "revokeLiveLink",
    ]

    init(_ world: AuthorisationWorld) { self.world = world }

    mutating func run() async throws {
        // Denied requests change nothing, so they come first.
        for expected in [Verdict.unauthenticated, .denied, .same, .allowed] {
            let found = cells(expected)
            for cell in expected == .allowed ? found.sorted(by: { rank($0) < rank($1) }) : found {
                try await send(cell)
            }
        }
    }

    private func cells(_ expected: Verdict) -> [Cell] {
        operations.flatMap { operation -> [Cell] in
            let names = operation.name.map { [$0] + AuthorisationOracle.variants(of: $0) } ?? [""]
            return names.flatMap { name in
                [false, true].flatMap { isWard -> [Cell] in
                    // Ward and guardian differ from others only where it is about somebody.
                    if isWard, !operation.path.contains("{") { return [] }
                    let subject = isWard ? world.ward : world.adult
                    return world.callers(of: subject).compactMap { caller -> Cell? in
                        let verdict =
                            operation.name == nil
                            ? AuthorisationOracle.verdictOfApp(caller.kind)
                            : AuthorisationOracle.verdict(name, caller.kind, caller.relation)
                        guard verdict == expected else { return nil }
                        // Credentials are not looked at, so a few are enough.
                        if verdict == .same, isWard || caller.relation ?? .own != .own {
                            return nil
                        }
                        return Cell(
                            operation: operation, name: name, isWard: isWard, caller: caller,
                            expected: expected)
                    }
                }
            }
        }
    }

    /// What changes circles, ends an emergency or credentials comes last.
    private func rank(_ cell: Cell) -> Int {
        let name = cell.name
        let later = [
            "acknowledgeEmergency", "withdrawAcknowledgement", "checkIn", "resolveEmergency",
            "confirmEndOfEmergency", "reopenEmergency",
            "cancelEmergency", "setPIN", "setDuressPIN", "updateMember", "removeMember",
            "removeMember/leave", "updatePerson/billing", "acceptInvitation", "addMember",
            // Signs in again. Afterwards there are no codes, no operator, no sessions.
            "signOut", "updatePerson/contacts", "rotateMonitoringToken",
            "removeMonitoringToken", "rotateOperatorToken", "endSessions",
        ]
        if let index = later.firstIndex(of: name) { return 2 + index }
        return cell.operation.method == .delete ? 1 : 0
    }

    // MARK: One cell

    private mutating func send(_ cell: Cell) async throws {
        cells += 1
        let subject = cell.isWard ? world.ward : world.adult
        var caller = cell.caller.kind == .operator ? world.operatorCaller : cell.caller
        var ids: [String: String] = [:]
        if cell.expected == .allowed {
            (ids, caller) = try await world.prepare(cell.name, subject, caller)
        }
        if cell.operation.name == nil { ids["token"] = caller.token ?? "none" }
        let path = world.path(cell.operation, cell.name, subject, ids)
        let answer = try world.send(
            cell.operation, cell.name, path, about: subject, as: caller)
        if cell.expected == .same {
            let plain = try world.send(
                cell.operation, cell.name, path, about: subject, as: .nobody)
            // Codes to one contact point are limited for everybody.
            if plain.status != answer.status, ![plain.status, answer.status].contains(429) {
                findings.append(
                    "\(cell.name) as \(caller.name): \(answer.status), without \(plain.status)")
            }
            return
        }
        if let finding = Self.mismatch(cell.operation, cell.name, caller, cell.expected, answer) {
            findings.append(finding)
        }
        guard cell.expected == .denied, cell.operation.path.contains("{"),
            [.otherCircle, .removed].contains(caller.relation),
            caller.kind == .person || caller.kind == .session
        else { return }
        pairs += 1
        let absent = try world.send(
            cell.operation, cell.name, Subject.nothing(cell.operation), about: subject, as: caller)
        if let difference = Self.difference(answer, absent) {
            findings.append("\(cell.name) as \(caller.name) tells what exists: \(difference)")
        }
    }

    /// Describes an answer that is not as expected.
    private static func mismatch(
        _ operation: Operation, _ name: String, _ caller: Caller, _ expected: Verdict,
        _ answer: PlainHTTP.Answer
    ) -> String? {
        let status = answer.status
        let isRight =
            switch expected {
            // Which kinds are accepted is public.
            case .unauthenticated: status == 401
            case .denied: status == 403 || status == 404
            case .allowed:
                (200..<400).contains(status) || [400, 409, 412, 429].contains(status)
                    || (status == 404 && absent.contains(name))
            case .same: true
            }
        guard !isRight else { return nil }
        let who = name.isEmpty ? "\(operation.method.rawValue) \(operation.path)" : name
        return "\(who) as \(caller.name): expected \(expected.rawValue), "
            + "got \(status) \(answer.text.prefix(200))"
    }

    /// Describes how two answers differ, besides ids, times and the id of the request.
    private static func difference(
        _ there: PlainHTTP.Answer, _ absent: PlainHTTP.Answer
    ) -> String? {
        if there.status != absent.status { return "\(there.status), \(absent.status)" }
        func text(_ answer: PlainHTTP.Answer) -> String {
            answer.text.replacing(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/, with: "ID")
        }
        if text(there) != text(absent) { return "\(text(there)), \(text(absent))" }
        for name in Set(there.headers.keys).union(absent.headers.keys).sorted()
        where !["x-request-id", "date"].contains(name)
            && there.headers[name] != absent.headers[name]
        {
            return "\(name): \(there.headers[name] ?? "-"), \(absent.headers[name] ?? "-")"
        }
        return nil
    }

    // MARK: Planted differences

    private func readPerson() throws -> (Operation, own: Caller, other: Caller) {
        let callers = world.callers(of: world.adult)
        guard let read = operations.first(where: { $0.name == "readPerson" }),
            let own = callers.first(where: { $0.kind == .person && $0.relation == .own }),
            let other = callers.first(where: { $0.kind == .person && $0.relation == .otherCircle })
        else { throw TestFailure("no operation readPerson") }
        return (read, own, other)
    }

    /// The comparisons find what is planted: a wrong status, a longer body, another header.
    func expectPlantedDifferences() throws {
        let (read, own, other) = try readPerson()
        let subject = world.adult
        let path = subject.path(of: read)
        let shown = try world.send(read, "readPerson", path, about: subject, as: own)
        let denied = try world.send(read, "readPerson", path, about: subject, as: other)
        func mismatch(_ caller: Caller, _ expected: Verdict, _ answer: PlainHTTP.Answer) -> Bool {
            Self.mismatch(read, "readPerson", caller, expected, answer) != nil
        }
        #expect(!mismatch(own, .allowed, shown) && !mismatch(other, .denied, denied))
        #expect(mismatch(other, .denied, shown) && mismatch(own, .allowed, denied))
        #expect(mismatch(other, .unauthenticated, denied))
        #expect(Self.difference(shown, denied) != nil)
        var headers = denied.headers
        headers["etag"] = "\"3\""
        let tagged = PlainHTTP.Answer(status: denied.status, headers: headers, body: denied.body)
        #expect(Self.difference(tagged, denied) != nil)
        let longer = PlainHTTP.Answer(
            status: denied.status, headers: denied.headers, body: denied.body + [32])
        #expect(Self.difference(longer, denied) != nil)
        let named = PlainHTTP.Answer(
            status: 404, headers: [:], body: Array("no \(subject.owner.person.id)".utf8))
        let unnamed = PlainHTTP.Answer(
            status: 404, headers: [:],
            body: Array("no per_\(String(repeating: "7", count: 26))".utf8))
        #expect(Self.difference(named, unnamed) == nil)
    }

    // MARK: Times

    /// Compares the times of answers about somebody else and about nobody, 1,000 pairs in turn.
    func measureTimes() throws {
        let (read, _, other) = try readPerson()
        let subject = world.adult
        let (there, absent) = (subject.path(of: read), Subject.nothing(read))
        let comparison = try TimeComparison.untilEqual {
            _ = try world.send(read, "readPerson", there, about: subject, as: other)
        } and: {
            _ = try world.send(read, "readPerson", absent, about: subject, as: other)
        }
        print("matrix: about somebody and about nobody, \(comparison)")
        #expect(comparison.isEqual, "\(comparison)")
    }
}
