/// Newest position of a person in an open emergency, or with an open live link.
///
/// Ingest publishes it on `sos` at the opening, with the trail before it if there is an emergency,
/// and then at most once in 10 s when it changed. The notifier shows it and keeps it.
public struct FollowedPosition: PersonPayload {
    public var person: PersonID
    /// Nil = it is published for live links only.
    public var emergency: EmergencyID?
    /// Fixes of the primary device, oldest first, never empty; the last one is the newest. More
    /// than one at the opening only.
    public var fixes: [Fix]
    /// Percent.
    public var battery: UInt8?
    public var charging: Bool?
    /// What keeps the phone from reporting properly, ascending.
    public var impairments: [Impairment]
    /// Whether the person has an open journey; nil = no. Live links for a journey end with it.
    public var isOnJourney: Bool?

    public init(
        person: PersonID, emergency: EmergencyID?, fixes: [Fix], battery: UInt8? = nil,
        charging: Bool? = nil, impairments: [Impairment] = [], isOnJourney: Bool? = nil
    ) {
        self.isOnJourney = isOnJourney
        self.person = person
        self.emergency = emergency
        self.fixes = fixes
        self.battery = battery
        self.charging = charging
        self.impairments = impairments
    }
}

/// How a device reports, for readiness.
///
/// Ingest publishes it on `sos` when the day of its newest fix, its app or its impairments change.
public struct DeviceReporting: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    /// Whether it is the primary device if the person has chosen none.
    public var isFirst: Bool
    /// The name of its app's protocol; nil = unknown.
    public var app: String?
    /// Time of its newest fix, exact to the day (UTC); nil = it has sent none.
    public var lastReport: Timestamp?
    /// Ascending.
    public var impairments: [Impairment]

    public init(
        person: PersonID, device: DeviceID, isFirst: Bool, app: String?, lastReport: Timestamp?,
        impairments: [Impairment]
    ) {
        self.person = person
        self.device = device
        self.isFirst = isFirst
        self.app = app
        self.lastReport = lastReport
        self.impairments = impairments
    }

    /// Whether it may fail to report.
    public var isImpaired: Bool { impairments.contains(where: \.preventsReporting) }
}
