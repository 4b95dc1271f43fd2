/// Masks lines of nginx's error log.
///
/// nginx repeats the request line in every error about a connection, and tokens and positions are
/// in paths and queries. `deploy/edge/mask` does the same for the container.
enum NginxErrorLine {
    /// The line without client, request, headers and quoted texts if it is about a connection;
    /// other lines, such as errors in the configuration, unchanged.
    static func masked(_ line: String) -> String {
        guard line.contains(#/ \*[0-9]+ /#) else { return line }
        guard let client = line.firstRange(of: ", client: ") else {
            // nginx cuts long lines: what follows a quote may be anything.
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
