import Model

/// A person's zone alarms: one for each alert zone that the person is inside or near while armed.
///
/// A pure state machine. Only the most urgent alarm that is not asleep is audible; the others wait
/// silently. Transitions return steps, which ``PartitionState`` turns into events.
struct AlarmMachine: Hashable, Sendable {
    /// The result of a transition.
    struct Step: Hashable {
        enum Kind: Hashable {
            /// `initial`: the person was found in the zone and did not enter just now.
            case started(initial: Bool)
            case repeated
            case ended(AlarmEnd)
        }

        var kind: Kind
        var alarm: ActiveAlarm
        /// Whether this alarm is the audible one.
        var isAudible: Bool
    }

    /// Whether alert zones raise alarms for this person.
    var isArmed = true
    /// Whether an alarm may have to start with the next fix: the last fix was too old, or the
    /// person was armed just now.
    var isStartPending = false
    /// Ordered by zone id.
    var alarms: [ActiveAlarm] = []

    /// The earliest time at which an alarm can ring or wake while the person stays in the same
    /// zones.
    var nextChange: Timestamp {
        var next = Timestamp.distantFuture
        for index in alarms.indices {
            switch alarms[index].phase {
            case .awake(let time), .asleep(let time): next = min(next, time)
            }
        }
        return next
    }

    func index(of zone: ZoneID) -> Int? { alarms.firstIndex { $0.zone.id == zone } }

    /// Index of the audible alarm: the most urgent one that is not asleep.
    var audibleIndex: Int? {
        var found: Int?
        for index in alarms.indices where alarms[index].isAwake {
            if let best = found, !alarms[index].zone.isMoreUrgent(than: alarms[best].zone) {
                continue
            }
            found = index
        }
        return found
    }
}

/// The alarm of one alert zone.
struct ActiveAlarm: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Rings from this time on, as soon as it is audible.
        case awake(nextRing: Timestamp)
        /// Put to sleep. Rings with the first fix after `until` that finds the person still there.
        case asleep(until: Timestamp)
    }

    let id: AlarmID
    /// As last configured, so that the end can be reported after the zone was removed.
    var zone: AlarmZone
    /// Inside or near.
    var presence: Presence
    /// Number of rings so far; 0 for an alarm that was never audible.
    var rings: Int
    var phase: Phase

    var isAwake: Bool {
        switch phase {
        case .awake: true
        case .asleep: false
        }
    }
}

/// The zone's fields that alarm events contain.
struct AlarmZone: Hashable, Sendable {
    var id: ZoneID
    var name: String
    var category: String
    /// Lower is more urgent.
    var priority: Int
    var circle: CircleID?
    var set: ZoneSetID?
    var alarm: ZoneAlarm

    /// Compares by priority, then name, then id. Names are compared by bytes, so the order does not
    /// depend on a Unicode version.
    func isMoreUrgent(than other: AlarmZone) -> Bool {
        if priority != other.priority { return priority < other.priority }
        let (mine, others) = (name.utf8.span, other.name.utf8.span)
        for index in 0..<min(mine.count, others.count) where mine[index] != others[index] {
            return mine[index] < others[index]
        }
        return mine.count == others.count ? id < other.id : mine.count < others.count
    }
}

/// An alert zone that a person is inside or near.
struct AlarmStay: Hashable, Sendable {
    var zone: AlarmZone
    /// Inside or near.
    var presence: Presence
    /// Whether the person was found there and was not observed to arrive.
    var initial: Bool
}
