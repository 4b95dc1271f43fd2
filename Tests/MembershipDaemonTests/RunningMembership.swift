import Foundation
import Parsing
import TestSupport

/// The real process with a home and ports of its own; ingest beside it where a test wants it.
final class RunningMembership {
    private let folder: TemporaryFolder
    let portBase = FreePorts.base(of: [1, 2, 3, 4, 5, 101, 102, 104, 105, 201, 202, 204, 205, 301])
    private(set) var membership: Capture?
    private var ingest: Capture?
    /// By person.
    private(set) var activationCodes: [String: String] = [:]
    private var tokens: [String: String] = [:]

    init(withIngest: Bool = false) async throws {
        folder = try TemporaryFolder()
        if withIngest {
            ingest = try start("jaga-ingest")
            try await waitUntilAnswering(1)
        }
        try await startAgain()
    }

    /// Kills the process.
    func kill() async {
        await membership?.stop(SIGKILL)
        membership = nil
    }

    /// Starts the process on the same home.
    ///
    /// - Parameter settings: more of its environment
    func startAgain(_ settings: [String: String] = [:]) async throws {
        membership = try start("jaga-membership", settings)
        try await waitUntilAnswering(2)
    }

    private func start(
        _ program: String, _ settings: [String: String] = [:]
    ) throws -> Capture {
        try Capture(
            try Programs.path(program),
            ["--home", folder.path, "--port-base", "\(portBase)"],
            environment: ["PATH": "/usr/bin:/bin"].merging(settings) { $1 })
    }

    private func waitUntilAnswering(_ number: Int) async throws {
        let http = PlainHTTP(port: portBase + number)
        let answers = await eventually { (try? http.send("GET", "/healthz").status) != nil }
        guard answers else { throw TestFailure("service \(number) does not answer") }
    }

    // MARK: Requests

    var home: String { folder.path }

    var tokenPath: String { folder.path + "/secrets/operator.token" }

    var messageKeyPath: String { folder.path + "/secrets/message.key" }

    /// All bytes of its store on the disk.
    func storeBytes() -> String {
        ["", "-wal"].map { end in
            let path = folder.path + "/membership/store.sqlite" + end
            return String(
                decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }.joined()
    }

    /// The first line of the operator's token file.
    func operatorToken() throws -> String {
        try String(contentsOfFile: tokenPath, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Sends a request to membership, as the operator if no token is given.
    ///
    /// - Parameter body: JSON with single quotes for double ones; empty for none
    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String = "", as token: String? = nil,
        headers: [String: String] = [:]
    ) throws -> PlainHTTP.Answer {
        try PlainHTTP(port: portBase + 2).send(
            method, path, body: Array(body.replacing("'", with: "\"").utf8),
            token: try token ?? operatorToken(), headers: headers)
    }

    /// Sends a request to ingest.
    func askIngest(
        _ method: String, _ path: String, as token: String
    ) throws -> PlainHTTP.Answer {
        try PlainHTTP(port: portBase + 1).send(method, path, token: token)
    }

    /// Creates a person and returns their id.
    ///
    /// - Parameter more: further members of the body, after a comma
    func person(_ name: String, _ more: String = "") throws -> String {
        let made = try ask("POST", "/v1/people", "{'name': '\(name)'\(more)}")
        let id = try made.text("id")
        activationCodes[id] = try made.text("activation", "code")
        return id
    }

    /// Returns the token of a person, who activates their account with the first one.
    func token(of person: String) throws -> String {
        if let token = tokens[person] { return token }
        let token = try activate(person).text("credential", "token")
        tokens[person] = token
        return token
    }

    /// Uses the activation code of a person.
    func activate(_ person: String) throws -> PlainHTTP.Answer {
        let code = activationCodes[person] ?? ""
        return try PlainHTTP(port: portBase + 2).send(
            "POST", "/v1/people/\(person)/activation",
            body: Array("{\"code\": \"\(code)\"}".utf8), token: nil)
    }
}

extension PlainHTTP.Answer {
    /// The text at a path of the body.
    func text(_ keys: String...) throws -> String {
        var json: JSON? = json
        for key in keys { json = json?[key] }
        guard let text = json?.string else {
            throw TestFailure("\(status) without \(keys.joined(separator: ".")): \(text)")
        }
        return text
    }

    /// The field that a problem names.
    var field: String? { json["field"]?.string }
}
