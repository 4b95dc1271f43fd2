import Model
import Parsing
import TimerCore
import Web

/// Calls to the operator's alarm URL: in flight and still owed.
///
/// A call leaves after COMMIT, so a store that cannot commit rolls it back with its turn. Therefore
/// calls are also kept here, outside the store, until their turn is known to be committed.
struct AlarmCalls {
    private let url: String?
    private var running: [UInt64: EmergencyID] = [:]
    private var last: UInt64 = 0
    /// Tokens and watchdogs of calls of the last turn, which may still be rolled back.
    private var unconfirmed: [UInt64: DeliveryWatchdog] = [:]
    /// Alarms whose turn was rolled back.
    private var owed: [EmergencyID: DeliveryWatchdog] = [:]
    /// When owed calls were last made.
    private var lastOwed: Timestamp?
    /// Whether the calls of the last turn include owed ones.
    private var isOwedUnconfirmed = false
    /// Emergencies for which the alarm URL has accepted a call.
    private var accepted: Set<EmergencyID> = []
    /// When an emergency's alarm was last logged.
    private var logged: [EmergencyID: Timestamp] = [:]

    /// - Parameter url: nil = no alarm URL is set.
    init(url: String?) { self.url = url }

    /// The transfer that calls the operator; nil without an alarm URL.
    mutating func call(_ deliveryWatchdog: DeliveryWatchdog, at now: Timestamp) -> Transfer? {
        guard let url else { return nil }
        last += 1
        running[last] = deliveryWatchdog.emergency
        unconfirmed[last] = deliveryWatchdog
        let body: JSON = [
            "alarm": "emergency-undelivered",
            "emergency": .string(deliveryWatchdog.emergency.description),
            "person": .string(deliveryWatchdog.person.description),
            "countdownEnds": .string(deliveryWatchdog.countdownEnds.description),
            "time": .string(now.description),
            "call": .integer(Int64(deliveryWatchdog.calls)),
        ]
        let call = HTTPCall(
            .post, url, headers: ["Content-Type": "application/json"], body: body.serialized(),
            isRepeatable: true)
        return Transfer(
            token: last, lane: .safety, .http(call),
            timeoutMilliseconds: Limits.alarmCallMillisecondsMax)
    }

    /// Handles the result of a call. Returns its emergency; nil for an unknown call.
    mutating func finish(_ token: UInt64, isAccepted: Bool) -> EmergencyID? {
        let emergency = running.removeValue(forKey: token)
        if let emergency, isAccepted {
            accepted.insert(emergency)
            owed[emergency] = nil
        }
        return emergency
    }

    /// Confirms the calls of the last turn: a new turn has begun without a rollback.
    mutating func confirmCalls() {
        for deliveryWatchdog in unconfirmed.values { owed[deliveryWatchdog.emergency] = nil }
        isOwedUnconfirmed = false
        unconfirmed.removeAll()
    }

    /// Handles the rollback of the last turn and its calls.
    mutating func rollBack() {
        for (token, deliveryWatchdog) in unconfirmed {
            running[token] = nil
            if !accepted.contains(deliveryWatchdog.emergency) {
                owed[deliveryWatchdog.emergency] = deliveryWatchdog
            }
        }
        // Owed calls that were rolled back again have not left: the next turn may repeat them.
        if isOwedUnconfirmed { lastOwed = nil }
        isOwedUnconfirmed = false
        unconfirmed.removeAll()
    }

    /// Owed calls to make in a turn that writes nothing, at most once a minute.
    mutating func owedCalls(at now: Timestamp) -> [Transfer] {
        let wait = Duration.seconds(Limits.owedAlarmSeconds)
        guard !owed.isEmpty, lastOwed.map({ $0 + wait <= now }) ?? true else { return [] }
        lastOwed = now
        isOwedUnconfirmed = true
        return owed.values.sorted { $0.emergency < $1.emergency }.compactMap { call($0, at: now) }
    }

    /// Whether to log an alarm now: at most once a minute, however often its turn is rolled back.
    mutating func shouldLog(_ emergency: EmergencyID, at now: Timestamp) -> Bool {
        let wait = Duration.seconds(Limits.owedAlarmSeconds)
        if let last = logged[emergency], now < last + wait { return false }
        logged[emergency] = now
        return true
    }

    /// Drops the owed calls about an emergency.
    mutating func forget(_ emergency: EmergencyID) {
        owed[emergency] = nil
        accepted.remove(emergency)
        logged[emergency] = nil
    }
}

extension TransferOutcome {
    /// Why the alarm URL did not accept the alarm; nil if it did.
    var rejection: String? {
        switch self {
        case .answered(let answer) where (200..<300).contains(answer.status): nil
        case .answered(let answer): "status \(answer.status)"
        case .failed(let failure): failure.message
        }
    }
}
