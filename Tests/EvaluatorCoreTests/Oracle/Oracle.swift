import Model

/// An independent implementation of the rules for one person: slow, zone by zone from the beginning
/// of the log, without an index or deadlines, on a flat earth in metres.
///
/// Zones are circles and convex polygons close to the centre of ``World``. It does not cover
/// alarms, messages, policies and emergencies.
struct Oracle {
    /// An expected event about a zone.
    struct ExpectedEvent: Hashable {
        var kind: EventKind
        var zone: ZoneID
        var before = Presence.unknown
        var after = Presence.unknown
        var reason: CrossingReason?
        /// Near without an alarm.
        var isCoarse = false
        /// For an absence.
        var hasContact: Bool?
    }

    /// Expected events by record of the log, by zone.
    private(set) var emitted: [[ExpectedEvent]]
    /// From this record on a value was so close to its limit that rounding decides.
    private(set) var closeFrom: Int

    init(_ person: PersonID, _ log: [Event]) {
        emitted = Array(repeating: [], count: log.count)
        closeFrom = log.count
        let history = OracleHistory(person, log)
        closeFrom = min(closeFrom, history.closeFrom)
        for zone in Set(history.steps.flatMap { $0.setup.zones.map(\.id) }).sorted() {
            var life = OracleZoneLife(zone)
            for step in history.steps { life.apply(step) }
            for each in life.emitted { emitted[each.record].append(each.emitted) }
            closeFrom = min(closeFrom, life.closeFrom)
        }
    }
}

/// The configuration of one person at a time.
struct OracleSetup {
    struct Place {
        var zone: ConfiguredZone
        var circle: CircleID?
        var page: Int?
        var isOfSet = false

        var id: ZoneID { zone.id }
    }

    var person: ConfiguredPerson?
    var circles: [CircleID: [ConfiguredZone]] = [:]
    var pages: [ZoneSetID: [Int: [ConfiguredZone]]] = [:]

    /// Every zone that may apply to the person.
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

    /// The zone, if it applies to the person at a time.
    func applicable(_ id: ZoneID, at time: Timestamp) -> Place? {
        guard let person, let place = zones.first(where: { $0.id == id }), place.zone.active,
            !person.zoneOptOuts.contains(id)
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

/// The trusted and suspect fixes of a person.
struct OracleTrust {
    var first: DeviceID?
    var trusted: OracleSight?
    /// The trusted fix before that.
    var previous: OracleSight?
    var suspect: OracleSight?
    /// When the suspect fix arrived.
    var since = Timestamp.zero
    /// The phone's usual interval between fixes, seconds.
    var usual: Int64 = 0
}

/// The log from one person's view: records and due waits between them, in order, each with the
/// configuration and trust after it.
struct OracleHistory {
    struct Step {
        enum Act {
            /// Only time.
            case pass
            case evaluate(OracleSight, ZoneEvaluation, way: OracleSight?)
            case reconfigure(OraclePart)
            case remove
        }

        var record: Int
        var time: Timestamp
        /// Order among waits due at the same time.
        var rank: Int
        var act: Act
        var setup: OracleSetup
        var trust: OracleTrust
        /// Whether this is the last step of its record.
        var endsTurn: Bool
    }

    enum ZoneEvaluation { case fix, silence, first, suspect }
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
        for (record, event) in log.enumerated() { apply(event, record) }
    }

    private var leader: DeviceID? { setup.person?.primaryDevice ?? trust.first }

    private mutating func apply(_ event: Event, _ record: Int) {
        var next = setup
        var part: OraclePart?
        var end = event.time
        switch event.body {
        case .inputReport(let report) where report.person == id:
            advanceWaits(to: end, record)
            return apply(report, record, at: end)
        case .inputDeadline(let expired) where expired.deadline.person == id:
            end = max(end, expired.deadline.due)
            advanceWaits(to: end, record)
            return add(.pass, record, end)
        case .inputArming(let arming) where arming.person == id:
            advanceWaits(to: end, record)
            return add(.pass, record, end)
        case .inputAlarmAnswer(let answer) where answer.person == id:
            advanceWaits(to: end, record)
            return add(.pass, record, end)
        case .inputPerson(let placed) where placed.person == id:
            next.person = placed
            part = .all
        case .inputPersonRemoved(let removal) where removal.person == id:
            advanceWaits(to: end, record)
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
        advanceWaits(to: end, record)
        // Time advances for all members before a circle's zones change.
        if case .all = part {} else { add(.pass, record, end) }
        let before = leader
        setup = next
        if leader != before { trust.suspect = nil }
        add(.reconfigure(part), record, end)
    }

    private func isMine(_ set: ZoneSetID) -> Bool { setup.person?.sets.contains(set) == true }

    private mutating func apply(_ report: Report, _ record: Int, at now: Timestamp) {
        trust.first = trust.first ?? report.device
        let sight = OracleSight(report)
        guard !report.late, report.device == leader else { return add(.pass, record, now) }
        guard let trusted = trust.trusted, trusted.device == leader else {
            return setTrusted(sight, .first, from: nil, record, now)
        }
        guard sight.time >= (trust.suspect ?? trusted).time else { return add(.pass, record, now) }
        var isClose = false
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        if trusted.canBeFollowed(by: sight, isClose: &isClose) {
            return setTrusted(sight, .fix, from: trusted, record, now)
        }
        if let suspect = trust.suspect,
            suspect.canBeFollowed(by: sight, isClose: &isClose)
                || OracleSight.areSteady(trusted, suspect, sight, isClose: &isClose)
        {
            setTrusted(suspect, .fix, from: nil, record, now, endsTurn: false)
            return setTrusted(sight, .fix, from: suspect, record, now)
        }
        if trust.suspect == nil { trust.since = now }
        trust.suspect = sight
        add(.evaluate(sight, .suspect, way: nil), record, now)
    }

    private mutating func setTrusted(
        _ sight: OracleSight, _ evaluation: ZoneEvaluation, from before: OracleSight?,
        _ record: Int,
        _ now: Timestamp, rank: Int = recordRank, endsTurn: Bool = true
    ) {
        let silent = trust.trusted.map { (sight.time - $0.time).components.seconds } ?? 0
        if case .first = evaluation {
            trust.usual = 0
        } else if silent > 0 {
            trust.usual = max(min(silent, 2000), trust.usual - trust.usual / 32)
        }
        let isWay = before.map { sight.time - $0.time <= .seconds(300) } ?? false
        if case .first = evaluation {
            trust.previous = nil
        } else {
            trust.previous = trust.trusted
        }
        trust.trusted = sight
        trust.suspect = nil
        add(
            .evaluate(sight, evaluation, way: isWay ? before : nil), record, now, rank: rank,
            endsTurn: endsTurn)
    }

    /// Uncontradicted suspects and ending pauses.
    private mutating func advanceWaits(to end: Timestamp, _ record: Int) {
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
                setTrusted(suspect, .silence, from: nil, record, next.time, rank: next.rank)
            } else {
                setup.person?.unshared.removeAll { $0.until == next.time }
                add(.reconfigure(.all), record, next.time, rank: next.rank)
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
