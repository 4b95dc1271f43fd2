import Directory
import Model

extension Replica {
    /// Whether anybody else in the person's circles could be told something about this person.
    public func isSomebodyReachable(for person: PersonID) -> Bool {
        circles(of: person).contains { id in
            circle(id)?.members.contains { member in
                member.person != person && member.joined != nil
                    && self.person(member.person)?.contacts.isEmpty == false
            } ?? false
        }
    }
}
