import Model
import Parsing
import Wire

/// Which events a tail shows.
struct TailFilter: Sendable {
    /// Empty: all.
    private var streams: [StreamName] = []
    /// Beginnings of types; empty: all.
    private var types: [String] = []
    /// What was named without an option: any of it.
    private var words: (streams: [StreamName], types: [String]) = ([], [])
    private var person: String?
    private var circle: String?
    private var since: Timestamp?

    init(_ call: Call, now: Timestamp) throws(CommandError) {
        for text in call.all("--stream") {
            let found = TailFilter.streams(text)
            guard !found.isEmpty else {
                throw .usage(
                    "there is no stream \(text): in, events, sos, directory, fired, deliveries, "
                        + "or one of 64 such as events/17", call.syntax)
            }
            streams += found
        }
        types = call.all("--type")
        for word in call.parameters {
            let found = TailFilter.streams(word)
            let type = word.hasPrefix("jaga.") ? word : "jaga." + word
            guard !found.isEmpty || EventKind.allCases.contains(where: { $0.type.hasPrefix(type) })
            else {
                throw .usage(
                    "\(word) is neither a stream (in, events, sos, directory, fired, deliveries, "
                        + "events/17) nor the beginning of a type (docs/events.md)", call.syntax)
            }
            words.streams += found
            if found.isEmpty { words.types.append(type) }
        }
        person = call.value("--person")
        circle = call.value("--circle")
        since = try call.moment("--since", now: now)
    }

    /// Whether the past is wanted too.
    var wantsPast: Bool { since != nil }

    /// Whether there may be wanted events on a stream.
    func wants(_ stream: StreamName) -> Bool {
        guard streams.isEmpty || streams.contains(stream) else { return false }
        return !words.types.isEmpty || words.streams.isEmpty || words.streams.contains(stream)
    }

    func wants(_ event: Event, on stream: StreamName) -> Bool {
        if let since, event.time < since { return false }
        let type = event.kind.type
        guard types.isEmpty || types.contains(where: { type.hasPrefix($0) }) else { return false }
        return (words.streams.isEmpty && words.types.isEmpty) || words.streams.contains(stream)
            || words.types.contains { type.hasPrefix($0) }
    }

    /// Whether the event is about the person, and names the circle, that were named.
    func wants(_ cloudEvent: JSON) -> Bool {
        if let person, cloudEvent["subject"]?.string != person { return false }
        return circle.map { cloudEvent.mentions([$0]) } ?? true
    }

    /// A stream, or all partitions of one.
    private static func streams(_ text: String) -> [StreamName] {
        StreamName.all.filter { $0.text == text || $0.text.hasPrefix(text + "/") }
    }
}

extension JSON {
    /// Whether one of the texts stands anywhere in it as a value.
    func mentions(_ texts: Set<String>) -> Bool {
        switch self {
        case .string(let text): texts.contains(text)
        case .array(let values): values.contains { $0.mentions(texts) }
        case .object(let members): members.contains { $0.value.mentions(texts) }
        case .null, .bool, .integer, .number: false
        }
    }
}
