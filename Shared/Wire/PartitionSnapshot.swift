import Model

/// The initial state for a new owner of a partition: the rows of a snapshot of `in/p`.
///
/// The configuration as of the checkpoint comes first, as records of the log, circles before the
/// people who need them; then the checkpoint. Without a checkpoint there are no rows, and the log
/// is read from the first record.
public struct PartitionSnapshot: Hashable, Sendable {
    /// Position and properties of the checkpoint.
    public struct Head: Hashable, Sendable {
        /// The last record of `events/p` that the state led to.
        public var output: Position
        public var logic: UInt16
        public var stateHash: UInt64

        public init(output: Position, logic: UInt16, stateHash: UInt64) {
            self.output = output
            self.logic = logic
            self.stateHash = stateHash
        }
    }

    /// A newer checkpoint, for verification by members that reach its position.
    public struct Audit: Hashable, Sendable {
        /// The last record of `in/p` that it includes.
        public var input: Position
        public var stateHash: UInt64

        public init(input: Position, stateHash: UInt64) {
            self.input = input
            self.stateHash = stateHash
        }
    }

    /// Kinds of rows that are not events.
    private enum Kind {
        static let head: UInt16 = 0xFF01
        static let state: UInt16 = 0xFF02
        static let audit: UInt16 = 0xFF03
    }

    /// Records of the kinds `jaga.input.circle` and `jaga.input.person`.
    public var configuration: [Record]
    public var head: Head
    /// ``Checkpoint/state``.
    public var state: [UInt8]
    public var audit: Audit?

    public init(configuration: [Record], head: Head, state: [UInt8], audit: Audit? = nil) {
        self.configuration = configuration
        self.head = head
        self.state = state
        self.audit = audit
    }

    /// The rows of the snapshot.
    public var records: [Record] {
        var records = configuration
        records.append(
            record(Kind.head) { writer in
                head.output.write(to: &writer)
                writer.put(head.logic)
                writer.put(head.stateHash)
                writer.put(UInt32(state.count))
            })
        for start in stride(from: 0, to: state.count, by: WireLimits.stateRowBytesMax) {
            let end = min(start + WireLimits.stateRowBytesMax, state.count)
            records.append(record(Kind.state) { $0.put(Array(state[start..<end])) })
        }
        if let audit {
            records.append(
                record(Kind.audit) { writer in
                    audit.input.write(to: &writer)
                    writer.put(audit.stateHash)
                })
        }
        return records
    }

    private func record(_ kind: UInt16, _ write: (inout ByteWriter) -> Void) -> Record {
        var writer = ByteWriter(capacity: 64)
        write(&writer)
        return Record(kind: kind, schema: 1, id: .zero, payload: writer.bytes)
    }

    /// Decodes rows; nil without rows, which means that there is no checkpoint.
    ///
    /// - Throws: ``WireError`` for malformed or incomplete rows
    public init?(records: [Record]) throws(WireError) {
        guard !records.isEmpty else { return nil }
        let operation = "read partition snapshot"
        var size: UInt32?
        var head: Head?
        configuration = []
        state = []
        for record in records {
            var reader = ByteReader(record.payload, operation: operation)
            switch record.kind {
            case Kind.head:
                head = Head(
                    output: try Position(from: &reader), logic: try reader.number(),
                    stateHash: try reader.number())
                size = try reader.number()
                try reader.finish()
            case Kind.state: state += record.payload
            case Kind.audit:
                audit = Audit(
                    input: try Position(from: &reader), stateHash: try reader.number())
                try reader.finish()
            default: configuration.append(record)
            }
        }
        guard let head, let size, state.count == size else {
            throw WireError(.truncated, operation, "the state has \(state.count) bytes")
        }
        self.head = head
    }
}
