import Model

/// Who saw whose position: one row a person, viewer and hour.
///
/// A phone asks every few minutes and sees the same people: as long as nothing but the time has
/// changed, nothing is written.
struct AccessLog {
    /// One way of looking: a viewer, and the circle looked at or nil for all of them.
    private struct Look: Hashable {
        let viewer: PersonID?
        let circle: CircleID?
    }

    private var hour: Int64 = 0
    /// Digest of the people seen in this hour.
    private var seen: [Look: UInt64] = [:]

    /// Notes that a viewer (nil = the operator) was shown the positions of these people.
    mutating func note(
        _ people: [PersonID], by viewer: PersonID?, in circle: CircleID? = nil, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let current = now.seconds / 3600
        if current != hour {
            hour = current
            seen.removeAll(keepingCapacity: true)
        }
        let digest = people.reduce(UInt64(people.count)) { $0 &* 31 &+ $1.raw.low }
        let look = Look(viewer: viewer, circle: circle)
        guard !people.isEmpty, seen.updateValue(digest, forKey: look) != digest else { return }
        for person in people {
            effects.append(
                .saveAccess(AccessRow(person: person, viewer: viewer, hour: current)))
        }
    }
}
