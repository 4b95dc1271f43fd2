import Model
import Parsing
import Wire

/// Which events somebody who looks on wants to see: `jaga tail`, and the same over HTTP.
public struct EventFilter: Hashable, Sendable {
    /// Empty: all.
    public var streams: [StreamName] = []
    /// Beginnings of types; empty: all.
    public var types: [String] = []
    /// Streams, and beginnings of types, any of which is enough; both empty: all.
    public var wordStreams: [StreamName] = []
    public var wordTypes: [String] = []
    /// About whom, as text; nil: whoever it is.
    public var person: String?
    /// Only what names this circle, or is about somebody who is in it; as text.
    public var circle: String?
    /// Nothing that happened before.
    public var since: Timestamp?

    public init() {}

    /// The streams of a name: one, or all partitions of `in` or `events`; empty: there is none.
    public static func streams(named text: String) -> [StreamName] {
        StreamName.all.filter { $0.text == text || $0.text.hasPrefix(text + "/") }
    }

    /// A beginning of types as it stands in events, from one that may lack `jaga.`; nil where no
    /// type begins so.
    public static func type(beginning text: String) -> String? {
        let type = text.hasPrefix("jaga.") ? text : "jaga." + text
        return EventKind.allCases.contains { $0.type.hasPrefix(type) } ? type : nil
    }

    /// A time such as `2026-11-20T10:20:00Z`, or one that is so long ago (`30s`, `10m`, `2h`,
    /// `1d`); nil for any other text.
    public static func moment(_ text: String, now: Timestamp) -> Timestamp? {
        if let time = Timestamp(text) { return time }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }),
            let count = OutsideNumber.integer(text.dropLast(), in: 0...1_000_000)
        else { return nil }
        return now - .seconds(Int64(count) * unit)
    }

    /// Whether there may be wanted events on a stream.
    public func wants(_ stream: StreamName) -> Bool {
        guard streams.isEmpty || streams.contains(stream) else { return false }
        return !wordTypes.isEmpty || wordStreams.isEmpty || wordStreams.contains(stream)
    }

    /// Whether time, type and person are those that are wanted.
    public func wants(_ event: Event, on stream: StreamName) -> Bool {
        if let since, event.time < since { return false }
        if let person, event.body.person?.description != person { return false }
        let type = event.kind.type
        guard types.isEmpty || types.contains(where: { type.hasPrefix($0) }) else { return false }
        return (wordStreams.isEmpty && wordTypes.isEmpty) || wordStreams.contains(stream)
            || wordTypes.contains { type.hasPrefix($0) }
    }

    /// Whether the event names the circle that is wanted, or is about somebody who is in it.
    ///
    /// - Parameters:
    ///   - cloudEvent: the same event
    ///   - isMember: whether somebody is in that circle now
    public func isOfCircle(
        _ event: Event, _ cloudEvent: JSON, isMember: (PersonID) -> Bool
    ) -> Bool {
        guard let circle else { return true }
        if let person = event.body.person, isMember(person) { return true }
        return cloudEvent.mentions([circle])
    }
}

extension JSON {
    /// Whether one of the texts stands anywhere in it as a value.
    public func mentions(_ texts: Set<String>) -> Bool {
        switch self {
        case .string(let text): texts.contains(text)
        case .array(let values): values.contains { $0.mentions(texts) }
        case .object(let members): members.contains { $0.value.mentions(texts) }
        case .null, .bool, .integer, .number: false
        }
    }
}
