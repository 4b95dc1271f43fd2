import Model

/// The state of all partitions that a process owns. Partitions are independent of each other.
public struct EvaluatorCore: Sendable {
    private let logics: EvaluatorLogics
    private var partitions: [PartitionState?]

    public init(logics: EvaluatorLogics = .current) {
        self.logics = logics
        partitions = Partition.all.map { _ in nil }
    }

    /// Handles one record of a partition's log and appends the resulting events to `outputs`.
    public mutating func handle(
        _ event: Event, in partition: Partition, into outputs: inout [Event]
    ) {
        invariant(
            partitions[Int(partition.number)] != nil, "the partition is not owned")
        partitions[Int(partition.number)]?.handle(event, into: &outputs)
    }

    /// Starts a partition at the first record of its log.
    public mutating func assign(_ partition: Partition) {
        partitions[Int(partition.number)] = PartitionState(logics: logics)
    }

    /// Starts a partition at a checkpoint, from its configuration and encoded state.
    ///
    /// - Throws: ``StateError``; the partition is then not owned.
    public mutating func restore(
        _ partition: Partition, configuration: [Event], state: [UInt8]
    ) throws(StateError) {
        partitions[Int(partition.number)] = nil
        partitions[Int(partition.number)] = try PartitionState(
            configuration: configuration, state: state, logics: logics)
    }

    /// Discards a partition that is no longer owned.
    public mutating func revoke(_ partition: Partition) {
        partitions[Int(partition.number)] = nil
    }

    /// The state of a partition; nil if it is not owned.
    public subscript(partition: Partition) -> PartitionState? {
        _read { yield partitions[Int(partition.number)] }
    }

    /// Number of zones that are not evaluated because this program does not know their geometry
    /// format.
    public var unreadableZones: Int { sum(\.unreadableZones) }

    /// Number of known people and circles in all partitions; a circle counts once per partition.
    public var people: Int { sum(\.peopleCount) }
    public var circles: Int { sum(\.circleCount) }

    private func sum(_ count: (PartitionState) -> Int) -> Int {
        partitions.reduce(0) { $0 + ($1.map(count) ?? 0) }
    }
}
