import Model
import Parsing
import Runtime
import Web

/// Client of a running suite's HTTP API. Calls are synchronous.
final class API {
    /// Without a trailing slash, such as `http://127.0.0.1:8080`.
    let url: String
    /// Nil = requests have none.
    private let token: Token?
    /// PEM file of trusted certificates, in place of the system's.
    private let authorities: String?
    /// Why the caller looks at data of people; nil = no reason was given.
    private let reason: String?
    private let transfers = Transfers()
    private var lastToken: UInt64 = 0

    /// Timeout of a response.
    var timeoutMilliseconds = 20_000
    static let answerBytesMax = 16 << 20
    /// Maximum size of a downloaded file, such as a long journey.
    static let fileBytesMax = 256 << 20

    /// The suite and the operator's token that a call names.
    convenience init(_ call: Call) throws {
        try self.init(call, as: try Token.operator(of: call))
    }

    /// The suite that a call names, with another token.
    init(_ call: Call, as token: Token) throws {
        url = API.url(of: call)
        authorities = try Authorities.file(of: call)
        reason = call.value("--access-reason")
        self.token = token
    }

    /// The suite that a call names, for requests that need no credential.
    init(withoutToken call: Call) throws {
        url = API.url(of: call)
        authorities = try Authorities.file(of: call)
        reason = nil
        token = nil
    }

    static func url(of call: Call) -> String {
        let text =
            call.value("--url") ?? call.environment["JAGA_URL"] ?? written(of: call)
            ?? "http://127.0.0.1:8080"
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The URL in the file `origin`, which `jaga up` writes: one line for phones, one for commands
    /// on this machine.
    private static func written(of call: Call) -> String? {
        guard let home = try? call.configuration().text("JAGA_HOME"),
            let bytes = try? Files.read(home + "/origin", bytesMax: 4096)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(2).last
            .map(String.init)
    }

    func get(_ path: String) throws -> JSON { try call(.get, path) }

    /// Returns nil if the service is not available; throws other errors.
    func getIfThere(_ path: String) throws -> JSON? {
        let answer = try exchange(request(.get, path, nil))
        if answer.status == 503 { return nil }
        return try body(of: answer, "GET \(path)")
    }

    func post(_ path: String, _ body: JSON) throws -> JSON { try call(.post, path, body) }

    /// Posts a file.
    func send(_ bytes: [UInt8], to path: String, as mediaType: String) throws -> JSON {
        var call = request(.post, path, nil)
        call.headers["Content-Type"] = mediaType
        call.body = bytes
        return try body(of: try exchange(call), "POST \(path)")
    }

    /// Downloads a file.
    func bytes(_ path: String) throws -> [UInt8] {
        var call = request(.get, path, nil)
        call.answerBytesMax = API.fileBytesMax
        let answer = try exchange(call)
        guard answer.status == 200 else { throw error(answer, "GET \(path)") }
        return answer.body
    }

    func put(_ path: String, _ body: JSON) throws -> JSON { try call(.put, path, body) }

    func delete(_ path: String) throws { _ = try call(.delete, path) }

    /// Removes an entity if it still has a version.
    func delete(_ path: String, ifVersion version: Int64) throws {
        var call = request(.delete, path, nil)
        call.headers["If-Match"] = "\"\(version)\""
        _ = try body(of: try exchange(call), "DELETE \(path)")
    }

    /// Returns the matching items of a paged list, up to a limit.
    ///
    /// - Parameter path: may have a query
    func list(
        _ path: String, limit: Int = .max, where isIncluded: (JSON) -> Bool = { _ in true }
    ) throws -> [JSON] {
        let separator = path.contains("?") ? "&" : "?"
        var items: [JSON] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "\(separator)cursor=" + Percent.encode($0) } ?? ""
            let page = try get(path + query)
            items += (page["items"]?.array ?? []).filter(isIncluded)
            cursor = page["next"]?.string
        } while cursor != nil && items.count < limit
        return Array(items.prefix(limit))
    }

    /// Sends a request. Throws the suite's problem for any status but 2xx.
    func call(_ method: Web.Method, _ path: String, _ body: JSON? = nil) throws -> JSON {
        let answer = try exchange(request(method, path, body))
        return try self.body(of: answer, "\(method.rawValue) \(path)")
    }

    private func body(of answer: TransferAnswer, _ what: String) throws -> JSON {
        guard (200..<300).contains(answer.status) else { throw error(answer, what) }
        guard !answer.body.isEmpty else { return .null }
        do { return try JSON.parse(answer.body) } catch {
            throw CommandError(
                "\(what): the response is not JSON",
                hint: "check that \(url) is a Jaga suite; set JAGA_URL or --url")
        }
    }

    private func request(_ method: Web.Method, _ path: String, _ body: JSON?) -> HTTPCall {
        var headers: Headers = [:]
        if let token { headers["Authorization"] = "Bearer \(token.text)" }
        if let reason { headers["X-Access-Reason"] = reason }
        if body != nil { headers["Content-Type"] = "application/json" }
        return HTTPCall(
            method, url + path, headers: headers, body: body?.serialized() ?? [],
            answerBytesMax: API.answerBytesMax)
    }

    /// Sends a request and returns the response, whatever its status.
    func exchange(_ call: HTTPCall) throws(CommandError) -> TransferAnswer {
        lastToken += 1
        var call = call
        call.authoritiesFile = authorities
        transfers.start(
            Transfer(
                token: lastToken, .http(call), timeoutMilliseconds: timeoutMilliseconds))
        while true {
            Loop.wait(on: [transfers], atMost: 1000)
            guard let result = transfers.drain().first(where: { $0.token == lastToken }) else {
                continue
            }
            switch result.outcome {
            case .answered(let answer): return answer
            case .failed(let failure):
                let running = "start Jaga with 'jaga up', or set JAGA_URL or --url"
                throw CommandError(
                    "no response from \(url): \(failure.message)",
                    hint: url.hasPrefix("https:") ? "\(running); \(Authorities.hint)" : running)
            }
        }
    }

    /// An id as part of a path.
    static func pathPart(_ id: String) -> String { Percent.encode(id) }

    private func error(_ answer: TransferAnswer, _ what: String) -> CommandError {
        if answer.status == 401, let token {
            return CommandError("the suite rejects \(token.origin)", hint: token.hint)
        }
        let problem = try? JSON.parse(answer.body)
        let detail = (problem?["detail"]?.string ?? problem?["title"]?.string ?? "").onOneLine
        let field = problem?["field"]?.string.map { " (\($0.onOneLine))" } ?? ""
        return CommandError(
            "\(what) failed with status \(answer.status): \(detail)\(field)",
            hint: (problem?["hint"]?.string ?? "").onOneLine)
    }
}
