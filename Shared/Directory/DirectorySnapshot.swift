import Model

/// A directory as the events that build it. Used as the snapshot of `directory`.
public struct DirectorySnapshot {
    private let directory: Replica

    public init(of directory: Replica) { self.directory = directory }

    /// The events that build the directory from an empty one: people, devices, credentials, sets,
    /// circles, messages, zones, never-notify lists, PINs, each with ids ascending.
    public var events: [EventBody] { changes.map(\.body) }

    /// Computes the smallest list of events that turns another directory into this one: removals
    /// first, then changes in the order of a snapshot.
    ///
    /// - Returns: events that make `old` equal to this directory when applied in this order
    public func difference(from old: Replica) -> [EventBody] {
        var current = old
        let candidates = removals(from: old) + changes
        return candidates.map(\.body).filter { !current.apply($0).isEmpty }
    }

    private var changes: [DirectoryChange] {
        var changes: [DirectoryChange] = directory.sortedPeople.map { .person($0) }
        changes += directory.devices.values.sorted { $0.id < $1.id }.map { .device($0) }
        changes += directory.credentials.values.sorted { $0.id < $1.id }.map { .credential($0) }
        changes += directory.sortedSets.map { .set($0) }
        changes += directory.sortedCircles.map { .circle($0) }
        changes += directory.messages.sorted.map { .message($0) }
        changes += directory.zones.sorted.map { .zone($0) }
        changes += directory.neverNotify.sorted.map { .neverNotify($0) }
        changes += directory.pins.values.sorted { $0.person < $1.person }.map { .pin($0) }
        return changes
    }

    /// Removals of entities that this directory does not have. Owners come first, since their
    /// removal includes what belongs to them.
    private func removals(from old: Replica) -> [DirectoryChange] {
        func missing<ID: Comparable>(_ ids: some Sequence<ID>, _ exists: (ID) -> Bool) -> [ID] {
            ids.filter { !exists($0) }.sorted()
        }
        var changes: [DirectoryChange] = missing(old.people.keys) { directory.people[$0] != nil }
            .map { .personRemoved($0) }
        changes += missing(old.circles.keys) { directory.circles[$0] != nil }
            .map { .circleRemoved($0) }
        changes += missing(old.devices.keys) { directory.devices[$0] != nil }
            .map { .deviceRemoved($0) }
        changes += missing(old.credentials.keys) { directory.credentials[$0] != nil }
            .map { .credentialRemoved($0) }
        changes += missing(old.sets.keys) { directory.sets[$0] != nil }.map { .setRemoved($0) }
        changes += missing(old.messages.keys) { directory.messages[$0] != nil }
            .map { .messageRemoved($0) }
        changes += missing(old.zones.keys) { directory.zones[$0] != nil }.map { .zoneRemoved($0) }
        changes += missing(old.neverNotify.keys) { directory.neverNotify[$0] != nil }
            .map { .neverNotify(NeverNotifyList(person: $0)) }
        changes += missing(old.pins.keys) { directory.pins[$0] != nil }
            .map { .pin(PersonPIN(person: $0)) }
        return changes
    }
}
