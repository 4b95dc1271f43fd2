import Model

/// What is known of one person.
struct PersonState: Sendable {
    /// A circle whose zones judge the person.
    struct CircleLink: Sendable {
        var circle: CircleID
        /// When the person came, counted in records of configuration.
        var since: UInt64
    }

    let id: PersonID
    /// Ascending.
    var circles: [CircleLink] = []
    var ownZones = JudgedZones()
    /// The device chosen to lead; nil = the first that reported.
    var chosenDevice: DeviceID?
    var firstDevice: DeviceID?
    /// Of the leading device: the fix decided last.
    var decidedFix: Timestamp?
    /// What the configuration's count was at the last decision; zones that came later are new.
    var decidedAt: UInt64 = 0
    /// Whether the next decision is the first of its device.
    var leaderIsNew = true
    /// Zones that the person is inside of. Every other known zone: outside.
    var inside: [ZoneID] = []
    /// Newest of all devices.
    var lastFix: Fix?
    var battery: UInt8?
    var emergency = EmergencyLife()

    init(id: PersonID) { self.id = id }

    var leader: DeviceID? { chosenDevice ?? firstDevice }

    /// Another device leads: its first fix is a first decision, not a crossing.
    mutating func leaderChanged() {
        decidedFix = nil
        leaderIsNew = true
    }

    /// Keeps what an emergency shows of the person.
    mutating func note(_ report: Report) {
        if let lastFix, lastFix.time > report.fix.time { return }
        lastFix = report.fix
        battery = report.battery ?? battery
    }
}
