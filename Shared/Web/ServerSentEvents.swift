/// Format of server-sent events (HTML Living Standard, section 9.2).
public enum ServerSentEvents {
    /// The begin of a streamed response. Proxies must pass the events on at once.
    ///
    /// - Parameter first: the first bytes of the body
    public static func response(_ first: [UInt8] = []) -> Response {
        Response(
            status: 200,
            headers: ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"], body: first)
    }

    /// An event.
    ///
    /// - Parameters:
    ///   - name: empty for the default `message`
    ///   - id: position after which a client resumes; nil keeps the last one
    ///   - data: one line
    public static func event(_ name: String = "", id: String? = nil, data: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes, name, id: id, data: data.utf8)
        return bytes
    }

    /// Appends an event, whose data is one line of UTF-8.
    public static func append(
        to bytes: inout [UInt8], _ name: String = "", id: String? = nil,
        data: some Sequence<UInt8>
    ) {
        if !name.isEmpty { bytes += "event: \(name)\n".utf8 }
        if let id { bytes += "id: \(id)\n".utf8 }
        bytes += "data: ".utf8
        bytes += data
        bytes += "\n\n".utf8
    }

    /// A comment, which clients ignore; with an id, they store it.
    public static func comment(_ text: String = "", id: String? = nil) -> [UInt8] {
        let comment = text.isEmpty ? ":\n" : ": \(text)\n"
        return Array((comment + (id.map { "id: \($0)\n" } ?? "") + "\n").utf8)
    }

    /// How long clients wait before they connect again, milliseconds.
    public static func retry(milliseconds: Int) -> [UInt8] {
        Array("retry: \(milliseconds)\n\n".utf8)
    }
}
