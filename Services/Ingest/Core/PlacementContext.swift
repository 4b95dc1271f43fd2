import Directory
import Hashing
import Model

/// What placing needs of the rest of ingest, for one call; the results are taken back after it.
struct PlacementContext {
    let directory: Replica
    /// First device that reported, of every person.
    let firstDevices: Table<PersonID, DeviceID>
    let now: Timestamp
    var sequencer: Sequencer
    var effects: [Effect] = []

    /// A circle as evaluators need it.
    func circle(_ id: CircleID) -> PlacedCircle {
        PlacedCircle(circle: id, zones: directory.zones(of: id).map { PlacedZone($0) })
    }

    /// A person as evaluators need them; nil when they are gone.
    func person(_ id: PersonID) -> PlacedPerson? {
        guard directory.person(id) != nil else { return nil }
        return PlacedPerson(
            person: id, leadingDevice: directory.leadingDevice(of: id, first: firstDevices[id]),
            circles: directory.circles(of: id),
            zones: directory.zones(of: id).map { PlacedZone($0) },
            sets: directory.sets(judging: id), unshared: unshared(by: id),
            refused: directory.person(id)?.refusedZones ?? [])
    }

    /// The circles with which a person does not share. A pause stays here after its end, which is
    /// for evaluators to see: nothing is told again by time alone.
    private func unshared(by id: PersonID) -> [UnsharedCircle] {
        directory.circles(of: id).compactMap { circle in
            switch directory.circle(circle)?.member(id)?.sharing {
            case .off: UnsharedCircle(circle: circle)
            case .pausedUntil(let end): UnsharedCircle(circle: circle, until: end)
            case .on, nil: nil
            }
        }
    }

    /// Where a circle has somebody who has joined, ascending.
    func partitions(of circle: CircleID) -> [Partition] {
        let joined = (directory.circle(circle)?.members ?? []).filter {
            $0.joined != nil && directory.person($0.person) != nil
        }
        return Set(joined.map { Partition.of($0.person) }).sorted()
    }

    /// Where a circle that subscribes to a set has somebody who has joined, ascending.
    func partitions(of set: ZoneSetID) -> [Partition] {
        guard directory.set(set) != nil else { return [] }
        let circles = directory.circles(subscribedTo: set)
        return Set(circles.flatMap { partitions(of: $0) }).sorted()
    }

    /// Appends a record of configuration. Its id holds the time, as a thing may become what it was
    /// before.
    mutating func append(
        _ body: EventBody, subject: ID128, cause: ID128 = .zero, to partition: Partition
    ) {
        let about = HashPart.parts(
            .number(partition.number), .id(subject), .number(now.microseconds))
        let id = Hash.meaning(kind: body.kind, person: nil, subject: about, cause: cause)
        sequencer.append(body, id: id, to: partition, at: now, into: &effects)
    }
}

extension Replica {
    /// The device whose fixes count for a person: the one chosen, else the first that reported;
    /// nil as long as there is neither.
    func leadingDevice(of person: PersonID, first: DeviceID?) -> DeviceID? {
        if let chosen = chosenDevice(of: person) { return chosen }
        guard let first, owner(of: first) == person else { return nil }
        return first
    }
}
