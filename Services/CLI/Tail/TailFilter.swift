import Model
import Parsing
import Wire

/// Which events a tail shows.
struct TailFilter: Sendable {
    /// Empty: all.
    private var streams: [StreamName] = []
    /// Beginnings of types; empty: all.
    private var types: [String] = []
    private var person: String?
    private var since: Timestamp?

    init(_ call: Call, now: Timestamp) throws(CommandError) {
        for text in call.all("--stream") {
            let found = StreamName.all.filter { $0.text == text || $0.text.hasPrefix(text + "/") }
            guard !found.isEmpty else {
                throw .usage(
                    "there is no stream \(text): in, events, sos, directory, fired, deliveries, "
                        + "or one of 64 such as events/17", call.syntax)
            }
            streams += found
        }
        types = call.all("--type")
        person = call.value("--person")
        since = try call.moment("--since", now: now)
    }

    /// Whether the past is wanted too.
    var wantsPast: Bool { since != nil }

    func wants(_ stream: StreamName) -> Bool { streams.isEmpty || streams.contains(stream) }

    func wants(_ event: Event) -> Bool {
        if let since, event.time < since { return false }
        return types.isEmpty || types.contains { event.kind.type.hasPrefix($0) }
    }

    /// Whether the event is about the person that was named.
    func wants(subject: String?) -> Bool { person == nil || person == subject }
}
