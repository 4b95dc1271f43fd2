import Model

/// A partition held by a member, as reported by the member.
public struct Lease: Hashable, Sendable {
    /// The progress of the member.
    public enum State: UInt8, Sendable {
        /// Reads the checkpoint or later records.
        case restoring = 0
        /// Has evaluated the log up to its end.
        case live = 1
        /// The member derives different records than the publisher has; assign the partition to
        /// another one.
        case failed = 2
    }

    public var partition: Partition
    /// Epoch of the assignment.
    public var epoch: UInt64
    public var state: State
    /// The last evaluated position of `in/p`.
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

/// A partition assigned to a member.
public struct Assignment: Hashable, Sendable {
    public var partition: Partition
    /// Counts the owners of the partition; informational only.
    public var epoch: UInt64

    public init(partition: Partition, epoch: UInt64) {
        self.partition = partition
        self.epoch = epoch
    }
}

extension Control {
    /// Writes the body of `JOIN`, `RENEW`, `LEAVE` or `ASSIGN`; nothing for other verbs.
    func writeOwnership(to writer: inout ByteWriter) {
        switch self {
        case .join(let member, let logic):
            writer.put(member)
            writer.put(logic)
        case .renew(let member, let logic, let leases):
            writer.put(member)
            writer.put(logic)
            writer.put(UInt16(leases.count))
            for lease in leases { lease.write(to: &writer) }
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
            var leases: [Lease] = []
            let count = try reader.number(UInt16.self)
            guard count <= WireLimits.leasesMax else {
                throw WireError(.oversized, reader.operation, "\(count) leases")
            }
            for _ in 0..<count {
                leases.append(try Lease(from: &reader))
            }
            return .renew(member: member, logic: logic, leases: leases)
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

extension Lease {
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
            throw WireError(.unknown, reader.operation, "unknown lease state")
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
    /// Writes a range of logic versions.
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
            throw WireError(.payload, operation, "logic versions from \(lowest) to \(highest)")
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
