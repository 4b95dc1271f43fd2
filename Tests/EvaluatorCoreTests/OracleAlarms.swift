import Model

/// What must be told of one person's alarms, and which clock runs, said once more from the rules:
/// slowly, and from nothing but the log. Where the person is, ``OracleZoneLife`` says.
struct OracleAlarms {
    /// A record about an alarm.
    struct Told: Hashable {
        var kind: EventKind
        var zone: ZoneID
        var presence: Presence
        var rings: Int
        var speaks: Bool
        var initial = false
        var end: AlarmEnd?
    }

    /// A clock that is asked for, or given up.
    struct Clock: Hashable {
        var due: Timestamp
        var isWanted: Bool
    }

    private struct Alarm {
        var zone: PlacedZone
        var presence: Presence
        var rings = 0
        var sleeps = false
        /// Rings from then on, or sleeps until then.
        var time: Timestamp
    }

    private static let ringRank = 4
    private static let suspectRank = 5

    /// By record.
    private(set) var told: [[Told]]
    private(set) var clocks: [[Clock]]
    /// From this record on a number was so close to its limit that rounding decides.
    private(set) var closeFrom: Int

    private let person: PersonID
    private let log: [Event]
    private var lives: [OracleZoneLife] = []
    private var heard: [Int] = []
    private var isArmed = true
    private var isOwed = false
    private var alarms: [ZoneID: Alarm] = [:]
    /// Where the person is, seen from alert zones.
    private var stays: [ZoneID: Presence] = [:]
    private var setup = OracleSetup()
    private var trust = OracleTrust()
    private var clock: Timestamp?
    // Of the turn that goes on.
    private var changes: [OracleZoneLife.Telling] = []
    private var isBelieved = false
    private var isArranged = false

    init(_ person: PersonID, _ log: [Event]) {
        self.person = person
        self.log = log
        told = Array(repeating: [], count: log.count)
        clocks = Array(repeating: [], count: log.count)
        let history = OracleHistory(person, log)
        closeFrom = min(log.count, history.closeFrom)
        lives = Set(history.steps.flatMap { $0.setup.zones.map(\.id) }).sorted().map {
            OracleZoneLife($0)
        }
        heard = lives.map { _ in 0 }
        for step in history.steps { take(step) }
        closeFrom = min(closeFrom, lives.map(\.closeFrom).min() ?? closeFrom)
    }

    // MARK: In the order of time

    private mutating func take(_ step: OracleHistory.Step) {
        let now = log[step.record].time
        var news: [OracleZoneLife.Telling] = []
        for index in lives.indices {
            lives[index].take(step)
            news += lives[index].told[heard[index]...].filter {
                // Near by a fine fix after a coarse one is a change, too.
                $0.told.before != $0.told.after || $0.told.kind == .zoneApproached
            }
            heard[index] = lives[index].told.count
        }
        pass(news.filter { $0.moment.phase == 0 }, until: (step.time, step.rank), step.record, now)
        // Whoever is removed is heard of no more, but was until now.
        if case .remove = step.act {} else { (setup, trust) = (step.setup, step.trust) }
        changes += news.filter { $0.moment.phase == 1 }
        switch step.act {
        case .pass: answer(log[step.record].body, step.record, now)
        case .judge(_, let judgement, _): if judgement != .suspect { isBelieved = true }
        case .arrange: isArranged = true
        case .remove:
            stays = [:]
            isArranged = true
        }
        guard step.endsTurn else {
            if step.rank == OracleAlarms.suspectRank || step.rank == OracleHistory.pauseRank {
                follow(step.record, now)
            }
            return
        }
        follow(step.record, now)
        let later = news.filter { $0.moment.phase == 2 }
        pass(later, until: (now, OracleHistory.recordRank), step.record, now)
        isArranged = false
        if case .remove = step.act { forget() }
        askForClock(step.record, now)
    }

    /// Waits that are over, rings among them, in the order in which they were due.
    private mutating func pass(
        _ news: [OracleZoneLife.Telling], until end: (Timestamp, Int), _ record: Int,
        _ now: Timestamp
    ) {
        var rest = news.sorted {
            $0.moment == $1.moment ? $0.told.zone < $1.told.zone : $0.moment < $1.moment
        }
        while true {
            let first = rest.first.map { ($0.moment.due, $0.moment.rank) }
            let ring = nextRing().map { ($0, OracleAlarms.ringRank) }
            if let ring, ring < end, first.map({ ring < $0 }) ?? true {
                self.ring(record, now).map { told[record].append($0) }
                follow(record, now)
            } else if let next = rest.first {
                // All that one zone's wait led to.
                let together = rest.prefix {
                    $0.moment == next.moment && $0.told.zone == next.told.zone
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

    /// What follows from where the person is now.
    private mutating func follow(_ record: Int, _ now: Timestamp) {
        defer { (changes, isBelieved) = ([], false) }
        for change in changes where change.kind == .alert {
            stays[change.told.zone] =
                [.near, .inside].contains(change.told.after) && !change.told.isCoarse
                ? change.told.after : nil
        }
        let isTouched = changes.contains { $0.kind == .alert }
        guard isTouched || isOwed || !alarms.isEmpty && (isArranged || isBelieved),
            let fix = trust.trusted?.time
        else { return }
        isOwed = false
        guard isArmed else { return }
        let changes = changes
        end(record, except: Set(stays.keys)) { zone in
            guard let last = changes.last(where: { $0.told.zone == zone }),
                last.told.after != .unknown
            else { return .removed }
            return last.told.reason == .zoneChanged ? .zoneChanged : .exit
        }
        var begun: [ZoneID] = []
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
                begun.append(zone)
            } else {
                isOwed = true
            }
        }
        let ring = ring(record, now)
        let started = begun.compactMap { alarms[$0] }.sorted { isMoreUrgent($0.zone, $1.zone) }
        for alarm in started {
            let zone = alarm.zone.id
            let isSeen = changes.contains {
                $0.told.zone == zone && $0.told.kind != .zoneInitial
                    && $0.told.after == alarm.presence
            }
            told[record].append(
                Told(
                    kind: .alarmStarted, zone: zone, presence: alarm.presence, rings: alarm.rings,
                    speaks: ring?.zone == zone, initial: !isSeen))
        }
        if let ring, !begun.contains(ring.zone) { told[record].append(ring) }
    }

    private mutating func end(
        _ record: Int, except staying: Set<ZoneID>, because reason: (ZoneID) -> AlarmEnd
    ) {
        let speaker = speaker
        for (zone, alarm) in alarms.sorted(by: { $0.key < $1.key }) where !staying.contains(zone) {
            let why = reason(zone)
            let isGone = why == .exit || why == .zoneChanged
            told[record].append(
                Told(
                    kind: .alarmEnded, zone: zone, presence: isGone ? .outside : alarm.presence,
                    rings: alarm.rings, speaks: zone == speaker, end: why))
            alarms[zone] = nil
        }
    }

    /// What the person says, or has set.
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
            ring(record, now).map { told[record].append($0) }
        default: break
        }
    }

    /// The next one that is due; whoever was not heard of for half an hour is left alone.
    private mutating func ring(_ record: Int, _ now: Timestamp) -> Told? {
        guard let zone = speaker, let alarm = alarms[zone], alarm.time <= now else { return nil }
        guard let fix = trust.trusted?.time, now - fix <= .seconds(1800) else {
            alarms[zone]?.time = now
            return nil
        }
        alarms[zone]?.rings += 1
        alarms[zone]?.time = now + .seconds(Int64(max(10, alarm.zone.alarm.cycleSeconds)))
        return Told(
            kind: .alarmRepeated, zone: zone, presence: alarm.presence, rings: alarm.rings + 1,
            speaks: true)
    }

    /// The most urgent one of those that do not sleep.
    private var speaker: ZoneID? {
        alarms.filter { !$0.value.sleeps }.min { isMoreUrgent($0.value.zone, $1.value.zone) }?.key
    }

    private func isMoreUrgent(_ one: PlacedZone, _ other: PlacedZone) -> Bool {
        let names = (Array(one.name.utf8), Array(other.name.utf8))
        if one.priority != other.priority { return one.priority < other.priority }
        if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
        return one.id < other.id
    }

    private func nextRing() -> Timestamp? {
        guard let speaker, let alarm = alarms[speaker], let fix = trust.trusted?.time,
            alarm.time <= fix + .seconds(1800)
        else { return nil }
        return alarm.time
    }

    // MARK: The clock

    /// One, for what comes first; it is given up for an earlier one, or when nothing comes.
    private mutating func askForClock(_ record: Int, _ now: Timestamp) {
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
            clocks[record].append(Clock(due: clock, isWanted: false))
        }
        clock = first
        if let first { clocks[record].append(Clock(due: first, isWanted: true)) }
    }
}
