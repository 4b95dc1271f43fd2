import Model

/// Connection state of a peer.
struct PeerLink {
    /// What to do about the time since the last frame.
    enum Step { case nothing, requestHeads, reconnect }

    let name: String
    private var lastReceived: Duration
    private var lastRequested: Duration
    private var lastReconnected: Duration
    /// Whether a frame was received since the last reconnect for a timeout.
    private(set) var isConnected = false
    private var isDisconnectionReported = false
    /// Whether a connection was rejected; libzmq does not retry it.
    private var isBroken = false
    private var skew = ClockSkew()

    init(name: String, now: Duration) {
        self.name = name
        lastReceived = now
        lastRequested = now
        lastReconnected = now
    }

    /// Records a received frame. Returns true if the peer was disconnected before.
    mutating func recordFrame(_ now: Duration) -> Bool {
        lastReceived = now
        isDisconnectionReported = false
        defer { isConnected = true }
        return !isConnected
    }

    /// Returns what to do about the time since the last frame.
    mutating func step(_ now: Duration) -> Step {
        let idle = now - lastReceived
        let sinceReconnected = now - lastReconnected
        if isBroken && sinceReconnected >= BusLimits.brokenReconnectInterval
            || idle >= BusLimits.idleBeforeReconnect
                && sinceReconnected >= BusLimits.idleBeforeReconnect
        {
            if idle >= BusLimits.idleBeforeReconnect { isConnected = false }
            isBroken = false
            lastReconnected = now
            lastRequested = now
            return .reconnect
        }
        guard idle >= BusLimits.idleBeforeHeadsRequest,
            now - lastRequested >= BusLimits.idleBeforeHeadsRequest
        else {
            return .nothing
        }
        lastRequested = now
        return .requestHeads
    }

    /// Records that one connection was rejected while others may work.
    mutating func markBroken() { isBroken = true }

    /// Returns true once per disconnection.
    mutating func shouldReportDisconnection() -> Bool {
        defer { isDisconnectionReported = true }
        return !isDisconnectionReported
    }

    func isUnhealthy(_ now: Duration) -> Bool {
        now - lastReceived >= BusLimits.idleBeforeUnhealthy
    }

    // MARK: Clock skew

    /// Difference of the peer's clock if it is too large; negative = behind.
    var skewSeconds: Int64? { skew.seconds }

    /// Compares a frame's send time with ours. Returns true when skew is detected.
    mutating func compare(published: Timestamp, now: Moment) -> Bool {
        skew.update(published - now.wall, now: now.monotonic)
    }
}

/// Detects clock skew of a peer. Single frames may have waited, so all frames must agree for a
/// while.
struct ClockSkew: Hashable {
    /// Since when all frames agree on the direction of an excessive difference.
    private var since: Duration?
    private var isAhead = false
    /// Nil while the difference is acceptable.
    private(set) var seconds: Int64?

    /// Returns true when skew is detected.
    mutating func update(_ difference: Duration, now: Duration) -> Bool {
        let limit = BusLimits.skewMax
        guard difference > limit || difference < .zero - limit else {
            self = ClockSkew()
            return false
        }
        if since == nil || isAhead != (difference > .zero) {
            self = ClockSkew()
            since = now
            isAhead = difference > .zero
        }
        guard let since, now - since >= BusLimits.skewDetection else { return false }
        defer { seconds = difference.components.seconds }
        return seconds == nil
    }

    static func sentence(_ peer: String, _ seconds: Int64) -> String {
        "the clock of \(peer) is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") ours"
    }
}
