import Model

/// Request limits per credential and address; 0 = unlimited.
public struct RequestLimits: Hashable, Sendable {
    /// Requests per second of a device or person.
    public var callsOfDevicePerSecond: Int64
    /// Requests per second of an address.
    public var callsOfAddressPerSecond: Int64
    /// Requests with wrong credentials per minute of an address.
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

    /// Capacity of a device's or person's bucket, in seconds of its limit …
    public static let burstOfDeviceSeconds: Int64 = 60
    /// … and of an address's bucket.
    public static let burstOfAddressSeconds: Int64 = 10
    /// Callers and addresses that are counted individually; further ones share a limit.
    public static let keysMax = 100_000
}

/// Limits the request rate of callers and addresses.
///
/// Its state is volatile: after a start all buckets are full.
public struct RequestLimiter: Sendable {
    /// The exceeded limit.
    public enum Limit: String, Sendable, CaseIterable {
        case device
        case address
        case failures
    }

    /// How long the client must wait.
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

    /// Counts a request of an authenticated caller.
    ///
    /// - Parameters:
    ///   - caller: key of the limit, a device or person; nil = not limited
    ///   - cost: tokens, at least 1
    /// - Returns: nil if the request is admitted
    public mutating func admit(
        _ caller: ID128?, from address: String, cost: Int64 = 1, at now: Timestamp
    ) -> Wait? {
        guard let caller else { return nil }
        if let wait = devices?.consume(cost, of: caller, at: now) {
            return Wait(limit: .device, seconds: RequestLimiter.seconds(wait))
        }
        return admit(address: address, cost: cost, at: now)
    }

    /// Counts a request that needs no credentials.
    public mutating func admit(address: String, cost: Int64 = 1, at now: Timestamp) -> Wait? {
        guard let key = RequestLimiter.key(of: address),
            let wait = addresses?.consume(cost, of: key, at: now)
        else { return nil }
        return Wait(limit: .address, seconds: RequestLimiter.seconds(wait))
    }

    /// Counts a request with wrong or missing credentials.
    ///
    /// - Returns: how long the address must wait, if there were too many
    public mutating func recordFailure(from address: String, at now: Timestamp) -> Wait? {
        RequestLimiter.key(of: address).flatMap { recordFailure(of: $0, at: now) }
    }

    /// Counts a failure for any key.
    public mutating func recordFailure(of key: String, at now: Timestamp) -> Wait? {
        guard let wait = failures?.consume(of: key, at: now) else { return nil }
        return Wait(limit: .failures, seconds: RequestLimiter.seconds(wait))
    }

    /// Seconds of a delay, rounded up; at least 1.
    public static func seconds(_ wait: Duration) -> Int {
        max(1, Int(clamping: (wait + .microseconds(999_999)).microseconds / 1_000_000))
    }

    /// The rate limit key of an address: the /64 network of an IPv6 address; nil for loopback,
    /// which is not limited.
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
