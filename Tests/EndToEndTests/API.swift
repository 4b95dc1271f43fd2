import Parsing
import TestSupport

/// The HTTP API, used with one token.
struct API: Sendable {
    let http: PlainHTTP
    let token: String

    /// Sends a request.
    ///
    /// - Returns: the body
    /// - Throws: ``TestFailure`` unless the response is a success
    @discardableResult
    func call(_ method: String, _ path: String, _ json: JSON? = nil) throws -> JSON {
        let answer = try send(method, path, json)
        guard (200..<300).contains(answer.status) else {
            throw TestFailure("\(method) \(path): \(answer.status) \(answer.text)")
        }
        return answer.json
    }

    /// Creates the first credential of a person.
    ///
    /// - Parameter person: the response that created the person
    /// - Returns: its token
    func activate(_ person: JSON) throws -> String {
        try call(
            "POST", "/v1/people/\(person.text("id"))/activation",
            ["code": .string(try person.member("activation").text("code"))]
        ).member("credential").text("token")
    }

    /// Sends a request and returns any response.
    func send(_ method: String, _ path: String, _ json: JSON? = nil) throws -> PlainHTTP.Answer {
        guard let json else { return try http.send(method, path, token: token) }
        return try http.send(method, path, json, token: token)
    }

    /// Sends a request like a real client: a failure or a "retry later" is repeated unchanged until
    /// there is another response.
    ///
    /// - Throws: ``TestFailure`` for a response other than success, or after 60 s
    @discardableResult
    func insist(
        _ method: String, _ path: String, _ json: JSON? = nil
    ) async throws -> JSON {
        var last = ""
        for _ in 0..<600 {
            do {
                let answer = try send(method, path, json)
                if (200..<300).contains(answer.status) { return answer.json }
                last = "\(method) \(path): \(answer.status) \(answer.text)"
                if answer.status < 500 { break }
            } catch {
                last = "\(method) \(path): \(error)"
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw TestFailure(last)
    }

    /// All items of a list, over all pages.
    func list(_ path: String) throws -> [JSON] {
        var items: [JSON] = []
        var cursor: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let page = try call("GET", path + (cursor.map { "\(separator)cursor=\($0)" } ?? ""))
            items += page["items"]?.array ?? []
            cursor = page["next"]?.string
        } while cursor != nil
        return items
    }
}

extension JSON {
    /// A required member.
    func member(_ key: String) throws -> JSON {
        guard let member = self[key] else {
            throw TestFailure("no \(key) in \(String(decoding: serialized(), as: UTF8.self))")
        }
        return member
    }

    /// A required text.
    func text(_ key: String) throws -> String {
        guard let text = try member(key).string else {
            throw TestFailure("\(key) is not a text")
        }
        return text
    }
}
