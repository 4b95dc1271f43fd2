import Model

/// What is known of the way to a peer.
struct PeerLink {
    /// What silence asks for.
    enum Step { case nothing, ask, reconnect }

    let name: String
    private var lastHeard: Duration
    private var lastAsked: Duration
    private var lastReconnected: Duration
    /// Whether it was heard since the last time it was silent.
    private(set) var isHeard = false
    private var isToldSilent = false
    /// A connection is closed for good: libzmq does not try again after it was turned away.
    private var isBroken = false
    private var skew = Skew()

    init(name: String, now: Duration) {
        self.name = name
        lastHeard = now
        lastAsked = now
        lastReconnected = now
    }

    /// True if it was not heard before.
    mutating func hear(_ now: Duration) -> Bool {
        lastHeard = now
        isToldSilent = false
        defer { isHeard = true }
        return !isHeard
    }

    /// What to do now about silence.
    mutating func step(_ now: Duration) -> Step {
        let silence = now - lastHeard
        let sinceReconnected = now - lastReconnected
        if isBroken && sinceReconnected >= BusLimits.brokenReconnected
            || silence >= BusLimits.silenceReconnected
                && sinceReconnected >= BusLimits.silenceReconnected
        {
            if silence >= BusLimits.silenceReconnected { isHeard = false }
            isBroken = false
            lastReconnected = now
            lastAsked = now
            return .reconnect
        }
        guard silence >= BusLimits.silenceAsked, now - lastAsked >= BusLimits.silenceAsked else {
            return .nothing
        }
        lastAsked = now
        return .ask
    }

    /// One of the connections was turned away, while others may work.
    mutating func breakOff() { isBroken = true }

    /// True once for each silence that is long enough to be told.
    mutating func becameSilent() -> Bool {
        defer { isToldSilent = true }
        return !isToldSilent
    }

    func isUnhealthy(_ now: Duration) -> Bool {
        now - lastHeard >= BusLimits.silenceUnhealthy
    }

    // MARK: Its clock

    /// How far its clock is from ours, where that is too much; negative: behind.
    var skewSeconds: Int64? { skew.seconds }

    /// Looks at when a frame says that it was sent. True once for a clock that turns out wrong.
    mutating func compare(published: Timestamp, now: Moment) -> Bool {
        skew.note(published - now.wall, now: now.monotonic)
    }
}

/// How far another process's clock is from ours, as far as frames tell that may have waited.
struct Skew: Hashable {
    /// Since when every frame said that it is too much, and on the same side.
    private var since: Duration?
    private var isAhead = false
    /// Nil while the clocks agree well enough.
    private(set) var seconds: Int64?

    /// True when it has just turned out.
    mutating func note(_ difference: Duration, now: Duration) -> Bool {
        let limit = BusLimits.skewMax
        guard difference > limit || difference < .zero - limit else {
            self = Skew()
            return false
        }
        if since == nil || isAhead != (difference > .zero) {
            self = Skew()
            since = now
            isAhead = difference > .zero
        }
        guard let since, now - since >= BusLimits.skewSettled else { return false }
        defer { seconds = difference.components.seconds }
        return seconds == nil
    }

    static func sentence(_ peer: String, _ seconds: Int64) -> String {
        "the clock of \(peer) is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") ours"
    }
}
