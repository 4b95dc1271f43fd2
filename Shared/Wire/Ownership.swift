import Model

/// A partition that a member has, as it says itself.
public struct Holding: Hashable, Sendable {
    /// How far the member is with it.
    public enum State: UInt8, Sendable {
        /// Its checkpoint, or what came since, is being read.
        case restoring = 0
        /// Everything that there was is evaluated.
        case live = 1
        /// The member computes something else than the keeper has: somebody else should have it.
        case failed = 2
    }

    public var partition: Partition
    /// Of the assignment by which it came.
    public var epoch: UInt64
    public var state: State
    /// The last record of `in/p` that the member has evaluated.
    public var applied: Position

    public init(
        partition: Partition, epoch: UInt64, state: State, applied: Position = .unknown
    ) {
        self.partition = partition
        self.epoch = epoch
        self.state = state
        self.applied = applied
    }
}

/// A partition that a member shall have.
public struct Assignment: Hashable, Sendable {
    public var partition: Partition
    /// Counts the owners of the partition. It says whom to ask, and nothing depends on it.
    public var epoch: UInt64

    public init(partition: Partition, epoch: UInt64) {
        self.partition = partition
        self.epoch = epoch
    }
}

extension Control {
    /// Writes the body of `JOIN`, `RENEW`, `LEAVE` or `ASSIGN`; of other verbs nothing.
    func writeOwnership(to writer: inout ByteWriter) {
        switch self {
        case .join(let member, let logic):
            writer.put(member)
            writer.put(logic)
        case .renew(let member, let logic, let holdings):
            writer.put(member)
            writer.put(logic)
            writer.put(UInt16(holdings.count))
            for holding in holdings { holding.write(to: &writer) }
        case .leave(let member): writer.put(member)
        case .assign(let member, let logic, let assignments):
            writer.put(member)
            writer.put(logic)
            writer.put(UInt16(assignments.count))
            for assignment in assignments { assignment.write(to: &writer) }
        default: break
        }
    }

    /// Reads the body of `JOIN`, `RENEW`, `LEAVE` or `ASSIGN`.
    static func ownership(
        _ verb: Verb, from reader: inout ByteReader
    ) throws(WireError) -> Control {
        let member = try reader.id()
        switch verb {
        case .join: return .join(member: member, logic: try reader.logic())
        case .renew:
            let logic = try reader.logic()
            var holdings: [Holding] = []
            let count = try reader.number(UInt16.self)
            guard count <= WireLimits.holdingsMax else {
                throw WireError(.oversized, reader.operation, "\(count) partitions of a member")
            }
            for _ in 0..<count {
                holdings.append(try Holding(from: &reader))
            }
            return .renew(member: member, logic: logic, holdings: holdings)
        case .assign:
            let logic = try reader.number(UInt16.self)
            var assignments: [Assignment] = []
            for _ in 0..<(try reader.number(UInt16.self)) {
                assignments.append(
                    Assignment(partition: try reader.partition(), epoch: try reader.number()))
            }
            return .assign(member: member, logic: logic, assignments: assignments)
        default: return .leave(member: member)
        }
    }
}

extension Holding {
    func write(to writer: inout ByteWriter) {
        writer.put(partition.number)
        writer.put(epoch)
        writer.put(state.rawValue)
        applied.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        partition = try reader.partition()
        epoch = try reader.number()
        guard let state = State(rawValue: try reader.number()) else {
            throw WireError(.unknown, reader.operation, "a state that nobody knows")
        }
        self.state = state
        applied = try Position(from: &reader)
    }
}

extension Assignment {
    func write(to writer: inout ByteWriter) {
        writer.put(partition.number)
        writer.put(epoch)
    }
}

extension ByteWriter {
    /// Versions of the logic, from the lowest to the highest.
    mutating func put(_ logic: ClosedRange<UInt16>) {
        put(logic.lowerBound)
        put(logic.upperBound)
    }
}

extension ByteReader {
    mutating func logic() throws(WireError) -> ClosedRange<UInt16> {
        let lowest = try number(UInt16.self)
        let highest = try number(UInt16.self)
        guard lowest <= highest else {
            throw WireError(.payload, operation, "versions from \(lowest) to \(highest)")
        }
        return lowest...highest
    }

    mutating func partition() throws(WireError) -> Partition {
        let number = try number(UInt8.self)
        guard let partition = Partition(Int(number)) else {
            throw WireError(.unknown, operation, "partition \(number)")
        }
        return partition
    }
}
