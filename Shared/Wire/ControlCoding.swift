import Model

extension Control {
    enum Verb: UInt8 {
        case hello = 1
        case states = 2
        case replay = 3
        case acknowledge = 4
        case headsRequest = 5
        case snapshotRequest = 6
        case chunk = 7
        case end = 8
        case join = 9
        case renew = 10
        case leave = 11
        case assign = 12
        case checkpoint = 13
        case checkpointReply = 14
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        FrameHead(topic: FrameHead.controlTopic, type: .control, verb: verb.rawValue)
            .write(to: &writer)
        switch self {
        case .hello(let consumer, let entries), .acknowledge(let consumer, let entries):
            writer.put(short: consumer)
            writer.put(UInt16(entries.count))
            for entry in entries { entry.write(to: &writer) }
        case .states(let states):
            writer.put(UInt16(states.count))
            for state in states {
                writer.put(state.verdict.rawValue)
                state.position.write(to: &writer)
                state.extent.write(to: &writer)
            }
        case .replay(let consumer, let entry, let bytesMax):
            writer.put(short: consumer)
            entry.write(to: &writer)
            writer.put(bytesMax)
        case .headsRequest: break
        case .snapshotRequest(let consumer, let stream, let snapshot, let first):
            writer.put(short: consumer)
            writer.put(stream.topic)
            writer.put(snapshot)
            writer.put(first)
        case .chunk(let chunk): chunk.write(to: &writer)
        case .end(let end): end.write(to: &writer)
        case .join, .renew, .leave, .assign: writeOwnership(to: &writer)
        case .checkpoint(let piece): piece.write(to: &writer)
        case .checkpointReply(let reply): reply.write(to: &writer)
        }
        return writer.bytes
    }

    private var verb: Verb {
        switch self {
        case .hello: .hello
        case .states: .states
        case .replay: .replay
        case .acknowledge: .acknowledge
        case .headsRequest: .headsRequest
        case .snapshotRequest: .snapshotRequest
        case .chunk: .chunk
        case .end: .end
        case .join: .join
        case .renew: .renew
        case .leave: .leave
        case .assign: .assign
        case .checkpoint: .checkpoint
        case .checkpointReply: .checkpointReply
        }
    }

    init(verb code: UInt8, from reader: inout ByteReader) throws(WireError) {
        guard let verb = Verb(rawValue: code) else {
            throw WireError(.unknown, reader.operation, "verb \(code)")
        }
        switch verb {
        case .hello:
            self = .hello(
                consumer: try reader.consumer(), entries: try Control.entries(from: &reader))
        case .acknowledge:
            self = .acknowledge(
                consumer: try reader.consumer(), entries: try Control.entries(from: &reader))
        case .states: self = .states(try Control.states(from: &reader))
        case .replay:
            self = .replay(
                consumer: try reader.consumer(), from: try Entry(from: &reader),
                bytesMax: try reader.number())
        case .headsRequest: self = .headsRequest
        case .snapshotRequest:
            self = .snapshotRequest(
                consumer: try reader.consumer(), stream: try reader.stream(),
                snapshot: try reader.id(), first: try reader.number())
        case .chunk: self = .chunk(try Chunk(from: &reader))
        case .end: self = .end(try End(from: &reader))
        case .join, .renew, .leave, .assign:
            self = try Control.ownership(verb, from: &reader)
        case .checkpoint: self = .checkpoint(try CheckpointPiece(from: &reader))
        case .checkpointReply:
            self = .checkpointReply(try CheckpointReply(from: &reader))
        }
        try reader.finish()
    }

    private static func entries(from reader: inout ByteReader) throws(WireError) -> [Entry] {
        var entries: [Entry] = []
        for _ in 0..<(try reader.number(UInt16.self)) { entries.append(try Entry(from: &reader)) }
        return entries
    }

    private static func states(from reader: inout ByteReader) throws(WireError) -> [State] {
        var states: [State] = []
        for _ in 0..<(try reader.number(UInt16.self)) {
            guard let verdict = Verdict(rawValue: try reader.number()) else {
                throw WireError(.unknown, reader.operation, "unknown verdict")
            }
            let position = try Position(from: &reader)
            if let extent = try Extent.read(from: &reader) {
                states.append(State(verdict, on: position, extent))
            }
        }
        return states
    }
}

extension Control.Entry {
    func write(to writer: inout ByteWriter) {
        writer.put(stream.topic)
        position.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        stream = try reader.stream()
        position = try Position(from: &reader)
    }
}

extension Control.Chunk {
    func write(to writer: inout ByteWriter) {
        writer.put(stream.topic)
        writer.put(snapshot)
        writer.put(first)
        writer.put(UInt32(records.count))
        for record in records { record.write(to: &writer) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        stream = try reader.stream()
        snapshot = try reader.id()
        first = try reader.number()
        records = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            records.append(try Record(from: &reader))
        }
    }
}

extension Control.End {
    func write(to writer: inout ByteWriter) {
        writer.put(stream.topic)
        writer.put(snapshot)
        position.write(to: &writer)
        writer.put(rows)
        writer.put(digest)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        stream = try reader.stream()
        snapshot = try reader.id()
        position = try Position(from: &reader)
        rows = try reader.number()
        digest = try reader.number()
    }
}

extension ByteReader {
    mutating func stream() throws(WireError) -> StreamName {
        guard let stream = StreamName(topic: try bytes(8)) else {
            throw WireError(.unknown, operation, "unknown stream")
        }
        return stream
    }

    mutating func consumer() throws(WireError) -> String {
        let name = try shortText()
        guard !name.isEmpty, name.utf8.count <= WireLimits.nameBytesMax else {
            throw WireError(.oversized, operation, "consumer name of \(name.utf8.count) bytes")
        }
        return name
    }
}
