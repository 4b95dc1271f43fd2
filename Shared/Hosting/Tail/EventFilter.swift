import Model
import Parsing
import Wire

/// Filter of `jaga tail` and of `GET /v1/tail/<service>`.
public struct EventFilter: Hashable, Sendable {
    /// Empty = all.
    public var streams: [StreamName] = []
    /// Prefixes of types; empty = all.
    public var types: [String] = []
    /// Streams and prefixes of types of which an event must match at least one; both empty = all.
    public var eitherStreams: [StreamName] = []
    public var eitherTypes: [String] = []
    /// Id of the person that events are about; nil = any.
    public var person: String?
    /// Id of a circle that events name, or whose members they are about; nil = any.
    public var circle: String?
    /// Minimum time of events; nil = any.
    public var since: Timestamp?

    public init() {}

    /// Returns the streams of a name: one, or all partitions of `in` or `events`; empty if there is
    /// none.
    public static func streams(named text: String) -> [StreamName] {
        StreamName.all.filter { $0.text == text || $0.text.hasPrefix(text + "/") }
    }

    /// Returns a prefix of types with `jaga.` added if it is missing; nil if no type has it.
    public static func type(beginning text: String) -> String? {
        let type = text.hasPrefix("jaga.") ? text : "jaga." + text
        return EventKind.allCases.contains { $0.type.hasPrefix(type) } ? type : nil
    }

    /// Parses a time such as `2026-11-20T10:20:00Z` or an age such as `30s`, `10m`, `2h` or `1d`;
    /// nil for any other text.
    public static func time(_ text: String, now: Timestamp) -> Timestamp? {
        if let time = Timestamp(text) { return time }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }),
            let count = UntrustedNumber.integer(text.dropLast(), in: 0...1_000_000)
        else { return nil }
        return now - .seconds(Int64(count) * unit)
    }

    /// Whether a stream may contain matching events.
    public func includes(_ stream: StreamName) -> Bool {
        guard streams.isEmpty || streams.contains(stream) else { return false }
        return !eitherTypes.isEmpty || eitherStreams.isEmpty || eitherStreams.contains(stream)
    }

    /// Whether time, type and person of an event match.
    public func includes(_ event: Event, on stream: StreamName) -> Bool {
        if let since, event.time < since { return false }
        if let person, event.body.person?.description != person { return false }
        let type = event.kind.type
        guard types.isEmpty || types.contains(where: { type.hasPrefix($0) }) else { return false }
        return (eitherStreams.isEmpty && eitherTypes.isEmpty) || eitherStreams.contains(stream)
            || eitherTypes.contains { type.hasPrefix($0) }
    }

    /// Whether an event names the circle, or is about one of its members.
    ///
    /// - Parameters:
    ///   - cloudEvent: the same event as JSON
    ///   - isMember: returns whether a person is in that circle now
    public func matchesCircle(
        _ event: Event, _ cloudEvent: JSON, isMember: (PersonID) -> Bool
    ) -> Bool {
        guard let circle else { return true }
        if let person = event.body.person, isMember(person) { return true }
        return cloudEvent.mentions([circle])
    }
}

extension JSON {
    /// Whether any value in it equals one of the texts.
    public func mentions(_ texts: Set<String>) -> Bool {
        switch self {
        case .string(let text): texts.contains(text)
        case .array(let values): values.contains { $0.mentions(texts) }
        case .object(let members): members.contains { $0.value.mentions(texts) }
        case .null, .bool, .integer, .number: false
        }
    }
}
