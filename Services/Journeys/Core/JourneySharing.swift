import Directory
import Model

/// Stores which circles may see people on a journey, whenever that changes.
struct JourneySharing: Sendable {
    /// What was stored last for each person.
    private var sights: [PersonID: [JourneySight]] = [:]
    /// People whose sharing must be re-evaluated, and since when it may have changed.
    private var unchecked: [PersonID: Timestamp] = [:]

    /// - Parameter travellers: people with an open journey
    init(travellers: [PersonID]) {
        for person in travellers { unchecked[person] = .distantFuture }
    }

    /// A journey starts.
    mutating func begin(
        _ span: JourneySpan, of person: PersonID, _ turn: inout Turn<Journeys.Effect>
    ) {
        sights[person] = nil
        store(person, span, since: span.started, &turn)
    }

    /// The person's open journey ends.
    mutating func end(_ person: PersonID) {
        sights[person] = nil
        unchecked[person] = nil
    }

    /// Marks people on a journey whose sharing may change with the directory.
    ///
    /// - Parameter spans: the journeys of each person, ascending
    mutating func recordChange(
        _ change: EventBody, at time: Timestamp, before directory: Replica,
        of spans: [PersonID: [JourneySpan]]
    ) {
        var members: [Membership] = []
        if case .circleChanged(let circle) = change {
            members = circle.members + (directory.circle(circle.id)?.members ?? [])
        } else if case .circleRemoved(let removal) = change {
            members = directory.circle(removal.circle)?.members ?? []
        }
        for member in members where spans[member.person]?.last?.isOpen == true {
            unchecked[member.person] = min(unchecked[member.person] ?? time, time)
        }
    }

    /// Stores the sharing of people whose circles have changed.
    mutating func update(
        _ spans: [PersonID: [JourneySpan]], _ turn: inout Turn<Journeys.Effect>
    ) {
        guard !unchecked.isEmpty else { return }
        for (person, since) in unchecked.sorted(by: { $0.key < $1.key }) {
            guard let span = spans[person]?.last, span.isOpen else { continue }
            store(person, span, since: max(span.started, min(since, turn.now)), &turn)
        }
        unchecked.removeAll()
    }

    private mutating func store(
        _ person: PersonID, _ span: JourneySpan, since: Timestamp,
        _ turn: inout Turn<Journeys.Effect>
    ) {
        let seen = JourneySharing.sights(of: person, since: since, in: turn.directory)
        if let known = sights[person], JourneySharing.matchesExpectation(seen, known) { return }
        sights[person] = seen
        turn.emit(.save(.sights(seen, number: span.number)))
    }

    /// Whether the sharing matches what was stored as expected.
    private static func matchesExpectation(_ seen: [JourneySight], _ known: [JourneySight]) -> Bool
    {
        guard let first = seen.first,
            let index = known.lastIndex(where: { $0.since <= first.since })
        else { return false }
        return known[index].circles == first.circles && known[(index + 1)...] == seen.dropFirst()
    }

    /// Who sees a person's exact position from a time on, including pauses that end by themselves.
    private static func sights(
        of person: PersonID, since: Timestamp, in directory: Replica
    ) -> [JourneySight] {
        var shared: [(circle: CircleID, from: Timestamp)] = []
        for id in directory.circles(of: person) {
            let member = directory.circle(id)?.member(person)
            if let from = member?.exactlyShared(from: since) { shared.append((id, from)) }
        }
        let times = Set(shared.map(\.from) + [since]).sorted()
        return times.map { time in
            JourneySight(
                since: time, circles: shared.filter { $0.from <= time }.map(\.circle).sorted())
        }
    }
}
