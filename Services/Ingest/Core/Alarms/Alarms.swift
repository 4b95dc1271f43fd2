import Dialects
import Directory
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
        case change
        case started, rang, answer
        case sentRings
    }

    public init(change: AlarmChange, started: Timestamp, rang: Timestamp) {
        self.change = change
        self.started = started
        self.rang = rang
    }
}

/// A change of the stored alarms.
public enum AlarmEffect: Hashable, Sendable {
    case save(AlarmRow)
    case remove(AlarmID)
    case arm(PersonID, armed: Bool)
}

/// An action on zone alarms.
public enum AlarmAction: String, Sendable, CaseIterable {
    /// Stops the current ring.
    case close
    /// Silences the alarm for the zone's sleep time.
    case sleep
    case arm, disarm
}

/// `POST /v1/people/{person}/alarm/{action}`.
public struct AlarmRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    public var action: AlarmAction
    /// Nil = all active alarms.
    public var zone: ZoneID?
    /// Equal for a repeated request.
    public var cause: ID128
    public var trace: String

    public init(
        request: UInt64, principal: Principal, person: PersonID, action: AlarmAction,
        zone: ZoneID? = nil, cause: ID128, trace: String = ""
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.action = action
        self.zone = zone
        self.cause = cause
        self.trace = trace
    }
}

/// Whether a person's alarms are armed, and the active ones.
public struct AlarmView: Hashable, Sendable {
    public var isArmed: Bool
    /// The most urgent first.
    public var alarms: [AlarmRow]
}

/// People whose alarms are disarmed, and the active alarms.
struct Alarms {
    private var disarmed: Set<PersonID>
    private var rows: [PersonID: [AlarmRow]] = [:]

    init(disarmed: [PersonID], rows: [AlarmRow]) {
        self.disarmed = Set(disarmed)
        for row in rows { put(row) }
    }

    private func isArmed(_ person: PersonID) -> Bool { !disarmed.contains(person) }

    /// Active alarms of a person, most urgent first.
    private func active(_ person: PersonID) -> [AlarmRow] { rows[person] ?? [] }

    /// Passes a person's action on their alarms to the evaluator, which decides the result.
    mutating func answer(
        _ request: AlarmRequest, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        let (person, trace) = (request.person, request.trace)
        guard
            turn.allows(
                request.principal, .answerAlarms, on: .person(person), for: request.request)
        else { return }
        let body: EventBody?
        switch request.action {
        case .arm, .disarm:
            let armed = request.action == .arm
            let arming = Arming(person: person, armed: armed, at: turn.now, trace: trace)
            body = arm(person, armed, &turn) ? .inputArming(arming) : nil
        case .close, .sleep:
            let action: AlarmAnswer.Action = request.action == .close ? .close : .sleep
            recordAnswer(person, request.zone, action, &turn)
            body = .inputAlarmAnswer(
                AlarmAnswer(
                    person: person, zone: request.zone, action: action, at: turn.now,
                    trace: trace))
        }
        if let body {
            sequencer.append(body, of: person, cause: request.cause, trace: trace, &turn)
        }
        turn.answer(request.request, .alarm(view(of: person)))
    }

    func read(_ request: ReadRequest<PersonID>, _ turn: inout Turn<Effect>) {
        guard
            turn.allows(
                request.principal, .answerAlarms, on: .person(request.id), for: request.request)
        else { return }
        turn.answer(request.request, .alarm(view(of: request.id)))
    }

    private func view(of person: PersonID) -> AlarmView {
        AlarmView(isArmed: isArmed(person), alarms: active(person))
    }

    /// - Returns: false if it was already so
    private mutating func arm(_ person: PersonID, _ armed: Bool, _ turn: inout Turn<Effect>) -> Bool
    {
        guard isArmed(person) != armed else { return false }
        if armed { disarmed.remove(person) } else { disarmed.insert(person) }
        turn.emit(.alarm(.arm(person, armed: armed)))
        return true
    }

    /// Records that an alarm started or rang again.
    mutating func recordRing(_ change: AlarmChange, at time: Timestamp, _ turn: inout Turn<Effect>)
    {
        let known = active(change.person).first { $0.change.alarm == change.alarm }
        var row = known ?? AlarmRow(change: change, started: time, rang: time)
        row.change = change
        // Only the first ring knows how the alarm started.
        if let known { row.change.initial = known.change.initial }
        row.rang = time
        row.answer = nil
        save(row, &turn)
    }

    mutating func recordEnd(_ change: AlarmChange, _ turn: inout Turn<Effect>) {
        guard active(change.person).contains(where: { $0.change.alarm == change.alarm }) else {
            return
        }
        rows[change.person]?.removeAll { $0.change.alarm == change.alarm }
        if rows[change.person]?.isEmpty == true { rows[change.person] = nil }
        turn.emit(.alarm(.remove(change.alarm)))
    }

    /// Records the person's answer to rings; a nil zone means all of them.
    private mutating func recordAnswer(
        _ person: PersonID, _ zone: ZoneID?, _ action: AlarmAnswer.Action,
        _ turn: inout Turn<Effect>
    ) {
        for var row in active(person) where zone == nil || row.change.zone == zone {
            row.answer = action
            save(row, &turn)
        }
    }

    /// Returns the rings that were not sent to a phone yet, each once, and marks them as sent.
    /// Answered rings are skipped.
    mutating func popRings(for device: DeviceID, of person: PersonID, _ turn: inout Turn<Effect>)
        -> [OwnTracks.Ring]
    {
        var rings: [OwnTracks.Ring] = []
        for var row in active(person) where row.change.isAudible && row.answer == nil {
            let sent = row.sentRings.first { $0.device == device }?.rings ?? 0
            guard row.change.rings > sent else { continue }
            row.sentRings.removeAll { $0.device == device }
            row.sentRings.append(AlarmRow.SentRings(device: device, rings: row.change.rings))
            save(row, &turn)
            rings.append(
                OwnTracks.Ring(
                    zoneName: row.change.zoneName, fix: row.change.fix, started: row.started,
                    rang: row.rang))
        }
        return rings
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        for row in rows.removeValue(forKey: person) ?? [] {
            turn.emit(.alarm(.remove(row.change.alarm)))
        }
        if disarmed.remove(person) != nil {
            turn.emit(.alarm(.arm(person, armed: true)))
        }
    }

    private mutating func save(_ row: AlarmRow, _ turn: inout Turn<Effect>) {
        put(row)
        turn.emit(.alarm(.save(row)))
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
