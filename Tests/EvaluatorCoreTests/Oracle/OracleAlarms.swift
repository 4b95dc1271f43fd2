import Model

/// An independent implementation of one person's alarms and deadlines, from the log alone. Presence
/// comes from ``OracleZoneLife``.
struct OracleAlarms {
    /// An expected event about an alarm.
    struct ExpectedEvent: Hashable {
        var kind: EventKind
        var zone: ZoneID
        var presence: Presence
        var rings: Int
        var isAudible: Bool
        var initial = false
        var end: AlarmEnd?
    }

    /// A scheduled or cancelled deadline.
    struct DeadlineChange: Hashable {
        var due: Timestamp
        var isWanted: Bool
    }

    private struct Alarm {
        var zone: ConfiguredZone
        var presence: Presence
        var rings = 0
        var sleeps = false
        /// Rings from then on, or sleeps until then.
        var time: Timestamp
    }

    private static let ringRank = 4
    private static let suspectRank = 5

    /// By record of the log.
    private(set) var emitted: [[ExpectedEvent]]
    private(set) var deadlineChanges: [[DeadlineChange]]
    /// From this record on a value was so close to its limit that rounding decides.
    private(set) var closeFrom: Int

    private let person: PersonID
    private let log: [Event]
    private var lives: [OracleZoneLife] = []
    private var seen: [Int] = []
    private var isArmed = true
    private var isOwed = false
    private var alarms: [ZoneID: Alarm] = [:]
    /// The person's presence in alert zones.
    private var stays: [ZoneID: Presence] = [:]
    private var setup = OracleSetup()
    private var trust = OracleTrust()
    private var clock: Timestamp?
    // Of the current turn.
    private var changes: [OracleZoneLife.Emission] = []
    private var isBelieved = false
    private var isReconfigured = false

    init(_ person: PersonID, _ log: [Event]) {
        self.person = person
        self.log = log
        emitted = Array(repeating: [], count: log.count)
        deadlineChanges = Array(repeating: [], count: log.count)
        let history = OracleHistory(person, log)
        closeFrom = min(log.count, history.closeFrom)
        lives = Set(history.steps.flatMap { $0.setup.zones.map(\.id) }).sorted().map {
            OracleZoneLife($0)
        }
        seen = lives.map { _ in 0 }
        for step in history.steps { apply(step) }
        closeFrom = min(closeFrom, lives.map(\.closeFrom).min() ?? closeFrom)
    }

    // MARK: Steps

    private mutating func apply(_ step: OracleHistory.Step) {
        let now = log[step.record].time
        var newEvents: [OracleZoneLife.Emission] = []
        for index in lives.indices {
            lives[index].apply(step)
            newEvents += lives[index].emitted[seen[index]...].filter {
                // Near by an accurate fix after a coarse one is a change, too.
                $0.emitted.before != $0.emitted.after || $0.emitted.kind == .zoneApproached
            }
            seen[index] = lives[index].emitted.count
        }
        pass(
            newEvents.filter { $0.moment.phase == 0 }, until: (step.time, step.rank), step.record,
            now)
        // A removed person has no further contact, but had it until now.
        if case .remove = step.act {} else { (setup, trust) = (step.setup, step.trust) }
        changes += newEvents.filter { $0.moment.phase == 1 }
        switch step.act {
        case .pass: answer(log[step.record].body, step.record, now)
        case .evaluate(_, let evaluation, _): if evaluation != .suspect { isBelieved = true }
        case .reconfigure: isReconfigured = true
        case .remove:
            stays = [:]
            isReconfigured = true
        }
        guard step.endsTurn else {
            if step.rank == OracleAlarms.suspectRank || step.rank == OracleHistory.pauseRank {
                follow(step.record, now)
            }
            return
        }
        follow(step.record, now)
        let later = newEvents.filter { $0.moment.phase == 2 }
        pass(later, until: (now, OracleHistory.recordRank), step.record, now)
        isReconfigured = false
        if case .remove = step.act { forget() }
        scheduleDeadline(step.record, now)
    }

    /// Ended waits, including rings, in the order of their due times.
    private mutating func pass(
        _ newEvents: [OracleZoneLife.Emission], until end: (Timestamp, Int), _ record: Int,
        _ now: Timestamp
    ) {
        var rest = newEvents.sorted {
            $0.moment == $1.moment ? $0.emitted.zone < $1.emitted.zone : $0.moment < $1.moment
        }
        while true {
            let first = rest.first.map { ($0.moment.due, $0.moment.rank) }
            let ring = nextRing().map { ($0, OracleAlarms.ringRank) }
            if let ring, ring < end, first.map({ ring < $0 }) ?? true {
                self.ring(record, now).map { emitted[record].append($0) }
                follow(record, now)
            } else if let next = rest.first {
                // All results of one zone's wait.
                let together = rest.prefix {
                    $0.moment == next.moment && $0.emitted.zone == next.emitted.zone
                }
                changes += together
                rest.removeFirst(together.count)
                follow(record, now)
            } else {
                return
            }
        }
    }

    private mutating func forget() {
        (isArmed, isOwed, alarms, stays) = (true, false, [:], [:])
        (setup, trust) = (OracleSetup(), OracleTrust())
    }

    // MARK: Alarms

    /// Updates alarms by the current presence.
    private mutating func follow(_ record: Int, _ now: Timestamp) {
        defer { (changes, isBelieved) = ([], false) }
        for change in changes where change.kind == .alert {
            stays[change.emitted.zone] =
                [.near, .inside].contains(change.emitted.after) && !change.emitted.isCoarse
                ? change.emitted.after : nil
        }
        let isTouched = changes.contains { $0.kind == .alert }
        guard isTouched || isOwed || !alarms.isEmpty && (isReconfigured || isBelieved),
            let fix = trust.trusted?.time
        else { return }
        isOwed = false
        guard isArmed else { return }
        let changes = changes
        end(record, except: Set(stays.keys)) { zone in
            guard let last = changes.last(where: { $0.emitted.zone == zone }),
                last.emitted.after != .unknown
            else { return .removed }
            return last.emitted.reason == .zoneChanged ? .zoneChanged : .exit
        }
        var startedZones: [ZoneID] = []
        for (zone, presence) in stays {
            guard let placed = setup.zones.first(where: { $0.id == zone })?.zone else { continue }
            if var alarm = alarms[zone] {
                (alarm.zone, alarm.presence) = (placed, presence)
                if isBelieved, now - fix <= .seconds(1800), alarm.sleeps, alarm.time <= now {
                    (alarm.sleeps, alarm.time) = (false, now)
                }
                alarms[zone] = alarm
            } else if now - fix <= .seconds(1800) {
                alarms[zone] = Alarm(zone: placed, presence: presence, time: now)
                startedZones.append(zone)
            } else {
                isOwed = true
            }
        }
        let ring = ring(record, now)
        let started = startedZones.compactMap { alarms[$0] }.sorted {
            isMoreUrgent($0.zone, $1.zone)
        }
        for alarm in started {
            let zone = alarm.zone.id
            let isSeen = changes.contains {
                $0.emitted.zone == zone && $0.emitted.kind != .zonePresenceEstablished
                    && $0.emitted.after == alarm.presence
            }
            emitted[record].append(
                ExpectedEvent(
                    kind: .alarmStarted, zone: zone, presence: alarm.presence, rings: alarm.rings,
                    isAudible: ring?.zone == zone, initial: !isSeen))
        }
        if let ring, !startedZones.contains(ring.zone) { emitted[record].append(ring) }
    }

    private mutating func end(
        _ record: Int, except staying: Set<ZoneID>, because reason: (ZoneID) -> AlarmEnd
    ) {
        let audible = audible
        for (zone, alarm) in alarms.sorted(by: { $0.key < $1.key }) where !staying.contains(zone) {
            let why = reason(zone)
            let isGone = why == .exit || why == .zoneChanged
            emitted[record].append(
                ExpectedEvent(
                    kind: .alarmEnded, zone: zone, presence: isGone ? .outside : alarm.presence,
                    rings: alarm.rings, isAudible: zone == audible, end: why))
            alarms[zone] = nil
        }
    }

    /// Handles answers and arming.
    private mutating func answer(_ body: EventBody, _ record: Int, _ now: Timestamp) {
        switch body {
        case .inputArming(let arming):
            (isArmed, isOwed) = (arming.armed, arming.armed)
            if !isArmed { end(record, except: []) { _ in .disarmed } }
        case .inputAlarmAnswer(let answer) where answer.action == .sleep:
            guard trust.trusted != nil else { return }
            for (zone, alarm) in alarms where answer.zone.map({ $0 == zone }) ?? true {
                alarms[zone]?.sleeps = true
                alarms[zone]?.time = now + .seconds(Int64(max(0, alarm.zone.alarm.sleepSeconds)))
            }
            ring(record, now).map { emitted[record].append($0) }
        default: break
        }
    }

    /// Rings the next due alarm, unless the last fix is older than half an hour.
    private mutating func ring(_ record: Int, _ now: Timestamp) -> ExpectedEvent? {
        guard let zone = audible, let alarm = alarms[zone], alarm.time <= now else { return nil }
        guard let fix = trust.trusted?.time, now - fix <= .seconds(1800) else {
            alarms[zone]?.time = now
            return nil
        }
        alarms[zone]?.rings += 1
        alarms[zone]?.time = now + .seconds(Int64(max(10, alarm.zone.alarm.cycleSeconds)))
        return ExpectedEvent(
            kind: .alarmRepeated, zone: zone, presence: alarm.presence, rings: alarm.rings + 1,
            isAudible: true)
    }

    /// The most urgent alarm that is not asleep.
    private var audible: ZoneID? {
        alarms.filter { !$0.value.sleeps }.min { isMoreUrgent($0.value.zone, $1.value.zone) }?.key
    }

    private func isMoreUrgent(_ one: ConfiguredZone, _ other: ConfiguredZone) -> Bool {
        let names = (Array(one.name.utf8), Array(other.name.utf8))
        if one.priority != other.priority { return one.priority < other.priority }
        if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
        return one.id < other.id
    }

    private func nextRing() -> Timestamp? {
        guard let audible, let alarm = alarms[audible], let fix = trust.trusted?.time,
            alarm.time <= fix + .seconds(1800)
        else { return nil }
        return alarm.time
    }

    // MARK: Deadline

    /// Schedules one deadline for the first wait; it is replaced by an earlier one, or cancelled if
    /// nothing is waited for.
    private mutating func scheduleDeadline(_ record: Int, _ now: Timestamp) {
        var waits: [Timestamp] = []
        for index in lives.indices { lives[index].nextDue().map { waits.append($0) } }
        nextRing().map { waits.append($0) }
        if trust.suspect != nil { waits.append(trust.since + .seconds(1800)) }
        waits += (setup.person?.unshared ?? []).compactMap(\.until).filter { $0 > now }
        let first = waits.min()
        if let clock, clock <= now { self.clock = nil }
        guard first != clock else { return }
        if let clock {
            if let first, first > clock { return }
            deadlineChanges[record].append(DeadlineChange(due: clock, isWanted: false))
        }
        clock = first
        if let first { deadlineChanges[record].append(DeadlineChange(due: first, isWanted: true)) }
    }
}
