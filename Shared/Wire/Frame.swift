import Model

/// The twelve bytes with which every frame begins.
struct FrameHead {
    /// What a frame is.
    enum FrameType: UInt8 {
        case data = 1
        case heads = 2
        case control = 3
        case offer = 4
    }

    static let headsTopic = Array("heads--|".utf8)
    static let controlTopic = Array("control|".utf8)

    var topic: [UInt8]
    var type: FrameType
    /// The verb of a control frame; 0 in others.
    var verb: UInt8 = 0

    init(topic: [UInt8], type: FrameType, verb: UInt8 = 0) {
        self.topic = topic
        self.type = type
        self.verb = verb
    }

    func write(to writer: inout ByteWriter) {
        writer.put(topic)
        writer.put(WireLimits.version)
        writer.put(type.rawValue)
        writer.put(verb)
        writer.put(UInt8(0))
    }

    init(from reader: inout ByteReader, count: Int) throws(WireError) {
        guard count <= WireLimits.frameBytesMax else {
            throw WireError(.oversized, reader.operation, "a frame of \(count) bytes")
        }
        topic = try reader.take(8)
        let version = try reader.number(UInt8.self)
        guard version == WireLimits.version else {
            throw WireError(.version, reader.operation, "version \(version) of the protocol")
        }
        let code = try reader.number(UInt8.self)
        verb = try reader.number()
        let reserved = try reader.number(UInt8.self)
        guard let type = FrameType(rawValue: code), reserved == 0 else {
            throw WireError(.unknown, reader.operation, "a type that nobody knows")
        }
        self.type = type
    }

    /// Refuses a frame whose topic is not the one of its type.
    func expect(_ topic: [UInt8]) throws(WireError) {
        guard self.topic == topic else {
            throw WireError(.unknown, "read frame", "a topic that does not belong to its type")
        }
    }
}

/// Where all streams of a writer stand; sent so often that silence means something.
public struct Heads: Hashable, Sendable {
    public var published: Timestamp
    public var extents: [Extent]

    /// Subscribed by every consumer, besides the streams.
    public static let topic = FrameHead.headsTopic

    public init(published: Timestamp, extents: [Extent]) {
        self.published = published
        self.extents = extents
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 24 + extents.count * Extent.wireBytes)
        FrameHead(topic: Heads.topic, type: .heads).write(to: &writer)
        writer.put(published.microseconds)
        writer.put(UInt32(extents.count))
        for extent in extents { extent.write(to: &writer) }
        return writer.bytes
    }

    init(from reader: inout ByteReader) throws(WireError) {
        published = try reader.time()
        extents = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            if let extent = try Extent.read(from: &reader) { extents.append(extent) }
        }
        try reader.finish()
    }
}

/// Anything that comes in one frame.
public enum Frame: Hashable, Sendable {
    case batch(Batch)
    case heads(Heads)
    case control(Control)
    case offer(Offer)

    /// - Throws: ``WireError`` for whatever is not exactly one of them.
    public init(_ bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes, operation: "read frame")
        let head = try FrameHead(from: &reader, count: bytes.count)
        switch head.type {
        case .data: self = .batch(try Batch(head, from: &reader))
        case .offer: self = .offer(try Offer(head, from: &reader))
        case .heads:
            try head.expect(Heads.topic)
            self = .heads(try Heads(from: &reader))
        case .control:
            try head.expect(FrameHead.controlTopic)
            self = .control(try Control(verb: head.verb, from: &reader))
        }
    }
}
