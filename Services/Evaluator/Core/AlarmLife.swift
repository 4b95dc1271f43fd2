import Model

/// The alarms of a person: alert zones in which, or near which, the person is while armed.
///
/// A pure state machine. Of all that alarm the most urgent one that does not sleep speaks; the
/// others wait for their turn without a sound. It says which steps were taken; ``PartitionState``
/// makes events of them.
struct AlarmLife: Hashable, Sendable {
    /// What was decided.
    struct Step: Hashable {
        enum Kind: Hashable {
            /// Found so: the person did not come in just now.
            case started(initial: Bool)
            case repeated
            case ended(AlarmEnd)
        }

        var kind: Kind
        var alarm: ZoneAlarming
        /// Whether this zone is heard now.
        var speaks: Bool
    }

    /// Whether alert zones alarm the person at all.
    var isArmed = true
    /// Whether the person may be where an alarm has not started: the last fix was too old, or the
    /// person was armed just now.
    var isOwed = false
    /// By zone, ascending.
    var alarms: [ZoneAlarming] = []

    /// Before this, neither time nor another fix rings or wakes any, as long as the person stays in
    /// the same zones.
    var nextChange: Timestamp {
        var next = Timestamp.distantFuture
        for place in alarms.indices {
            switch alarms[place].phase {
            case .awake(let time), .asleep(let time): next = min(next, time)
            }
        }
        return next
    }

    func place(of zone: ZoneID) -> Int? { alarms.firstIndex { $0.zone.id == zone } }

    /// Where the one is that speaks: the most urgent of those that do not sleep.
    var speaker: Int? {
        var found: Int?
        for place in alarms.indices where alarms[place].isAwake {
            if let best = found, !alarms[place].zone.isMoreUrgent(than: alarms[best].zone) {
                continue
            }
            found = place
        }
        return found
    }
}

/// A stay in one zone that alarms.
struct ZoneAlarming: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Rings from then on, as soon as it speaks.
        case awake(nextRing: Timestamp)
        /// Told to sleep. Rings with the first fix from then on that finds the person there still.
        case asleep(until: Timestamp)
    }

    let id: AlarmID
    /// As last configured, so that its end can be told when the zone is gone.
    var zone: AlarmZone
    /// Inside or near.
    var presence: Presence
    /// So far; 0 for one that never spoke.
    var rings: Int
    var phase: Phase

    var isAwake: Bool {
        switch phase {
        case .awake: true
        case .asleep: false
        }
    }
}

/// What an alarm tells of its zone.
struct AlarmZone: Hashable, Sendable {
    var id: ZoneID
    var name: String
    var category: String
    /// Lower is more urgent.
    var priority: Int
    var circle: CircleID?
    var set: ZoneSetID?
    var alarm: ZoneAlarm

    /// By priority, then by name, byte by byte, so that no version of Unicode matters, then by id.
    func isMoreUrgent(than other: AlarmZone) -> Bool {
        if priority != other.priority { return priority < other.priority }
        let (mine, others) = (name.utf8.span, other.name.utf8.span)
        for index in 0..<min(mine.count, others.count) where mine[index] != others[index] {
            return mine[index] < others[index]
        }
        return mine.count == others.count ? id < other.id : mine.count < others.count
    }
}

/// An alert zone in which, or near which, a person is.
struct AlarmStay: Hashable, Sendable {
    var zone: AlarmZone
    /// Inside or near.
    var presence: Presence
    /// Whether the person was found so, not seen to come.
    var initial: Bool
}
