import Model
import Timing

/// How much of ingest one device and one address may take.
public typealias GateLimits = RequestLimits

/// Who may pass, and who has to wait. Calls for help are never asked about, but those by a secret
/// that was replaced.
///
/// Nothing of it is stored: a start begins with full buckets.
public struct Gate: Sendable {
    public typealias Limit = RequestLimiter.Limit
    public typealias Wait = RequestLimiter.Wait

    private var requests: RequestLimiter
    /// Digests of secrets that a newer one took the place of, and until when that is remembered.
    private var replaced: [String: Replaced] = [:]

    private struct Replaced {
        var device: DeviceID
        var until: Timestamp
        /// When it opened an emergency last.
        var opened: Timestamp?
    }

    /// Calls for help by secrets that were replaced.
    private var callsByReplaced = RateLimiter<String>(
        perMinute: 1, burst: Limits.replacedSecretCallsFree, keysMax: RequestLimits.keysMax)

    /// Answers to alarms, of a device or a person.
    private var answers = RateLimiter<ID128>(
        perMinute: Limits.answersPerMinute, burst: Limits.answersPerMinute,
        keysMax: RequestLimits.keysMax)

    public init(_ limits: GateLimits) { requests = RequestLimiter(limits) }

    /// Lets a call pass, or says how long its sender has to wait.
    ///
    /// - Parameters:
    ///   - caller: the device, or the person who asks; nil = the operator, who is not limited.
    ///   - reports: what a phone brings along, in so many bytes.
    public mutating func pass(
        _ caller: ID128?, from address: String, reports: Int = 0, bytes: Int = 0,
        at now: Timestamp
    ) -> Wait? {
        let cost = 1 + Int64(reports / Limits.gateReportsPerCall + bytes / Limits.gateBytesPerCall)
        return requests.pass(caller, from: address, cost: cost, at: now)
    }

    /// Lets an answer to an alarm pass, or says how long its sender has to wait. Other calls of the
    /// same sender, and those of others from its address, do not hold it up.
    public mutating func passAnswer(_ caller: ID128, at now: Timestamp) -> Wait? {
        answers.take(of: caller, at: now).map {
            Wait(limit: .device, seconds: RequestLimiter.seconds($0))
        }
    }

    /// Notes wrong credentials.
    ///
    /// - Returns: how long the address has to wait, where there were too many.
    public mutating func fail(from address: String, at now: Timestamp) -> Wait? {
        requests.fail(from: address, at: now)
    }

    // MARK: Replaced secrets

    /// Remembers that a secret of a device has been replaced.
    ///
    /// - Parameter hash: of the former one
    public mutating func replace(_ hash: String, of device: DeviceID, at now: Timestamp) {
        if replaced.count >= Limits.replacedSecretsMax {
            replaced = replaced.filter { $0.value.until > now }
            guard replaced.count < Limits.replacedSecretsMax else { return }
        }
        replaced[hash] = Replaced(
            device: device, until: now + .seconds(Limits.replacedSecretSeconds))
    }

    /// Hears a call for help by a secret that was replaced: a few at once and one a minute always,
    /// for a phone that is about to be set up anew; more as what comes with wrong credentials, as
    /// whoever found the former secret somewhere may have it as well. The secret itself counts as
    /// an address. It opens at most one emergency an hour: the phone's owner is in one already, or
    /// somebody else has the secret.
    ///
    /// - Parameter opens: the call joins no emergency that goes on
    public mutating func callByReplaced(
        _ hash: String, from address: String, opens: Bool, at now: Timestamp
    ) -> Wait? {
        if opens, let opened = replaced[hash]?.opened {
            let rest = opened + .seconds(Limits.replacedSecretOpensSeconds) - now
            if rest > .zero { return Wait(limit: .failures, seconds: RequestLimiter.seconds(rest)) }
        }
        guard replaced[hash] != nil, callsByReplaced.take(of: hash, at: now) != nil else {
            return nil
        }
        return requests.failure(of: hash, at: now) ?? fail(from: address, at: now)
    }

    /// Records that a call by a replaced secret has opened an emergency; once that is on the disk.
    public mutating func opened(byReplaced hash: String, at now: Timestamp) {
        replaced[hash]?.opened = now
    }

    /// The device whose secret this was until a while ago: its phone is about to be set up anew,
    /// and keeps what it has when it is told "later".
    public func deviceOfReplaced(_ hash: String, at now: Timestamp) -> DeviceID? {
        guard let found = replaced[hash], found.until > now else { return nil }
        return found.device
    }
}
