import Model

/// A stream of records, served by one service.
public enum StreamName: Hashable, Sendable {
    /// Inputs of a partition for its evaluator; served by ingest.
    case input(Partition)
    /// Decisions of a partition's evaluator; served by ingest, derived by the owner of the
    /// partition.
    case events(Partition)
    /// Panics and their cancellations, bypassing evaluators; served by ingest.
    case sos
    /// People, devices, circles, zones; served by membership.
    case directory
    /// Expired deadlines and watch events; served by timer.
    case deadlines
    /// Delivery receipts, acknowledgements, escalations; served by notifier.
    case deliveries
    /// Which credentials were used; served by ingest.
    case usage

    /// All streams, ordered by ``code``.
    public static let all: [StreamName] =
        Partition.all.map { .input($0) } + Partition.all.map { .events($0) }
        + [.sos, .directory, .deadlines, .deliveries, .usage]

    /// A permanent small number, used in tables.
    public var code: Int {
        switch self {
        case .input(let partition): Int(partition.number)
        case .events(let partition): 64 + Int(partition.number)
        case .sos: 128
        case .directory: 129
        case .deadlines: 130
        case .deliveries: 131
        case .usage: 132
        }
    }

    public init?(code: Int) {
        guard StreamName.all.indices.contains(code) else { return nil }
        self = StreamName.all[code]
    }

    /// The stream's name: `in/17`, `events/17`, `sos`, `directory`, `deadlines`, `deliveries`,
    /// `usage`.
    public var text: String {
        switch self {
        case .input(let partition): "in/\(partition)"
        case .events(let partition): "events/\(partition)"
        case .sos: "sos"
        case .directory: "directory"
        case .deadlines: "deadlines"
        case .deliveries: "deliveries"
        case .usage: "usage"
        }
    }

    /// Parses ``text``; nil for anything else.
    public init?(text: some StringProtocol) {
        guard let stream = StreamName.byText[String(text)] else { return nil }
        self = stream
    }

    /// The eight bytes at the start of its frames.
    ///
    /// All topics have the same length, because subscriptions match prefixes: `in/1` would also
    /// match `in/17`.
    public var topic: [UInt8] {
        switch self {
        case .input(let partition): Array("in---\(StreamName.twoDigits(partition))|".utf8)
        case .events(let partition): Array("ev---\(StreamName.twoDigits(partition))|".utf8)
        case .sos: Array("sos----|".utf8)
        case .directory: Array("dir----|".utf8)
        case .deadlines: Array("dline--|".utf8)
        case .deliveries: Array("deliv--|".utf8)
        case .usage: Array("usage--|".utf8)
        }
    }

    /// Parses ``topic``; nil for anything else.
    public init?(topic: some Collection<UInt8>) {
        guard topic.count == 8, let stream = StreamName.byTopic[Array(topic)] else { return nil }
        self = stream
    }

    private static let byText = Dictionary(uniqueKeysWithValues: all.map { ($0.text, $0) })
    private static let byTopic = Dictionary(uniqueKeysWithValues: all.map { ($0.topic, $0) })

    private static func twoDigits(_ partition: Partition) -> String {
        partition.number < 10 ? "0\(partition.number)" : "\(partition.number)"
    }
}

extension StreamName: Comparable, CustomStringConvertible, Codable {
    public static func < (left: Self, right: Self) -> Bool { left.code < right.code }

    public var description: String { text }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let stream = StreamName(text: text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "not a stream name such as in/17"))
        }
        self = stream
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
