import Dialects
import Model

/// An active zone alarm, as shown on the person's devices.
public struct AlarmRow: Hashable, Sendable, Codable {
    /// Number of rings of an alarm that were sent to a phone with responses to its reports.
    public struct SentRings: Hashable, Sendable, Codable {
        public var device: DeviceID
        public var rings: Int
    }

    /// The evaluator's last record of it.
    public var change: AlarmChange
    public var started: Timestamp
    /// When it last rang.
    public var rang: Timestamp
    /// The person's answer to the last ring; nil = none yet.
    public var answer: AlarmAnswer.Action?
    /// One entry per device.
    public var sentRings: [SentRings] = []

    private enum CodingKeys: String, CodingKey {
        case change = "news"
        case started, rang, answer
        case sentRings = "heard"
    }

    public init(change: AlarmChange, started: Timestamp, rang: Timestamp) {
        self.change = change
        self.started = started
        self.rang = rang
    }
}

/// People whose alarms are disarmed, and the active alarms.
struct Alarms {
    private var disarmed: Set<PersonID>
    private var rows: [PersonID: [AlarmRow]] = [:]

    init(disarmed: [PersonID], rows: [AlarmRow]) {
        self.disarmed = Set(disarmed)
        for row in rows { put(row) }
    }

    func isArmed(_ person: PersonID) -> Bool { !disarmed.contains(person) }

    /// Active alarms of a person, most urgent first.
    func active(_ person: PersonID) -> [AlarmRow] { rows[person] ?? [] }

    /// - Returns: false if it was already so
    mutating func arm(_ person: PersonID, _ armed: Bool, into effects: inout [Effect]) -> Bool {
        guard isArmed(person) != armed else { return false }
        if armed { disarmed.remove(person) } else { disarmed.insert(person) }
        effects.append(.saveArming(person, armed: armed))
        return true
    }

    /// Records that an alarm started or rang again.
    mutating func recordRing(
        _ change: AlarmChange, at time: Timestamp, into effects: inout [Effect]
    ) {
        let known = active(change.person).first { $0.change.alarm == change.alarm }
        var row = known ?? AlarmRow(change: change, started: time, rang: time)
        row.change = change
        // Only the first ring knows how the alarm started.
        if let known { row.change.initial = known.change.initial }
        row.rang = time
        row.answer = nil
        save(row, into: &effects)
    }

    mutating func recordEnd(_ change: AlarmChange, into effects: inout [Effect]) {
        guard active(change.person).contains(where: { $0.change.alarm == change.alarm }) else {
            return
        }
        rows[change.person]?.removeAll { $0.change.alarm == change.alarm }
        if rows[change.person]?.isEmpty == true { rows[change.person] = nil }
        effects.append(.removeAlarm(change.alarm))
    }

    /// Records the person's answer to rings; a nil zone means all of them.
    mutating func recordAnswer(
        _ person: PersonID, _ zone: ZoneID?, _ action: AlarmAnswer.Action,
        into effects: inout [Effect]
    ) {
        for var row in active(person) where zone == nil || row.change.zone == zone {
            row.answer = action
            save(row, into: &effects)
        }
    }

    /// Returns the rings that were not sent to a phone yet, each once, and marks them as sent.
    /// Answered rings are skipped.
    mutating func popRings(
        for device: DeviceID, of person: PersonID, into effects: inout [Effect]
    ) -> [OwnTracks.Ring] {
        var rings: [OwnTracks.Ring] = []
        for var row in active(person) where row.change.isAudible && row.answer == nil {
            let sent = row.sentRings.first { $0.device == device }?.rings ?? 0
            guard row.change.rings > sent else { continue }
            row.sentRings.removeAll { $0.device == device }
            row.sentRings.append(AlarmRow.SentRings(device: device, rings: row.change.rings))
            save(row, into: &effects)
            rings.append(
                OwnTracks.Ring(
                    zoneName: row.change.zoneName, fix: row.change.fix, started: row.started,
                    rang: row.rang))
        }
        return rings
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for row in rows.removeValue(forKey: person) ?? [] {
            effects.append(.removeAlarm(row.change.alarm))
        }
        if disarmed.remove(person) != nil {
            effects.append(.saveArming(person, armed: true))
        }
    }

    private mutating func save(_ row: AlarmRow, into effects: inout [Effect]) {
        put(row)
        effects.append(.saveAlarm(row))
    }

    private mutating func put(_ row: AlarmRow) {
        var list = active(row.change.person).filter { $0.change.alarm != row.change.alarm }
        list.append(row)
        rows[row.change.person] = list.sorted {
            ($0.change.priority, $0.change.zoneName, $0.change.alarm)
                < ($1.change.priority, $1.change.zoneName, $1.change.alarm)
        }
    }
}
