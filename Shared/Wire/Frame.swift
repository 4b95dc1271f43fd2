import Model

/// The twelve-byte header of every frame.
struct FrameHead {
    /// What a frame is.
    enum FrameType: UInt8 {
        case data = 1
        case heads = 2
        case control = 3
        case proposal = 4
    }

    static let headsTopic = Array("heads--|".utf8)
    static let controlTopic = Array("control|".utf8)

    var topic: [UInt8]
    var type: FrameType
    /// The verb of a control frame; 0 in other frames.
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
        topic = try reader.bytes(8)
        let version = try reader.number(UInt8.self)
        guard version == WireLimits.version else {
            throw WireError(.version, reader.operation, "protocol version \(version)")
        }
        let code = try reader.number(UInt8.self)
        verb = try reader.number()
        let reserved = try reader.number(UInt8.self)
        guard let type = FrameType(rawValue: code), reserved == 0 else {
            throw WireError(.unknown, reader.operation, "unknown frame type")
        }
        self.type = type
    }

    /// Throws unless the topic is the expected one.
    func expect(_ topic: [UInt8]) throws(WireError) {
        guard self.topic == topic else {
            throw WireError(.unknown, "read frame", "topic does not match the frame type")
        }
    }
}

/// Extents of all streams of a publisher; sent periodically, so that a missing frame indicates a
/// fault.
public struct Heads: Hashable, Sendable {
    public var published: Timestamp
    public var extents: [Extent]

    /// Subscribed by every consumer.
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

/// A decoded frame.
public enum Frame: Hashable, Sendable {
    case batch(Batch)
    case heads(Heads)
    case control(Control)
    case proposal(Proposal)

    /// - Throws: ``WireError`` for anything but one valid frame
    public init(_ bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes, operation: "read frame")
        let head = try FrameHead(from: &reader, count: bytes.count)
        switch head.type {
        case .data: self = .batch(try Batch(head, from: &reader))
        case .proposal: self = .proposal(try Proposal(head, from: &reader))
        case .heads:
            try head.expect(Heads.topic)
            self = .heads(try Heads(from: &reader))
        case .control:
            try head.expect(FrameHead.controlTopic)
            self = .control(try Control(verb: head.verb, from: &reader))
        }
    }
}
