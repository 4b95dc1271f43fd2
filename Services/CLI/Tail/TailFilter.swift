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
        if let text = call.value("--since") {
            guard let time = TailFilter.time(text, now: now) else {
                throw .usage(
                    "--since must be an age such as 30s, 10m, 2h, 1d or a time such as "
                        + "2026-11-20T10:20:00Z, not \(text)", call.syntax)
            }
            since = time
        }
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

    /// A time, or one so long ago: `30s`, `10m`, `2h`, `1d`.
    static func time(_ text: String, now: Timestamp) -> Timestamp? {
        if let time = Timestamp(text) { return time }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }),
            let count = Int64(text.dropLast()), (0...1_000_000).contains(count)
        else { return nil }
        return now - .seconds(count * unit)
    }
}
