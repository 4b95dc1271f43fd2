import Model

/// All partitions that a process evaluates, each a world of its own.
public struct EvaluatorCore: Sendable {
    private var partitions: [PartitionState]

    public init(rules: EvaluatorRules = EvaluatorRules()) {
        partitions = Partition.all.map { _ in PartitionState(rules: rules) }
    }

    /// Takes one record of a partition's log; what it leads to is appended to `outputs`, in order.
    public mutating func handle(
        _ event: Event, in partition: Partition, into outputs: inout [Event]
    ) {
        partitions[Int(partition.number)].handle(event, into: &outputs)
    }

    /// Forgets all that is known of a partition, before its log is read again.
    public mutating func reset(_ partition: Partition) {
        let rules = partitions[Int(partition.number)].rules
        partitions[Int(partition.number)] = PartitionState(rules: rules)
    }

    /// The logic version that a partition's log asks for and this program does not have.
    public func unknownLogic(in partition: Partition) -> Int? {
        partitions[Int(partition.number)].unknownLogic
    }

    /// Zones that judge nobody because their geometry has a format this program does not know.
    public var unreadableZones: Int { partitions.reduce(0) { $0 + $1.unreadableZones } }

    /// People and circles known, in all partitions; a circle counts in each.
    public var people: Int { partitions.reduce(0) { $0 + $1.people.count } }
    public var circles: Int { partitions.reduce(0) { $0 + $1.circles.count } }
}
