import Model

/// Zones that fired by one record, and the messages that they name: told in one event, so that
/// nobody gets a text for each.
struct FiredZones: Hashable, Sendable {
    /// A zone that fired.
    private struct Fired: Hashable {
        var zone: AlarmZone
        var messages: [MessageID]
    }

    /// The most urgent first.
    private var fired: [Fired] = []

    /// A safe zone was entered, or an alarm of an alert zone started.
    mutating func add(_ zone: AlarmZone, messages: [MessageID]) {
        guard !messages.isEmpty, !fired.contains(where: { $0.zone.id == zone.id }) else { return }
        let place = fired.firstIndex { zone.isMoreUrgent(than: $0.zone) } ?? fired.count
        fired.insert(Fired(zone: zone, messages: messages), at: place)
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
            messages: messages, fix: fix)
    }
}
