import Hashing
import Model

/// A change between a person and a zone, as a circle may be notified of it.
package struct ZoneChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case entered
        /// True: outside, but within the zone's alert distance.
        case left(isNear: Bool)
        case approached
        /// Age of the last fix, minutes; nil if it is fresh.
        case dwelled(fixAgeMinutes: Int64?)
        /// In and out between two fixes.
        case passed
        /// False: contact is lost, so presence is unknown.
        case absent(hasContact: Bool)
        case alarmStarted(Presence, initial: Bool)
        case alarmEnded(AlarmEnd)
    }

    package var kind: Kind
    package var person: PersonID
    package var zone: ZoneID
    package var zoneName: String
    /// Whether being in the zone alarms the person.
    package var alarms: Bool
    package var circle: CircleID?
    package var set: ZoneSetID?
    /// When it happened or was detected.
    package var at: Timestamp
    /// Start of its age: when it happened. For a crossing that was held back until no further fix
    /// came, when it was decided, within ``Limits/holdBackMax``.
    package var ageFrom: Timestamp
    package var fix: Fix?

    /// Creates the change of an event; nil if nobody is to be notified.
    ///
    /// The exit of a passage is covered by its entry.
    package init?(_ event: Event) {
        switch event.body {
        case .zoneEntered(let crossing):
            self.init(
                crossing.interpolated ? .passed : .entered, crossing, at: crossing.fix.time)
        case .zoneExited(let crossing) where !crossing.interpolated:
            let isNear = crossing.after == .near
            self.init(.left(isNear: isNear), crossing, at: crossing.fix.time)
        // A coarse fix is too inaccurate for an alarm.
        case .zoneApproached(let crossing) where !crossing.coarse:
            self.init(.approached, crossing, at: crossing.fix.time)
        // A deadline detects it, so the last fix may be old.
        case .zoneDwelled(let crossing):
            let age = (event.time - crossing.fix.time).milliseconds / 60_000
            self.init(
                .dwelled(fixAgeMinutes: crossing.isFixOld ? age : nil), crossing, at: event.time)
        case .zoneAbsent(let absence): self.init(absence)
        case .alarmStarted(let change):
            self.init(
                .alarmStarted(change.presence, initial: change.initial), change, at: event.time)
        case .alarmEnded(let change):
            self.init(.alarmEnded(change.end ?? .removed), change, at: event.time)
        default: return nil
        }
        if let crossing = event.body.heldBack {
            ageFrom = max(at, min(event.time, crossing.fix.time + Limits.holdBackMax))
        }
    }

    private init(_ kind: Kind, _ crossing: ZoneCrossing, at time: Timestamp) {
        self.kind = kind
        (person, zone, zoneName) = (crossing.person, crossing.zone, crossing.zoneName)
        (alarms, circle, set) = (crossing.zoneKind.rules.alarms, crossing.circle, crossing.set)
        (at, ageFrom, fix) = (time, time, crossing.fix)
    }

    private init(_ absence: ZoneAbsence) {
        kind = .absent(hasContact: absence.hasContact)
        (person, zone, zoneName) = (absence.person, absence.zone, absence.zoneName)
        (circle, set, at, fix) = (absence.circle, absence.set, absence.by, absence.fix)
        ageFrom = at
        alarms = false
    }

    private init(_ kind: Kind, _ change: AlarmChange, at time: Timestamp) {
        self.kind = kind
        (person, zone, zoneName) = (change.person, change.zone, change.zoneName)
        (alarms, circle, set) = (true, change.circle, change.set)
        (at, ageFrom, fix) = (time, time, change.fix)
    }

    /// Whether an alarm ended because its zone was removed or switched off.
    var isEndOfZone: Bool { kind == .alarmEnded(.removed) }

    /// The transition that the zone must have enabled; nil = always notified.
    var transition: Transition? {
        switch kind {
        case .entered: .enter
        case .left: .exit
        case .approached: .approach
        case .dwelled: .dwell
        case .passed: .cross
        case .absent: .absent
        case .alarmStarted, .alarmEnded: nil
        }
    }

    var timelineKind: TimelineKind {
        switch kind {
        case .entered: .entered
        case .left: .left
        case .approached: .approached
        case .dwelled: .dwelled
        case .passed: .passedThrough
        case .absent(hasContact: true): .absent
        case .absent(hasContact: false): .noContact
        case .alarmStarted: .alarmStarted
        case .alarmEnded: .alarmEnded
        }
    }

    /// Reason for the recipients.
    var reason: NotifyReason {
        switch kind {
        case .entered, .left, .passed: .zoneCrossed
        case .approached: .zoneApproached
        case .dwelled: .zoneDwelled
        case .absent: .zoneAbsent
        case .alarmStarted, .alarmEnded: .zoneAlarm
        }
    }

    /// Scope of its messages.
    ///
    /// An alert zone emits a crossing and an alarm for the same fix; they share a scope, so people
    /// are notified once. Leaving to the vicinity ends no alarm, so it has its own scope. So do
    /// alarms that start or end without a movement.
    func scope(of event: EventID) -> EventID {
        guard alarms, let fix else { return event }
        let part: String
        switch kind {
        case .entered, .approached, .alarmStarted(_, initial: false): part = "start"
        case .left(isNear: false), .alarmEnded(.exit): part = "end"
        case .left(isNear: true), .dwelled, .passed, .absent, .alarmStarted, .alarmEnded:
            return event
        }
        return EventID(
            Hash.id(
                "alert", .text(part), .id(person), .id(zone), .number(fix.time.microseconds)))
    }

    /// - Parameter showsPlace: whether the circle may see exact positions
    func content(showsPlace: Bool) -> NoticeContent {
        let place = showsPlace ? fix.map(Place.init) : nil
        func content(_ zone: ZoneContent) -> NoticeContent {
            .zone(zone, zone: zoneName, at: at, place: place)
        }
        switch kind {
        case .entered: return content(alarms ? .alertEntered : .entered)
        case .left(let isNear):
            return content(alarms && !isNear ? .alertLeft : .left)
        case .approached: return content(alarms ? .alertNear : .near)
        case .dwelled(let age):
            return age.map { content(.staysUnseen(minutes: $0)) } ?? content(.stays)
        case .passed: return content(.passedThrough)
        case .alarmStarted(.near, _): return content(.alertNear)
        case .alarmStarted(_, initial: true): return content(.alertInside)
        case .alarmStarted: return content(.alertEntered)
        case .alarmEnded(.exit): return content(.alertLeft)
        case .alarmEnded: return content(.alertOver)
        case .absent(let hasContact):
            return .absent(
                zone: zoneName, by: at, hasContact: hasContact, seen: fix?.time,
                place: hasContact ? place : nil)
        }
    }
}

extension EventBody {
    /// A crossing of a single fix that the evaluator accepted because no other fix came.
    fileprivate var heldBack: ZoneCrossing? {
        switch self {
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneApproached(let crossing):
            [.uncontradicted, .silence].contains(crossing.reason) ? crossing : nil
        default: nil
        }
    }
}
