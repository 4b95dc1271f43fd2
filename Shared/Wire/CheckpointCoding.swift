import Model

extension CheckpointPiece {
    func write(to writer: inout ByteWriter) {
        writer.put(member)
        writer.put(partition.number)
        writer.put(epoch)
        writer.put(id)
        input.write(to: &writer)
        output.write(to: &writer)
        writer.put(logic)
        writer.put(stateHash)
        writer.put(size)
        writer.put(offset)
        writer.put(UInt32(bytes.count))
        writer.put(bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        member = try reader.id()
        partition = try reader.partition()
        epoch = try reader.number()
        id = try reader.id()
        input = try Position(from: &reader)
        output = try Position(from: &reader)
        logic = try reader.number()
        stateHash = try reader.number()
        size = try reader.number()
        offset = try reader.number()
        let count = try reader.number(UInt32.self)
        guard count <= WireLimits.pieceBytesMax, size <= WireLimits.checkpointBytesMax else {
            throw WireError(
                .oversized, reader.operation, "piece of \(count) bytes, state of \(size) bytes")
        }
        bytes = try reader.bytes(Int(count))
        guard UInt64(offset) + UInt64(count) <= UInt64(size) else {
            throw WireError(
                .payload, reader.operation, "\(count) bytes at \(offset) exceed the size of \(size)"
            )
        }
    }
}

extension CheckpointReply {
    private enum Code: UInt8 {
        case more = 0
        case stored = 1
        case rejected = 2
    }

    func write(to writer: inout ByteWriter) {
        writer.put(partition.number)
        writer.put(id)
        switch verdict {
        case .more(let next):
            writer.put(Code.more.rawValue)
            writer.put(next)
        case .stored: writer.put(Code.stored.rawValue)
        case .rejected(let reason):
            writer.put(Code.rejected.rawValue)
            writer.put(short: reason)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        partition = try reader.partition()
        id = try reader.id()
        switch Code(rawValue: try reader.number()) {
        case .more: verdict = .more(next: try reader.number())
        case .stored: verdict = .stored
        case .rejected: verdict = .rejected(try reader.shortText())
        case nil: throw WireError(.unknown, reader.operation, "unknown verdict")
        }
    }
}
