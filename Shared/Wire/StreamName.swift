import Model

/// A named, ordered, dense sequence of records that one service keeps.
public enum StreamName: Hashable, Sendable {
    /// What an evaluator may know of a partition's people; kept by ingest.
    case input(Partition)
    /// What evaluators decided; kept by ingest, computed by the owner of the partition.
    case events(Partition)
    /// Panics and their cancels, past the evaluators; kept by ingest.
    case sos
    /// People, devices, circles, zones; kept by membership.
    case directory
    /// Due clocks, news of watches; kept by timer.
    case fired
    /// Receipts, acknowledgements, news of ladders; kept by notifier.
    case deliveries

    /// Every stream of the suite, in the order of ``code``.
    public static let all: [StreamName] =
        Partition.all.map { .input($0) } + Partition.all.map { .events($0) }
        + [.sos, .directory, .fired, .deliveries]

    /// A small number for tables; for good.
    public var code: Int {
        switch self {
        case .input(let partition): Int(partition.number)
        case .events(let partition): 64 + Int(partition.number)
        case .sos: 128
        case .directory: 129
        case .fired: 130
        case .deliveries: 131
        }
    }

    public init?(code: Int) {
        guard StreamName.all.indices.contains(code) else { return nil }
        self = StreamName.all[code]
    }

    /// `in/17`, `events/17`, `sos`, `directory`, `fired`, `deliveries`.
    public var text: String {
        switch self {
        case .input(let partition): "in/\(partition)"
        case .events(let partition): "events/\(partition)"
        case .sos: "sos"
        case .directory: "directory"
        case .fired: "fired"
        case .deliveries: "deliveries"
        }
    }

    /// Reads what ``text`` writes; nil for anything else.
    public init?(text: some StringProtocol) {
        guard let stream = StreamName.byText[String(text)] else { return nil }
        self = stream
    }

    /// The eight bytes with which its frames begin. All are as long as each other, because
    /// subscriptions match prefixes: `in/1` would also hear `in/17`.
    public var topic: [UInt8] {
        switch self {
        case .input(let partition): Array("in---\(StreamName.twoDigits(partition))|".utf8)
        case .events(let partition): Array("ev---\(StreamName.twoDigits(partition))|".utf8)
        case .sos: Array("sos----|".utf8)
        case .directory: Array("dir----|".utf8)
        case .fired: Array("fired--|".utf8)
        case .deliveries: Array("deliv--|".utf8)
        }
    }

    /// Reads what ``topic`` writes; nil for anything else.
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
                    codingPath: decoder.codingPath, debugDescription: "not a stream such as in/17"))
        }
        self = stream
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
