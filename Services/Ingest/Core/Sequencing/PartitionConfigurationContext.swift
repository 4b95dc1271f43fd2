import Directory
import Hashing
import Model

/// What distribution reads and appends to during one call.
struct PartitionConfigurationContext {
    /// First device that reported, of every person.
    let firstDevices: Table<PersonID, DeviceID>
    var sequencer: Sequencer
    var turn: Turn<Effect>

    var directory: Replica { turn.directory }

    /// A circle as evaluators need it.
    func circle(_ id: CircleID) -> ConfiguredCircle {
        ConfiguredCircle(circle: id, zones: directory.zones(of: id).map { ConfiguredZone($0) })
    }

    /// A person as evaluators need them; nil if removed.
    func person(_ id: PersonID) -> ConfiguredPerson? {
        guard directory.person(id) != nil else { return nil }
        return ConfiguredPerson(
            person: id, primaryDevice: directory.primaryDevice(of: id, first: firstDevices[id]),
            circles: directory.circles(of: id),
            zones: directory.zones(of: id).map { ConfiguredZone($0) },
            sets: directory.sets(applyingTo: id), unshared: unshared(by: id),
            zoneOptOuts: directory.person(id)?.zoneOptOuts ?? [])
    }

    /// The circles with which a person does not share. Evaluators check the end of a pause, so the
    /// passing of time appends nothing.
    private func unshared(by id: PersonID) -> [UnsharedCircle] {
        directory.circles(of: id).compactMap { circle in
            switch directory.circle(circle)?.member(id)?.sharing {
            case .off: UnsharedCircle(circle: circle)
            case .pausedUntil(let end): UnsharedCircle(circle: circle, until: end)
            case .on, nil: nil
            }
        }
    }

    /// Partitions of the circle's joined members, ascending.
    func partitions(of circle: CircleID) -> [Partition] {
        let joined = (directory.circle(circle)?.members ?? []).filter {
            $0.joined != nil && directory.person($0.person) != nil
        }
        return Set(joined.map { Partition.of($0.person) }).sorted()
    }

    /// Partitions of joined members of circles that subscribe to a set, ascending.
    func partitions(of set: ZoneSetID) -> [Partition] {
        guard directory.set(set) != nil else { return [] }
        let circles = directory.circles(subscribedTo: set)
        return Set(circles.flatMap { partitions(of: $0) }).sorted()
    }

    /// Appends a record of configuration. Its id contains the time, because an object may return to
    /// an earlier state.
    mutating func append(
        _ body: EventBody, subject: ID128, cause: ID128 = .zero, to partition: Partition
    ) {
        let about = HashPart.parts(
            .number(partition.number), .id(subject), .number(turn.now.microseconds))
        let id = Hash.derivedID(kind: body.kind, person: nil, subject: about, cause: cause)
        sequencer.append(body, id: id, to: partition, &turn)
    }
}

extension Replica {
    /// The device whose fixes count for a person: the chosen one, otherwise the first that
    /// reported; nil if there is neither.
    func primaryDevice(of person: PersonID, first: DeviceID?) -> DeviceID? {
        if let chosen = chosenDevice(of: person) { return chosen }
        guard let first, owner(of: first) == person else { return nil }
        return first
    }
}
