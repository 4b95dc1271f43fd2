import Model

/// The partitions that a process owns, each a world of its own.
public struct EvaluatorCore: Sendable {
    private let logics: EvaluatorLogics
    private var partitions: [PartitionState?]

    public init(logics: EvaluatorLogics = .current) {
        self.logics = logics
        partitions = Partition.all.map { _ in nil }
    }

    /// Takes one record of a partition's log; what it leads to is appended to `outputs`, in order.
    public mutating func handle(
        _ event: Event, in partition: Partition, into outputs: inout [Event]
    ) {
        invariant(
            partitions[Int(partition.number)] != nil, "records are of partitions that are owned")
        partitions[Int(partition.number)]?.handle(event, into: &outputs)
    }

    /// Owns a partition from the first record of its log on.
    public mutating func begin(_ partition: Partition) {
        partitions[Int(partition.number)] = PartitionState(logics: logics)
    }

    /// Owns a partition from a position on, by its configuration and its state there.
    ///
    /// - Throws: ``StateError``; the partition is then not owned.
    public mutating func restore(
        _ partition: Partition, configuration: [Event], state: [UInt8]
    ) throws(StateError) {
        partitions[Int(partition.number)] = nil
        partitions[Int(partition.number)] = try PartitionState(
            configuration: configuration, state: state, logics: logics)
    }

    /// Owns a partition no longer, and forgets all of it.
    public mutating func drop(_ partition: Partition) {
        partitions[Int(partition.number)] = nil
    }

    /// What is known of a partition; nil where it is not owned.
    public subscript(partition: Partition) -> PartitionState? {
        _read { yield partitions[Int(partition.number)] }
    }

    /// Zones that judge nobody because their geometry has a format this program does not know.
    public var unreadableZones: Int { sum(\.unreadableZones) }

    /// People and circles known, in all partitions; a circle counts in each.
    public var people: Int { sum(\.peopleCount) }
    public var circles: Int { sum(\.circleCount) }

    private func sum(_ count: (PartitionState) -> Int) -> Int {
        partitions.reduce(0) { $0 + ($1.map(count) ?? 0) }
    }
}
