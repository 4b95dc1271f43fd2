import Model
import Parsing
import TimerCore
import Web

/// Calls of the operator's address that are under way.
struct AlarmCalls {
    private let url: String?
    private var running: [UInt64: EmergencyID] = [:]
    private var last: UInt64 = 0

    /// - Parameter url: nil when there is no address
    init(url: String?) { self.url = url }

    /// The transfer that tells the operator; nil without an address.
    mutating func call(_ vigil: Vigil, at now: Timestamp) -> Transfer? {
        guard let url else { return nil }
        last += 1
        running[last] = vigil.emergency
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
    mutating func finished(_ token: UInt64) -> EmergencyID? {
        running.removeValue(forKey: token)
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
