import Model

/// How much of ingest one device and one address may take. 0: as much as they like.
public struct GateLimits: Hashable, Sendable {
    /// Calls of one device, or of one person, in a second. Twenty reports count as a call more, and
    /// so do 64 KiB.
    public var callsOfDevicePerSecond: Int64
    /// Calls from one address in a second.
    public var callsOfAddressPerSecond: Int64
    /// Calls with wrong credentials from one address in a minute.
    public var failuresOfAddressPerMinute: Int64

    public init(
        callsOfDevicePerSecond: Int64, callsOfAddressPerSecond: Int64,
        failuresOfAddressPerMinute: Int64
    ) {
        self.callsOfDevicePerSecond = callsOfDevicePerSecond
        self.callsOfAddressPerSecond = callsOfAddressPerSecond
        self.failuresOfAddressPerMinute = failuresOfAddressPerMinute
    }

    public static let none = GateLimits(
        callsOfDevicePerSecond: 0, callsOfAddressPerSecond: 0, failuresOfAddressPerMinute: 0)
}

/// Who may pass, and who has to wait. Calls for help are never asked about, but those by a secret
/// that was replaced.
///
/// Nothing of it is stored: a start begins with full buckets.
public struct Gate: Sendable {
    /// Whose limit it was.
    public enum Limit: String, Sendable, CaseIterable {
        case device
        case address
        case failures
    }

    /// Somebody has to wait.
    public struct Wait: Hashable, Sendable {
        public var limit: Limit
        /// At least 1.
        public var seconds: Int
    }

    private var devices: RateLimiter<ID128>?
    private var addresses: RateLimiter<String>?
    private var failures: RateLimiter<String>?
    /// Digests of secrets that a newer one took the place of, and until when that is remembered.
    private var replaced: [String: Replaced] = [:]

    private struct Replaced {
        var device: DeviceID
        var until: Timestamp
    }

    /// Calls for help by secrets that were replaced.
    private var callsByReplaced = RateLimiter<String>(
        perMinute: 1, burst: Limits.replacedSecretCallsFree, keysMax: Limits.gateKeysMax)

    public init(_ limits: GateLimits) {
        func limiter<Key>(_ perMinute: Int64, seconds: Int64) -> RateLimiter<Key>? {
            guard perMinute > 0 else { return nil }
            return RateLimiter(
                perMinute: perMinute, burst: max(1, perMinute * seconds / 60),
                keysMax: Limits.gateKeysMax)
        }
        devices = limiter(
            limits.callsOfDevicePerSecond * 60, seconds: Limits.gateBurstOfDeviceSeconds)
        addresses = limiter(
            limits.callsOfAddressPerSecond * 60, seconds: Limits.gateBurstOfAddressSeconds)
        failures = limiter(limits.failuresOfAddressPerMinute, seconds: 60)
    }

    /// Lets a call pass, or says how long its sender has to wait.
    ///
    /// - Parameters:
    ///   - caller: the device, or the person who asks; nil = the operator, who is not limited.
    ///   - reports: what a phone brings along, in so many bytes.
    public mutating func pass(
        _ caller: ID128?, from address: String, reports: Int = 0, bytes: Int = 0,
        at now: Timestamp
    ) -> Wait? {
        guard let caller else { return nil }
        let cost = 1 + Int64(reports / Limits.gateReportsPerCall + bytes / Limits.gateBytesPerCall)
        if let wait = devices?.take(cost, of: caller, at: now) {
            return Wait(limit: .device, seconds: Gate.seconds(wait))
        }
        guard let key = Gate.key(of: address),
            let wait = addresses?.take(cost, of: key, at: now)
        else { return nil }
        return Wait(limit: .address, seconds: Gate.seconds(wait))
    }

    /// Notes wrong credentials.
    ///
    /// - Returns: how long the address has to wait, where there were too many.
    public mutating func fail(from address: String, at now: Timestamp) -> Wait? {
        guard let key = Gate.key(of: address), let wait = failures?.take(of: key, at: now) else {
            return nil
        }
        return Wait(limit: .failures, seconds: Gate.seconds(wait))
    }

    private static func seconds(_ wait: Duration) -> Int {
        max(1, Int(clamping: (wait.microseconds + 999_999) / 1_000_000))
    }

    /// What an address counts as: of IPv6 the network that one household gets; nil for this machine
    /// itself, which is not limited.
    static func key(of address: String) -> String? {
        if address.hasPrefix("127.") || address == "::1" { return nil }
        guard address.contains(":") else { return address }
        if let last = address.split(separator: ":").last, last.contains(".") {
            return key(of: String(last))
        }
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        let network = groups.prefix(4).prefix { !$0.isEmpty }
        return network.joined(separator: ":") + "::"
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
    /// an address.
    public mutating func callByReplaced(
        _ hash: String, from address: String, at now: Timestamp
    ) -> Wait? {
        guard replaced[hash] != nil, callsByReplaced.take(of: hash, at: now) != nil else {
            return nil
        }
        if let wait = failures?.take(of: hash, at: now) {
            return Wait(limit: .failures, seconds: Gate.seconds(wait))
        }
        return fail(from: address, at: now)
    }

    /// The device whose secret this was until a while ago: its phone is about to be set up anew,
    /// and keeps what it has when it is told "later".
    public func deviceOfReplaced(_ hash: String, at now: Timestamp) -> DeviceID? {
        guard let found = replaced[hash], found.until > now else { return nil }
        return found.device
    }
}
