import Model

extension Replica {
    /// The events that build this replica from an empty one: people, devices, credentials, sets,
    /// circles, messages, zones, each with ids ascending. A snapshot of the `directory` stream.
    public func allEvents() -> [EventBody] {
        var events: [EventBody] = sortedPeople.map { .personChanged($0) }
        events += devices.values.sorted { $0.id < $1.id }.map { .deviceChanged($0) }
        events += credentials.values.sorted { $0.id < $1.id }.map { .credentialChanged($0) }
        events += sortedSets.map { .setChanged($0) }
        events += sortedCircles.map { .circleChanged($0) }
        events += messages.values.sorted { $0.id < $1.id }.map { .messageChanged($0) }
        events += zones.values.sorted { $0.id < $1.id }.map { .zoneChanged($0) }
        return events
    }

    /// The fewest events that turn one replica into the other: removals first, then changes in the
    /// order of a snapshot.
    ///
    /// - Returns: events that, applied to `old` in this order, make it equal to `new`.
    public static func difference(from old: Replica, to new: Replica) -> [EventBody] {
        var current = old
        var events: [EventBody] = []
        func take(_ candidates: [EventBody]) {
            for candidate in candidates where !current.apply(candidate).isEmpty {
                events.append(candidate)
            }
        }
        take(old.removals(towards: new))
        take(new.allEvents())
        return events
    }

    /// What is here and not there: owners first, as they take along what is theirs.
    private func removals(towards new: Replica) -> [EventBody] {
        func gone<ID: Comparable>(_ old: some Sequence<ID>, _ isThere: (ID) -> Bool) -> [ID] {
            old.filter { !isThere($0) }.sorted()
        }
        var events: [EventBody] = gone(people.keys, { new.people[$0] != nil }).map {
            .personRemoved(PersonRemoval(person: $0))
        }
        events += gone(circles.keys, { new.circles[$0] != nil }).map {
            .circleRemoved(CircleRemoval(circle: $0))
        }
        events += gone(devices.keys, { new.devices[$0] != nil }).map {
            .deviceRemoved(DeviceRemoval(device: $0))
        }
        events += gone(credentials.keys, { new.credentials[$0] != nil }).map {
            .credentialRemoved(CredentialRemoval(credential: $0))
        }
        events += gone(sets.keys, { new.sets[$0] != nil }).map { .setRemoved(SetRemoval(set: $0)) }
        events += gone(messages.keys, { new.messages[$0] != nil }).map {
            .messageRemoved(ZoneMessageRemoval(message: $0))
        }
        events += gone(zones.keys, { new.zones[$0] != nil }).map {
            .zoneRemoved(ZoneRemoval(zone: $0))
        }
        return events
    }
}
