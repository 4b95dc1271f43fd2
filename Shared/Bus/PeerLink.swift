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
        guard silence >= BusLimits.silenceAsked else { return .nothing }
        if silence >= BusLimits.silenceReconnected,
            now - lastReconnected >= BusLimits.silenceReconnected
        {
            isHeard = false
            lastReconnected = now
            lastAsked = now
            return .reconnect
        }
        guard now - lastAsked >= BusLimits.silenceAsked else { return .nothing }
        lastAsked = now
        return .ask
    }

    /// True once for each silence that is long enough to be told.
    mutating func becameSilent() -> Bool {
        defer { isToldSilent = true }
        return !isToldSilent
    }

    func isUnhealthy(_ now: Duration) -> Bool {
        now - lastHeard >= BusLimits.silenceUnhealthy
    }
}
