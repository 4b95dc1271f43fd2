import Directory
import Model

/// The end of an emergency in one circle while it stays active in others.
package struct CircleEnd: Hashable, Sendable, Codable {
    package var circle: CircleID
    package var by: PersonID
    package var at: Timestamp
}

extension Emergency {
    /// Circles in which it has ended, ids ascending.
    var endedCircles: [CircleID] { (circleEnds ?? []).map(\.circle).sorted() }

    /// Circles in which it is active, ids ascending.
    ///
    /// These are the person's circles with at least one other member who may learn of it, minus
    /// those in which it has ended.
    func circlesGoingOn(in directory: Replica) -> [CircleID] {
        guard state.isActive else { return [] }
        let directory = directory.seen(by: self)
        let ended = endedCircles
        return directory.circles(of: person).filter { id in
            !ended.contains(id)
                && directory.circle(id).map { circle in
                    Recipients.helpers(of: person, in: circle).contains {
                        !directory.hidesEmergencies(of: person, from: $0.person)
                    }
                } ?? false
        }
    }

    /// Whether it is active for a recipient, that is in a circle that they share with the person.
    ///
    /// For a recipient who shares no circle with the person any more, it ends when it ends for all.
    func goesOn(for recipient: PersonID, in directory: Replica) -> Bool {
        guard state.isActive else { return false }
        let common = directory.seen(by: self).circles(of: person, answeredBy: recipient)
        guard !common.isEmpty else { return true }
        let ended = endedCircles
        return common.contains { !ended.contains($0) }
    }

    /// Whether it has ended for somebody, that is in all circles that they share with the person.
    /// False for the operator (nil).
    func isOver(for recipient: PersonID?, _ directory: Replica) -> Bool {
        recipient.map { !goesOn(for: $0, in: directory) } ?? false
    }

    /// How it ended for a recipient for whom it is over while it is active for others.
    func end(for recipient: PersonID, in directory: Replica) -> CircleEnd? {
        guard !goesOn(for: recipient, in: directory) else { return nil }
        let common = directory.seen(by: self).circles(of: person, answeredBy: recipient)
        return (circleEnds ?? []).last { common.contains($0.circle) }
    }
}
