import Hashing
import Model

/// Something that happened between a person and a zone, as a circle may hear of it.
public struct ZoneNews: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case entered
        /// True: out, but not farther away than the zone's alert distance.
        case left(isNear: Bool)
        case approached
        /// With a fix that is not as new as it should be, how old it is, minutes.
        case dwelled(fixAgeMinutes: Int64?)
        /// In and out between two fixes.
        case passed
        /// False: nothing is known but that there is no contact.
        case absent(hasContact: Bool)
        case alarmStarted(Presence, initial: Bool)
        case alarmEnded(AlarmEnd)
    }

    public var kind: Kind
    public var person: PersonID
    public var zone: ZoneID
    public var zoneName: String
    public var zoneKind: ZoneKind
    public var circle: CircleID?
    public var set: ZoneSetID?
    /// When it happened, or was found.
    public var at: Timestamp
    /// From when on it grows old: when it happened, or, where that was held back until no other fix
    /// had come, when it was decided. Nothing is held back for long: older than that is a backlog.
    public var ageFrom: Timestamp
    public var fix: Fix?

    /// What an event tells; nil where it is news for nobody.
    ///
    /// The second half of a pass – out again – is told by the first. What is found (`initial`) or
    /// held back is told to nobody.
    public init?(_ event: Event) {
        switch event.body {
        case .zoneEntered(let crossing):
            self.init(
                crossing.interpolated ? .passed : .entered, crossing, at: crossing.fix.time)
        case .zoneExited(let crossing) where !crossing.interpolated:
            let isNear = crossing.after == .near
            self.init(.left(isNear: isNear), crossing, at: crossing.fix.time)
        // Near only as far as a fix says that is too inaccurate to alarm.
        case .zoneApproached(let crossing) where !crossing.coarse:
            self.init(.approached, crossing, at: crossing.fix.time)
        // A clock finds it: the fix may be of long ago.
        case .zoneDwelled(let crossing):
            let age = (event.time - crossing.fix.time).milliseconds / 60_000
            self.init(
                .dwelled(fixAgeMinutes: crossing.isFixOld ? age : nil), crossing, at: event.time)
        case .zoneAbsent(let absence): self.init(absence)
        case .alarmStarted(let news):
            self.init(.alarmStarted(news.presence, initial: news.initial), news, at: event.time)
        case .alarmEnded(let news):
            self.init(.alarmEnded(news.end ?? .removed), news, at: event.time)
        default: return nil
        }
        if let crossing = event.body.heldBack {
            ageFrom = max(at, min(event.time, crossing.fix.time + Limits.holdBackMax))
        }
    }

    private init(_ kind: Kind, _ crossing: ZoneCrossing, at time: Timestamp) {
        self.kind = kind
        (person, zone, zoneName) = (crossing.person, crossing.zone, crossing.zoneName)
        (zoneKind, circle, set) = (crossing.zoneKind, crossing.circle, crossing.set)
        (at, ageFrom, fix) = (time, time, crossing.fix)
    }

    private init(_ absence: ZoneAbsence) {
        kind = .absent(hasContact: absence.hasContact)
        (person, zone, zoneName) = (absence.person, absence.zone, absence.zoneName)
        (circle, set, at, fix) = (absence.circle, absence.set, absence.by, absence.fix)
        ageFrom = at
        zoneKind = .safe
    }

    private init(_ kind: Kind, _ news: AlarmNews, at time: Timestamp) {
        self.kind = kind
        (person, zone, zoneName) = (news.person, news.zone, news.zoneName)
        (zoneKind, circle, set) = (.alert, news.circle, news.set)
        (at, ageFrom, fix) = (time, time, news.fix)
    }

    /// The end of an alarm because its zone is gone or switched off.
    var isEndOfZone: Bool { kind == .alarmEnded(.removed) }

    /// What the zone must want told; nil = an alarm is told whatever it wants.
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

    /// Why those are told who are.
    var reason: NotifyReason {
        switch kind {
        case .entered, .left, .passed: .zoneCrossed
        case .approached: .zoneApproached
        case .dwelled: .zoneDwelled
        case .absent: .zoneAbsent
        case .alarmStarted, .alarmEnded: .zoneAlarm
        }
    }

    /// An alert zone tells by a crossing and by its alarm of the same fix: people hear it once. Who
    /// is near goes on being alarmed: that end is still to come. An alarm that starts or ends while
    /// nobody moves, by arming for one, is news each time.
    func scope(of event: EventID) -> EventID {
        guard zoneKind == .alert, let fix else { return event }
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

    /// - Parameter showsPlace: the circle may see exact positions.
    func saying(showsPlace: Bool) -> Saying {
        let place = showsPlace ? fix.map(Place.init) : nil
        func said(_ what: ZoneSaying) -> Saying {
            .zone(what, zone: zoneName, at: at, place: place)
        }
        switch kind {
        case .entered: return said(zoneKind == .alert ? .alertEntered : .entered)
        case .left(let isNear):
            return said(zoneKind == .alert && !isNear ? .alertLeft : .left)
        case .approached: return said(zoneKind == .alert ? .alertNear : .near)
        case .dwelled(let age):
            return age.map { said(.staysUnseen(minutes: $0)) } ?? said(.stays)
        case .passed: return said(.passedThrough)
        case .alarmStarted(.near, _): return said(.alertNear)
        case .alarmStarted(_, initial: true): return said(.alertInside)
        case .alarmStarted: return said(.alertEntered)
        case .alarmEnded(.exit): return said(.alertLeft)
        case .alarmEnded: return said(.alertOver)
        case .absent(let hasContact):
            return .absent(
                zone: zoneName, by: at, hasContact: hasContact, seen: fix?.time,
                place: hasContact ? place : nil)
        }
    }
}

extension EventBody {
    /// A crossing that one fix has told of and the evaluator believes because no other came.
    fileprivate var heldBack: ZoneCrossing? {
        switch self {
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneApproached(let crossing):
            [.uncontradicted, .silence].contains(crossing.reason) ? crossing : nil
        default: nil
        }
    }
}
