import Model

/// Zones that fired by one record, and the messages that they name: told in one event, so that
/// nobody gets a text for each.
struct FiredZones: Hashable, Sendable {
    /// A zone that fired.
    private struct Fired: Hashable {
        var zone: AlarmZone
        var messages: [MessageID]
        var transition: Transition
    }

    /// The most urgent first.
    private var fired: [Fired] = []

    /// A transition that matters to a safe zone, or an alarm of an alert zone started. The first of
    /// a record is the one that a zone is told for.
    mutating func add(_ zone: AlarmZone, _ transition: Transition, messages: [MessageID]) {
        guard !messages.isEmpty, !fired.contains(where: { $0.zone.id == zone.id }) else { return }
        let place = fired.firstIndex { zone.isMoreUrgent(than: $0.zone) } ?? fired.count
        fired.insert(Fired(zone: zone, messages: messages, transition: transition), at: place)
    }

    /// What is due; nil if nothing is. Nothing is left.
    ///
    /// - Parameter fix: the one by which they fired.
    mutating func take(of person: PersonID, fix: Fix) -> DueMessages? {
        guard !fired.isEmpty else { return nil }
        defer { fired = [] }
        var messages: [MessageID] = []
        for message in fired.flatMap(\.messages).sorted() where message != messages.last {
            messages.append(message)
        }
        return DueMessages(
            person: person, zones: fired.map(\.zone.id), zoneNames: fired.map(\.zone.name),
            transitions: fired.map(\.transition), messages: messages, fix: fix)
    }
}
