import Model

/// What must be decided about one person, said once more from the rules: slowly, zone by zone from
/// the beginning of the log, and by other means than the core. No index, no clock that has to be
/// asked for, a flat earth, and metres.
///
/// Zones are circles and convex polygons close to the middle of ``World``. Alarms, messages, hints
/// and emergencies are not its business.
struct Oracle {
    /// A record that has to be told about a zone.
    struct Told: Hashable {
        var kind: EventKind
        var zone: ZoneID
        var before = Presence.unknown
        var after = Presence.unknown
        var reason: CrossingReason?
        /// Near, but no alarm.
        var isCoarse = false
        /// Of an absence.
        var hasContact: Bool?
    }

    /// By record of the log: what it leads to, by zone.
    private(set) var told: [[Told]]
    /// From this record on a number was so close to its limit that rounding decides.
    private(set) var closeFrom: Int

    init(_ person: PersonID, _ log: [Event]) {
        told = Array(repeating: [], count: log.count)
        closeFrom = log.count
        let history = OracleHistory(person, log)
        closeFrom = min(closeFrom, history.closeFrom)
        for zone in Set(history.steps.flatMap { $0.setup.zones.map(\.id) }).sorted() {
            var life = OracleZoneLife(zone)
            for step in history.steps { life.take(step) }
            for each in life.told { told[each.record].append(each.told) }
            closeFrom = min(closeFrom, life.closeFrom)
        }
    }
}

/// What is configured at some time, as far as one person is concerned.
struct OracleSetup {
    struct Place {
        var zone: PlacedZone
        var circle: CircleID?
        var page: Int?
        var isOfSet = false

        var id: ZoneID { zone.id }
    }

    var person: PlacedPerson?
    var circles: [CircleID: [PlacedZone]] = [:]
    var pages: [ZoneSetID: [Int: [PlacedZone]]] = [:]

    /// Every zone that may judge the person.
    var zones: [Place] {
        guard let person else { return [] }
        var all = person.zones.map { Place(zone: $0) }
        for circle in person.circles {
            all += (circles[circle] ?? []).map { Place(zone: $0, circle: circle) }
        }
        for set in person.sets {
            for (page, zones) in pages[set] ?? [:] {
                all += zones.map { Place(zone: $0, page: page, isOfSet: true) }
            }
        }
        return all
    }

    /// The zone, if it judges the person at a time.
    func judging(_ id: ZoneID, at time: Timestamp) -> Place? {
        guard let person, let place = zones.first(where: { $0.id == id }), place.zone.active,
            !person.refused.contains(id)
        else { return nil }
        func shares(_ circle: CircleID) -> Bool {
            !person.unshared.contains { $0.circle == circle && ($0.until ?? .distantFuture) > time }
        }
        if place.zone.kind == .alert { return place }
        if let circle = place.circle, !shares(circle) { return nil }
        if place.isOfSet, !person.circles.isEmpty, !person.circles.contains(where: shares) {
            return nil
        }
        return place
    }
}

/// What is believed of where somebody is.
struct OracleTrust {
    var first: DeviceID?
    var trusted: OracleSight?
    /// What was trusted before that.
    var previous: OracleSight?
    var suspect: OracleSight?
    /// When the suspect came.
    var since = Timestamp.zero
    /// How long the phone is silent as a rule, seconds.
    var usual: Int64 = 0
}

/// The log as one person lives through it: records and what is due between them, in order, each
/// with what is configured and believed after it.
struct OracleHistory {
    struct Step {
        enum Act {
            /// Nothing but time.
            case pass
            case judge(OracleSight, ZoneJudgement, way: OracleSight?)
            case arrange(OraclePart)
            case remove
        }

        var record: Int
        var time: Timestamp
        /// Among what is due at the same time.
        var rank: Int
        var act: Act
        var setup: OracleSetup
        var trust: OracleTrust
        /// Whether nothing more comes before people hear of it.
        var endsTurn: Bool
    }

    enum ZoneJudgement { case fix, silence, first, suspect }
    enum OraclePart {
        case all
        case circle(CircleID)
        case page(Int)
        case none
    }

    static let recordRank = 9
    private static let suspectRank = 5
    static let pauseRank = 6

    private(set) var steps: [Step] = []
    private(set) var closeFrom = Int.max
    private var setup = OracleSetup()
    private var trust = OracleTrust()
    private let id: PersonID

    init(_ person: PersonID, _ log: [Event]) {
        id = person
        for (record, event) in log.enumerated() { take(event, record) }
    }

    private var leader: DeviceID? { setup.person?.leadingDevice ?? trust.first }

    private mutating func take(_ event: Event, _ record: Int) {
        var next = setup
        var part: OraclePart?
        var end = event.time
        switch event.body {
        case .inputReport(let report) where report.person == id:
            passWaits(to: end, record)
            return take(report, record, at: end)
        case .inputClock(let fired) where fired.clock.person == id:
            end = max(end, fired.clock.due)
            passWaits(to: end, record)
            return add(.pass, record, end)
        case .inputArming(let arming) where arming.person == id:
            passWaits(to: end, record)
            return add(.pass, record, end)
        case .inputAlarmAnswer(let answer) where answer.person == id:
            passWaits(to: end, record)
            return add(.pass, record, end)
        case .inputPerson(let placed) where placed.person == id:
            next.person = placed
            part = .all
        case .inputPersonRemoved(let removal) where removal.person == id:
            passWaits(to: end, record)
            setup.person = nil
            trust = OracleTrust()
            return add(.remove, record, end)
        case .inputCircle(let placed):
            next.circles[placed.circle] = placed.zones
            part = .circle(placed.circle)
        case .inputCircleRemoved(let removal):
            next.circles[removal.circle] = nil
            part = .circle(removal.circle)
        case .inputSet(let placed):
            next.pages[placed.set, default: [:]][placed.page] = placed.zones
            part = isMine(placed.set) ? .page(placed.page) : nil
        case .inputSetRemoved(let removal):
            next.pages[removal.set] = nil
            part = isMine(removal.set) ? OraclePart.none : nil
        default: return
        }
        if case .circle(let circle) = part, setup.person?.circles.contains(circle) != true {
            part = nil
        }
        guard let part else {
            setup = next
            return
        }
        passWaits(to: end, record)
        // Time passes for all whom it concerns before others' zones become others.
        if case .all = part {} else { add(.pass, record, end) }
        let before = leader
        setup = next
        if leader != before { trust.suspect = nil }
        add(.arrange(part), record, end)
    }

    private func isMine(_ set: ZoneSetID) -> Bool { setup.person?.sets.contains(set) == true }

    private mutating func take(_ report: Report, _ record: Int, at now: Timestamp) {
        trust.first = trust.first ?? report.device
        let sight = OracleSight(report)
        guard !report.late, report.device == leader else { return add(.pass, record, now) }
        guard let trusted = trust.trusted, trusted.device == leader else {
            return believe(sight, .first, from: nil, record, now)
        }
        guard sight.time >= (trust.suspect ?? trusted).time else { return add(.pass, record, now) }
        var isClose = false
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        if trusted.canBeFollowed(by: sight, isClose: &isClose) {
            return believe(sight, .fix, from: trusted, record, now)
        }
        if let suspect = trust.suspect,
            suspect.canBeFollowed(by: sight, isClose: &isClose)
                || OracleSight.areSteady(trusted, suspect, sight, isClose: &isClose)
        {
            believe(suspect, .fix, from: nil, record, now, endsTurn: false)
            return believe(sight, .fix, from: suspect, record, now)
        }
        if trust.suspect == nil { trust.since = now }
        trust.suspect = sight
        add(.judge(sight, .suspect, way: nil), record, now)
    }

    private mutating func believe(
        _ sight: OracleSight, _ judgement: ZoneJudgement, from before: OracleSight?, _ record: Int,
        _ now: Timestamp, rank: Int = recordRank, endsTurn: Bool = true
    ) {
        let silent = trust.trusted.map { (sight.time - $0.time).components.seconds } ?? 0
        if case .first = judgement {
            trust.usual = 0
        } else if silent > 0 {
            trust.usual = max(min(silent, 2000), trust.usual - trust.usual / 32)
        }
        let isWay = before.map { sight.time - $0.time <= .seconds(300) } ?? false
        if case .first = judgement {
            trust.previous = nil
        } else {
            trust.previous = trust.trusted
        }
        trust.trusted = sight
        trust.suspect = nil
        add(
            .judge(sight, judgement, way: isWay ? before : nil), record, now, rank: rank,
            endsTurn: endsTurn)
    }

    /// Suspects that nobody contradicted, and pauses that end.
    private mutating func passWaits(to end: Timestamp, _ record: Int) {
        while true {
            var due: [(time: Timestamp, rank: Int)] = []
            if trust.suspect != nil {
                due.append((trust.since + .seconds(1800), OracleHistory.suspectRank))
            }
            let passed = steps.last { $0.rank == OracleHistory.recordRank }?.time ?? .zero
            for pause in setup.person?.unshared ?? [] {
                guard let until = pause.until, until > passed else { continue }
                due.append((until, OracleHistory.pauseRank))
            }
            guard let next = due.min(by: { $0 < $1 }), next.time <= end else { return }
            if next.rank == OracleHistory.suspectRank, let suspect = trust.suspect {
                believe(suspect, .silence, from: nil, record, next.time, rank: next.rank)
            } else {
                setup.person?.unshared.removeAll { $0.until == next.time }
                add(.arrange(.all), record, next.time, rank: next.rank)
            }
        }
    }

    private mutating func add(
        _ act: Step.Act, _ record: Int, _ time: Timestamp, rank: Int = recordRank,
        endsTurn: Bool = true
    ) {
        steps.append(
            Step(
                record: record, time: time, rank: rank, act: act, setup: setup, trust: trust,
                endsTurn: endsTurn && rank == OracleHistory.recordRank))
    }
}
