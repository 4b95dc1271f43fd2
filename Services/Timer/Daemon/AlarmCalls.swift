import Model
import Parsing
import TimerCore
import Web

/// Calls of the operator's address that are under way, and those that still have to leave.
///
/// A call leaves after COMMIT, and a store that cannot commit takes it back together with its turn.
/// So what was decided is kept here, past the store, until a turn is known to have been committed.
struct AlarmCalls {
    private let url: String?
    private var running: [UInt64: EmergencyID] = [:]
    private var last: UInt64 = 0
    /// Tokens and vigils of calls made in the last turn, which may still be taken back.
    private var departing: [UInt64: Vigil] = [:]
    /// Alarms whose turn was taken back.
    private var owed: [EmergencyID: Vigil] = [:]
    /// When owed calls were last made.
    private var lastOwed: Timestamp?
    /// Owed calls are among those departing.
    private var isOwedDeparting = false
    /// Emergencies of which the operator's address has taken a call.
    private var taken: Set<EmergencyID> = []
    /// When an emergency's alarm was last logged.
    private var logged: [EmergencyID: Timestamp] = [:]

    /// - Parameter url: nil when there is no address
    init(url: String?) { self.url = url }

    /// The transfer that tells the operator; nil without an address.
    mutating func call(_ vigil: Vigil, at now: Timestamp) -> Transfer? {
        guard let url else { return nil }
        last += 1
        running[last] = vigil.emergency
        departing[last] = vigil
        let body: JSON = [
            "alarm": "emergency-undelivered",
            "emergency": .string(vigil.emergency.description),
            "person": .string(vigil.person.description),
            "countdownEnds": .string(vigil.countdownEnds.description),
            "time": .string(now.description),
            "call": .integer(Int64(vigil.calls)),
        ]
        let call = HTTPCall(
            .post, url, headers: ["Content-Type": "application/json"], body: body.serialized(),
            isRepeatable: true)
        return Transfer(
            token: last, lane: .safety, .http(call),
            timeoutMilliseconds: Limits.alarmCallMillisecondsMax)
    }

    /// The emergency of a call that has come to its end; nil for one that is not known.
    mutating func finished(_ token: UInt64, isTaken: Bool) -> EmergencyID? {
        let emergency = running.removeValue(forKey: token)
        if let emergency, isTaken {
            taken.insert(emergency)
            owed[emergency] = nil
        }
        return emergency
    }

    /// A turn has begun and nothing was taken back: the calls made before it have left.
    mutating func haveLeft() {
        for vigil in departing.values { owed[vigil.emergency] = nil }
        isOwedDeparting = false
        departing.removeAll()
    }

    /// The last turn was taken back, and its calls with it.
    mutating func wereTakenBack() {
        for (token, vigil) in departing {
            running[token] = nil
            if !taken.contains(vigil.emergency) { owed[vigil.emergency] = vigil }
        }
        // Owed calls that were taken back once more have not left: the next turn may make them.
        if isOwedDeparting { lastOwed = nil }
        isOwedDeparting = false
        departing.removeAll()
    }

    /// Calls that have to leave in a turn that writes nothing, at most once a minute; empty when
    /// there are none.
    mutating func owedCalls(at now: Timestamp) -> [Transfer] {
        let wait = Duration.seconds(Limits.owedAlarmSeconds)
        guard !owed.isEmpty, lastOwed.map({ $0 + wait <= now }) ?? true else { return [] }
        lastOwed = now
        isOwedDeparting = true
        return owed.values.sorted { $0.emergency < $1.emergency }.compactMap { call($0, at: now) }
    }

    /// Whether an alarm is to be logged: however often its turn is taken back, once a minute.
    mutating func isToBeLogged(_ emergency: EmergencyID, at now: Timestamp) -> Bool {
        let wait = Duration.seconds(Limits.owedAlarmSeconds)
        if let last = logged[emergency], now < last + wait { return false }
        logged[emergency] = now
        return true
    }

    /// Nobody need be called about this emergency any longer.
    mutating func forget(_ emergency: EmergencyID) {
        owed[emergency] = nil
        taken.remove(emergency)
        logged[emergency] = nil
    }
}

extension TransferOutcome {
    /// Nil when the operator's address took the alarm; else what it said instead.
    var refusal: String? {
        switch self {
        case .answered(let answer) where (200..<300).contains(answer.status): nil
        case .answered(let answer): "status \(answer.status)"
        case .failed(let failure): failure.message
        }
    }
}
