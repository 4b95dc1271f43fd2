import Model

/// How many requests one credential and one address may send. 0: any number.
public struct RequestLimits: Hashable, Sendable {
    /// Calls of one device, or of one person, in a second.
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

    public static let none = RequestLimits(
        callsOfDevicePerSecond: 0, callsOfAddressPerSecond: 0, failuresOfAddressPerMinute: 0)

    /// A device or person may send at once what its limit allows in so long …
    public static let burstOfDeviceSeconds: Int64 = 60
    /// … and an address.
    public static let burstOfAddressSeconds: Int64 = 10
    /// Callers, and addresses, that are counted one by one; further ones share a limit.
    public static let keysMax = 100_000
}

/// Decides which requests of a caller or an address have to wait.
///
/// Nothing is stored: after a start all buckets are full.
public struct RequestLimiter: Sendable {
    /// The limit that was reached.
    public enum Limit: String, Sendable, CaseIterable {
        case device
        case address
        case failures
    }

    /// The sender has to wait.
    public struct Wait: Hashable, Sendable {
        public var limit: Limit
        /// At least 1.
        public var seconds: Int

        public init(limit: Limit, seconds: Int) {
            self.limit = limit
            self.seconds = seconds
        }
    }

    private var devices: RateLimiter<ID128>?
    private var addresses: RateLimiter<String>?
    private var failures: RateLimiter<String>?

    public init(_ limits: RequestLimits) {
        func limiter<Key>(_ perMinute: Int64, seconds: Int64) -> RateLimiter<Key>? {
            guard perMinute > 0 else { return nil }
            return RateLimiter(
                perMinute: perMinute, burst: max(1, perMinute * seconds / 60),
                keysMax: RequestLimits.keysMax)
        }
        devices = limiter(
            limits.callsOfDevicePerSecond * 60, seconds: RequestLimits.burstOfDeviceSeconds)
        addresses = limiter(
            limits.callsOfAddressPerSecond * 60, seconds: RequestLimits.burstOfAddressSeconds)
        failures = limiter(limits.failuresOfAddressPerMinute, seconds: 60)
    }

    /// Counts a request of a known caller.
    ///
    /// - Parameters:
    ///   - caller: the device or person; nil = the operator, who is not limited
    ///   - cost: what the request counts as, at least 1
    /// - Returns: nil if it may pass
    public mutating func pass(
        _ caller: ID128?, from address: String, cost: Int64 = 1, at now: Timestamp
    ) -> Wait? {
        guard let caller else { return nil }
        if let wait = devices?.take(cost, of: caller, at: now) {
            return Wait(limit: .device, seconds: RequestLimiter.seconds(wait))
        }
        return pass(address: address, cost: cost, at: now)
    }

    /// Counts a request for which no credentials are needed.
    public mutating func pass(address: String, cost: Int64 = 1, at now: Timestamp) -> Wait? {
        guard let key = RequestLimiter.key(of: address),
            let wait = addresses?.take(cost, of: key, at: now)
        else { return nil }
        return Wait(limit: .address, seconds: RequestLimiter.seconds(wait))
    }

    /// Counts a request with wrong or missing credentials.
    ///
    /// - Returns: how long the address has to wait, if there were too many
    public mutating func fail(from address: String, at now: Timestamp) -> Wait? {
        RequestLimiter.key(of: address).flatMap { failure(of: $0, at: now) }
    }

    /// Counts a failure of anything that is known by a text.
    public mutating func failure(of key: String, at now: Timestamp) -> Wait? {
        guard let wait = failures?.take(of: key, at: now) else { return nil }
        return Wait(limit: .failures, seconds: RequestLimiter.seconds(wait))
    }

    /// Whole seconds of a wait, rounded up; at least 1.
    public static func seconds(_ wait: Duration) -> Int {
        max(1, Int(clamping: (wait + .microseconds(999_999)).microseconds / 1_000_000))
    }

    /// What an address counts as: of IPv6 the network that one household gets; nil for this machine
    /// itself, which is not limited.
    public static func key(of address: String) -> String? {
        if address.hasPrefix("127.") || address == "::1" { return nil }
        guard address.contains(":") else { return address }
        if let last = address.split(separator: ":").last, last.contains(".") {
            return key(of: String(last))
        }
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        let network = groups.prefix(4).prefix { !$0.isEmpty }
        return network.joined(separator: ":") + "::"
    }
}
