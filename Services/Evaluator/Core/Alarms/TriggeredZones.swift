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

    /// Adds a safe zone's observed transition, if it notifies.
    mutating func add(_ change: PresenceChange) {
        guard let transition = change.transition,
            change.details.transitions.contains(transition)
        else { return }
        add(
            AlarmZone(change.zone, of: change.source, change.details), transition,
            messages: change.details.messages)
    }

    /// Adds a transition of a zone caused by time, if the zone is safe and it notifies.
    mutating func add(safe found: FoundZone, _ transition: Transition) {
        guard !found.zone.kind.rules.alarms, found.details.transitions.contains(transition)
        else { return }
        add(
            AlarmZone(found.zone.id, of: found.source, found.details), transition,
            messages: found.details.messages)
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

extension PresenceChange {
    /// The observed transition; nil if the person was only found in this state or nothing is
    /// notified.
    fileprivate var transition: Transition? {
        guard !isInitial else { return nil }
        switch (before, after) {
        case (_, .inside): return interpolated ? .cross : .enter
        // A pass-through was already reported by its enter event.
        case (.inside, .outside), (.inside, .near): return interpolated ? nil : .exit
        case (_, .near): return .approach
        case (_, .outside), (_, .unknown): return nil
        }
    }
}
