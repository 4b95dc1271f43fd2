import Model
import Wire

// What members are to be told.
extension Coordinator {
    /// The newest version that every member can go over to from the present one, and that is known
    /// here: a log that went further than any evaluator would be read by nobody, for good.
    func raiseLogic(into effects: inout [Effect]) {
        guard let common = members.values.map(\.logic.upperBound).min(),
            members.values.allSatisfy({ $0.logic.contains(logic) })
        else { return }
        let newest = min(common, logicNewest)
        if newest > logic { effects.append(.raise(logic: newest)) }
    }

    /// Tells everybody whose list has changed, and who asked.
    mutating func tell(_ answered: ID128?, into effects: inout [Effect]) {
        for id in members.keys.sorted() {
            let list = assignments(of: id)
            guard id == answered || members[id]?.told != list else { continue }
            members[id]?.told = list
            effects.append(.assign(member: id, logic: logic, assignments: list))
        }
    }

    /// What a member has, or is to have; by partition.
    public func assignments(of member: ID128) -> [Assignment] {
        partitions.compactMap { partition in
            tenure(of: member, at: partition).map {
                Assignment(partition: partition, epoch: $0.epoch)
            }
        }
    }
}
