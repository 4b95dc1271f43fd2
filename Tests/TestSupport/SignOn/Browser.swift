import Foundation

/// A browser without scripts: it keeps cookies by port, follows redirects one by one, and submits
/// forms.
public final class Browser {
    /// A page that it shows.
    public struct Page {
        public let url: String
        public let answer: PlainHTTP.Answer

        public var status: Int { answer.status }
        public var text: String { answer.text }
    }

    private var cookies: [Int: [String: String]] = [:]

    public init() {}

    /// Opens a page.
    ///
    /// - Parameter url: on this machine
    public func open(
        _ url: String, _ method: String = "GET", body: [UInt8] = [],
        headers: [String: String] = [:]
    ) throws -> PlainHTTP.Answer {
        let (port, path) = try Browser.parts(of: url)
        let pairs = (cookies[port] ?? [:]).map { "\($0)=\($1)" }
        var headers = headers
        if !pairs.isEmpty { headers["Cookie"] = pairs.joined(separator: "; ") }
        let answer = try PlainHTTP(port: port).send(method, path, body: body, headers: headers)
        for line in answer.headers["set-cookie"]?.split(separator: "\n") ?? [] {
            let halves = line.prefix { $0 != ";" }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            let value = halves[1].isEmpty ? nil : String(halves[1])
            cookies[port, default: [:]][String(halves[0])] = value
        }
        return answer
    }

    /// Opens a page that redirects.
    ///
    /// - Returns: where to
    public func follow(_ url: String) throws -> String {
        let answer = try open(url)
        guard [302, 303].contains(answer.status), let next = answer.headers["location"] else {
            throw TestFailure("no redirect: \(answer.status) \(answer.text)")
        }
        return next
    }

    /// Opens a page as somebody who reads HTML.
    public func page(_ url: String) throws -> Page {
        Page(url: url, answer: try open(url, headers: ["Accept": "text/html"]))
    }

    /// Submits a form of a page.
    ///
    /// - Parameters:
    ///   - mark: a text that only this form contains
    ///   - values: of its fields; the others keep theirs
    public func submit(_ page: Page, formWith mark: String, _ values: [String: String] = [:])
        throws -> Page
    {
        let form = page.text.matches(of: /(?s)<form\b.*?<\/form>/)
            .map { String($0.output) }.first { $0.contains(mark) }
        guard let form else { throw TestFailure("no form with \(mark): \(page.text)") }
        var fields: [String: String] = [:]
        for input in form.matches(of: /<input\b[^>]*>/).map({ String($0.output) })
        where !input.contains("type=\"checkbox\"") {
            guard let name = Browser.attribute("name", of: input) else { continue }
            fields[name] = Browser.attribute("value", of: input) ?? ""
        }
        fields.merge(values) { $1 }
        let action = form.firstMatch(of: /<form\b[^>]*>/).flatMap {
            Browser.attribute("action", of: String($0.output))
        }
        let url = Browser.resolve(action ?? "#", at: page.url)
        let body = fields.sorted { $0.key < $1.key }.map {
            Browser.escape($0.key) + "=" + Browser.escape($0.value)
        }.joined(separator: "&")
        let answer = try open(
            url, "POST", body: Array(body.utf8),
            headers: [
                "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
            ])
        return Page(url: url, answer: answer)
    }

    private static func parts(of url: String) throws -> (port: Int, path: String) {
        for host in ["http://127.0.0.1:", "http://localhost:"] where url.hasPrefix(host) {
            let rest = url.dropFirst(host.count)
            guard let port = Int(rest.prefix { $0.isNumber }) else { break }
            let path = rest.drop { $0.isNumber }
            return (port, path.hasPrefix("/") ? String(path) : "/" + path)
        }
        throw TestFailure("not on this machine: \(url)")
    }

    private static func resolve(_ action: String, at url: String) -> String {
        let page = String(url.prefix { $0 != "#" })
        if action == "#" || action.isEmpty { return page }
        if action.hasPrefix("http") { return action }
        return URL(string: action, relativeTo: URL(string: page))?.absoluteString ?? page
    }

    private static func attribute(_ name: String, of tag: String) -> String? {
        guard let start = tag.range(of: " \(name)=\"") else { return nil }
        return String(tag[start.upperBound...].prefix { $0 != "\"" })
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&amp;", with: "&")
    }

    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
