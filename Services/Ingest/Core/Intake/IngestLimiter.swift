import Model
import Timing

/// Limits of requests per device and per address.
public typealias IngestLimits = RequestLimits

/// Limits the rate of requests. Calls for help are never limited, except calls with a replaced
/// secret.
///
/// Not stored: a restart begins with full buckets.
public struct IngestLimiter: Sendable {
    public typealias Limit = RequestLimiter.Limit
    public typealias Wait = RequestLimiter.Wait

    private var requests: RequestLimiter
    /// Hashes of replaced secrets, and until when each is remembered.
    private var replaced: [String: Replaced] = [:]

    private struct Replaced {
        var device: DeviceID
        var until: Timestamp
        /// When it last opened an emergency.
        var opened: Timestamp?
    }

    /// Calls for help with replaced secrets.
    private var callsByReplaced = RateLimiter<String>(
        perMinute: 1, burst: Limits.replacedSecretCallsFree, keysMax: RequestLimits.keysMax)

    /// Alarm answers per device or person.
    private var answers = RateLimiter<ID128>(
        perMinute: Limits.answersPerMinute, burst: Limits.answersPerMinute,
        keysMax: RequestLimits.keysMax)

    public init(_ limits: IngestLimits) { requests = RequestLimiter(limits) }

    /// Admits a request or returns how long its sender has to wait.
    ///
    /// - Parameters:
    ///   - caller: key of the limit, a device or person; nil = not limited
    ///   - reports: number of reports in the request
    ///   - bytes: size of the payload
    public mutating func admit(
        _ caller: ID128?, from address: String, reports: Int = 0, bytes: Int = 0,
        at now: Timestamp
    ) -> Wait? {
        let cost =
            1 + Int64(reports / Limits.reportsPerRequestUnit + bytes / Limits.bytesPerRequestUnit)
        return requests.admit(caller, from: address, cost: cost, at: now)
    }

    /// Admits an alarm answer or returns how long its sender has to wait. Only other alarm answers
    /// of the same sender count.
    public mutating func admitAnswer(_ caller: ID128, at now: Timestamp) -> Wait? {
        answers.consume(of: caller, at: now).map {
            Wait(limit: .device, seconds: RequestLimiter.seconds($0))
        }
    }

    /// Records wrong credentials.
    ///
    /// - Returns: how long the address has to wait, if it sent too many
    public mutating func recordFailure(from address: String, at now: Timestamp) -> Wait? {
        requests.recordFailure(from: address, at: now)
    }

    // MARK: Replaced secrets

    /// Records that a device's secret was replaced.
    ///
    /// - Parameter hash: hash of the former secret
    public mutating func recordReplaced(_ hash: String, of device: DeviceID, at now: Timestamp) {
        if replaced.count >= Limits.replacedSecretsMax {
            replaced = replaced.filter { $0.value.until > now }
            guard replaced.count < Limits.replacedSecretsMax else { return }
        }
        replaced[hash] = Replaced(
            device: device, until: now + .seconds(Limits.replacedSecretSeconds))
    }

    /// Admits a call for help with a replaced secret.
    ///
    /// A burst of 10, then one per minute always pass, for a phone that is about to be set up
    /// again. Further calls count as wrong credentials of the address and of the secret, because
    /// someone else may have found the secret. It opens at most one emergency per hour: either its
    /// owner is already in one, or someone else has the secret.
    ///
    /// - Parameter opens: whether the call would open an emergency
    public mutating func admitCallByReplaced(
        _ hash: String, from address: String, opens: Bool, at now: Timestamp
    ) -> Wait? {
        if opens, let opened = replaced[hash]?.opened {
            let rest = opened + .seconds(Limits.replacedSecretOpensSeconds) - now
            if rest > .zero { return Wait(limit: .failures, seconds: RequestLimiter.seconds(rest)) }
        }
        guard replaced[hash] != nil, callsByReplaced.consume(of: hash, at: now) != nil else {
            return nil
        }
        return requests.recordFailure(of: hash, at: now) ?? recordFailure(from: address, at: now)
    }

    /// Records that a call with a replaced secret opened an emergency. Call it after COMMIT.
    public mutating func recordOpened(byReplaced hash: String, at now: Timestamp) {
        replaced[hash]?.opened = now
    }

    /// The device that used this secret until recently. Its phone is about to be set up again, and
    /// keeps its data if asked to retry later.
    public func deviceOfReplaced(_ hash: String, at now: Timestamp) -> DeviceID? {
        guard let found = replaced[hash], found.until > now else { return nil }
        return found.device
    }
}
