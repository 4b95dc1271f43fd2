import Model

/// Zones that were triggered by one record, and their messages. They are reported in one event, so
/// that nobody gets one text for each zone.
struct TriggeredZones: Hashable, Sendable {
    /// A triggered zone.
    private struct Entry: Hashable {
        var zone: AlarmZone
        var messages: [MessageID]
        var transition: Transition
    }

    /// Most urgent zone first.
    private var entries: [Entry] = []

    /// Adds a safe zone's transition or an alert zone's started alarm. Only the first transition of
    /// a zone counts.
    mutating func add(_ zone: AlarmZone, _ transition: Transition, messages: [MessageID]) {
        guard !messages.isEmpty, !entries.contains(where: { $0.zone.id == zone.id }) else { return }
        let index = entries.firstIndex { zone.isMoreUrgent(than: $0.zone) } ?? entries.count
        entries.insert(Entry(zone: zone, messages: messages, transition: transition), at: index)
    }

    /// Removes and returns the due messages; nil if there are none.
    ///
    /// - Parameter fix: the fix that triggered the zones.
    mutating func drain(for person: PersonID, fix: Fix) -> DueMessages? {
        guard !entries.isEmpty else { return nil }
        defer { entries = [] }
        var messages: [MessageID] = []
        for message in entries.flatMap(\.messages).sorted() where message != messages.last {
            messages.append(message)
        }
        return DueMessages(
            person: person, zones: entries.map(\.zone.id), zoneNames: entries.map(\.zone.name),
            transitions: entries.map(\.transition), messages: messages, fix: fix)
    }
}
