import Model

extension Replica {
    /// Returns the events that build this replica from an empty one: people, devices, credentials,
    /// sets, circles, messages, zones, never-notify lists, each with ids ascending. Used as the
    /// snapshot of `directory`.
    public func allEvents() -> [EventBody] {
        var events: [EventBody] = sortedPeople.map { .personChanged($0) }
        events += devices.values.sorted { $0.id < $1.id }.map { .deviceChanged($0) }
        events += credentials.values.sorted { $0.id < $1.id }.map { .credentialChanged($0) }
        events += sortedSets.map { .setChanged($0) }
        events += sortedCircles.map { .circleChanged($0) }
        events += messages.values.sorted { $0.id < $1.id }.map { .messageChanged($0) }
        events += zones.values.sorted { $0.id < $1.id }.map { .zoneChanged($0) }
        events += neverNotify.values.sorted { $0.person < $1.person }.map {
            .neverNotifyChanged($0)
        }
        return events
    }

    /// Computes the smallest list of events that turns one replica into another: removals first,
    /// then changes in the order of a snapshot.
    ///
    /// - Returns: events that make `old` equal to `new` when applied in this order
    public static func difference(from old: Replica, to new: Replica) -> [EventBody] {
        var current = old
        var events: [EventBody] = []
        func append(_ candidates: [EventBody]) {
            for candidate in candidates where !current.apply(candidate).isEmpty {
                events.append(candidate)
            }
        }
        append(old.removals(towards: new))
        append(new.allEvents())
        return events
    }

    /// Removals of entities that `new` does not have. Owners come first, since their removal
    /// includes what belongs to them.
    private func removals(towards new: Replica) -> [EventBody] {
        func missing<ID: Comparable>(_ old: some Sequence<ID>, _ exists: (ID) -> Bool) -> [ID] {
            old.filter { !exists($0) }.sorted()
        }
        var events: [EventBody] = missing(people.keys, { new.people[$0] != nil }).map {
            .personRemoved(PersonRemoval(person: $0))
        }
        events += missing(circles.keys, { new.circles[$0] != nil }).map {
            .circleRemoved(CircleRemoval(circle: $0))
        }
        events += missing(devices.keys, { new.devices[$0] != nil }).map {
            .deviceRemoved(DeviceRemoval(device: $0))
        }
        events += missing(credentials.keys, { new.credentials[$0] != nil }).map {
            .credentialRemoved(CredentialRemoval(credential: $0))
        }
        events += missing(sets.keys, { new.sets[$0] != nil }).map {
            .setRemoved(SetRemoval(set: $0))
        }
        events += missing(messages.keys, { new.messages[$0] != nil }).map {
            .messageRemoved(ZoneMessageRemoval(message: $0))
        }
        events += missing(zones.keys, { new.zones[$0] != nil }).map {
            .zoneRemoved(ZoneRemoval(zone: $0))
        }
        events += missing(neverNotify.keys, { new.neverNotify[$0] != nil }).map {
            .neverNotifyChanged(NeverNotifyList(person: $0))
        }
        return events
    }
}
