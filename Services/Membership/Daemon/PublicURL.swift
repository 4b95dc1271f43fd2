import Parsing
import Web

/// URL at which phones and browsers reach the suite.
enum PublicURL {
    /// The URL in a request's query, or the configured one, without trailing slashes.
    ///
    /// - Throws: 400 if there is none, or it is invalid
    static func of(_ request: Request, configured: String?) throws(Problem) -> String {
        guard let url = request.query["url"] ?? configured else {
            throw .invalid(
                "the URL of the suite for phones is not configured", field: "url",
                hint: "add ?url=https://jaga.example, or set JAGA_PUBLIC_URL")
        }
        return try checked(url)
    }

    static func checked(_ text: String) throws(Problem) -> String {
        var url = text
        while url.hasSuffix("/") { url.removeLast() }
        let rest = ["https://", "http://"].first { url.hasPrefix($0) }.map {
            url.dropFirst($0.count)
        }
        guard let rest, !rest.isEmpty, url.utf8.count <= 200,
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"?#\"'<>\\".utf8.contains($0) })
        else {
            throw .invalid(
                "the URL is invalid", field: "url",
                hint: "use a URL without query, such as https://jaga.example")
        }
        return url
    }
}
