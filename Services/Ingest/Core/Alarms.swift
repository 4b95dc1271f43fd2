import Dialects
import Model

/// An alarm that goes on, as the phones of its person show it.
public struct AlarmRow: Hashable, Sendable, Codable {
    /// How many rings of an alarm a phone has been told of in the answer to a report.
    public struct Heard: Hashable, Sendable, Codable {
        public var device: DeviceID
        public var rings: Int
    }

    /// As the evaluator told it last.
    public var news: AlarmNews
    public var started: Timestamp
    /// When it rang last.
    public var rang: Timestamp
    /// What the person answered to the last ring; nil = nothing yet.
    public var answer: AlarmAnswer.Action?
    /// One a device.
    public var heard: [Heard] = []

    public init(news: AlarmNews, started: Timestamp, rang: Timestamp) {
        self.news = news
        self.started = started
        self.rang = rang
    }
}

/// Whose devices alarm, and the alarms that go on, as evaluators tell them.
struct Alarms {
    private var disarmed: Set<PersonID>
    private var rows: [PersonID: [AlarmRow]] = [:]

    init(disarmed: [PersonID], rows: [AlarmRow]) {
        self.disarmed = Set(disarmed)
        for row in rows { put(row) }
    }

    func isArmed(_ person: PersonID) -> Bool { !disarmed.contains(person) }

    /// The most urgent first.
    func goingOn(_ person: PersonID) -> [AlarmRow] { rows[person] ?? [] }

    /// - Returns: false when it is so already.
    mutating func arm(_ person: PersonID, _ armed: Bool, into effects: inout [Effect]) -> Bool {
        guard isArmed(person) != armed else { return false }
        if armed { disarmed.remove(person) } else { disarmed.insert(person) }
        effects.append(.saveArming(person, armed: armed))
        return true
    }

    /// An alarm began or rang again.
    mutating func rang(_ news: AlarmNews, at time: Timestamp, into effects: inout [Effect]) {
        let known = goingOn(news.person).first { $0.news.alarm == news.alarm }
        var row = known ?? AlarmRow(news: news, started: time, rang: time)
        row.news = news
        // A later ring does not tell how it began.
        if let known { row.news.initial = known.news.initial }
        row.rang = time
        row.answer = nil
        keep(row, into: &effects)
    }

    mutating func ended(_ news: AlarmNews, into effects: inout [Effect]) {
        guard goingOn(news.person).contains(where: { $0.news.alarm == news.alarm }) else { return }
        rows[news.person]?.removeAll { $0.news.alarm == news.alarm }
        if rows[news.person]?.isEmpty == true { rows[news.person] = nil }
        effects.append(.removeAlarm(news.alarm))
    }

    /// The person has heard these rings; a nil zone is all of them.
    mutating func answered(
        _ person: PersonID, _ zone: ZoneID?, _ action: AlarmAnswer.Action,
        into effects: inout [Effect]
    ) {
        for var row in goingOn(person) where zone == nil || row.news.zone == zone {
            row.answer = action
            keep(row, into: &effects)
        }
    }

    /// The rings that a phone has not been told of, each once; those that were answered meanwhile
    /// are over.
    mutating func takeRings(
        for device: DeviceID, of person: PersonID, into effects: inout [Effect]
    ) -> [OwnTracks.Ring] {
        var rings: [OwnTracks.Ring] = []
        for var row in goingOn(person) where row.news.speaks && row.answer == nil {
            let heard = row.heard.first { $0.device == device }?.rings ?? 0
            guard row.news.rings > heard else { continue }
            row.heard.removeAll { $0.device == device }
            row.heard.append(AlarmRow.Heard(device: device, rings: row.news.rings))
            keep(row, into: &effects)
            rings.append(
                OwnTracks.Ring(
                    zoneName: row.news.zoneName, fix: row.news.fix, started: row.started,
                    rang: row.rang))
        }
        return rings
    }

    /// Forgets a person who is gone.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for row in rows.removeValue(forKey: person) ?? [] {
            effects.append(.removeAlarm(row.news.alarm))
        }
        if disarmed.remove(person) != nil {
            effects.append(.saveArming(person, armed: true))
        }
    }

    private mutating func keep(_ row: AlarmRow, into effects: inout [Effect]) {
        put(row)
        effects.append(.saveAlarm(row))
    }

    private mutating func put(_ row: AlarmRow) {
        var list = goingOn(row.news.person).filter { $0.news.alarm != row.news.alarm }
        list.append(row)
        rows[row.news.person] = list.sorted {
            ($0.news.priority, $0.news.zoneName, $0.news.alarm)
                < ($1.news.priority, $1.news.zoneName, $1.news.alarm)
        }
    }
}
