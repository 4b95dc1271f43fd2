import Directory
import Model

/// A membership of the person in danger as it was when an emergency under duress opened.
///
/// Somebody may force them to leave a circle, to pause or to share less. For the recipients of the
/// emergency nothing of that happens until it ends.
package struct KeptMembership: Hashable, Sendable, Codable {
    var circle: CircleID
    var membership: Membership
}

extension Replica {
    /// The memberships of a person now, circles ascending.
    func memberships(of person: PersonID) -> [KeptMembership] {
        circles(of: person).compactMap { id in
            circle(id)?.member(person).map { KeptMembership(circle: id, membership: $0) }
        }
    }

    /// The directory as the recipients of an emergency see it: under duress its person has the
    /// memberships that they had when it opened.
    func seen(by emergency: Emergency) -> Replica {
        guard let kept = emergency.keptMemberships else { return self }
        var seen = self
        for one in kept {
            guard var circle = circle(one.circle),
                circle.member(emergency.person) != one.membership
            else { continue }
            circle.members.removeAll { $0.person == emergency.person }
            circle.members.append(one.membership)
            seen.apply(.circleChanged(circle))
        }
        return seen
    }
}
