import Model
import Wire

// Lists of assignments and versions that members get.
extension Coordinator {
    /// Emits the newest version that every member can switch to and that this release knows. A log
    /// with a newer version could not be read by any evaluator.
    func raiseLogic(into effects: inout [Effect]) {
        guard let common = members.values.map(\.logic.upperBound).min(),
            members.values.allSatisfy({ $0.logic.contains(logic) })
        else { return }
        let newest = min(common, logicNewest)
        if newest > logic { effects.append(.raise(logic: newest)) }
    }

    /// Emits the assignments of members whose list changed, and of the one that asked.
    mutating func emitAssignments(answering answered: ID128?, into effects: inout [Effect]) {
        for id in members.keys.sorted() {
            let list = assignments(of: id)
            guard id == answered || members[id]?.sent != list else { continue }
            members[id]?.sent = list
            effects.append(.assign(member: id, logic: logic, assignments: list))
        }
    }

    /// The assignments of a member, ordered by partition.
    public func assignments(of member: ID128) -> [Assignment] {
        partitions.compactMap { partition in
            partitionLease(of: member, at: partition).map {
                Assignment(partition: partition, epoch: $0.epoch)
            }
        }
    }
}
