/// Masks lines of nginx's error log.
///
/// nginx repeats the request line in errors about connections, and paths and queries contain tokens
/// and positions. `deploy/edge/mask` does the same for the container.
enum NginxErrorLine {
    /// The line without client, request, headers and quoted texts if it is about a connection.
    /// Other lines, such as configuration errors, are unchanged.
    static func masked(_ line: String) -> String {
        guard line.contains(#/ \*[0-9]+ /#) else { return line }
        guard let client = line.firstRange(of: ", client: ") else {
            // nginx truncates long lines, so the text after a quote is not trusted.
            return String(line.prefix { $0 != "\"" })
        }
        let message = line[..<client.lowerBound]
            .replacing(#/"[^"]*[^a-z_"][^"]*"/#, with: #""***""#)
        let details = line[client.upperBound...]
        guard
            let upstream = details.matches(of: #/, upstream: "([a-z]+://[0-9.]+:[0-9]+)/#).last
        else { return String(message) }
        return "\(message), upstream: \(upstream.output.1)"
    }
}
