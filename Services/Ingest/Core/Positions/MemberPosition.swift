import Model

/// How usable a last position is.
public enum PositionState: String, Sendable, Codable, CaseIterable {
    /// At most ``Limits/freshSeconds`` old.
    case fresh
    /// Older than that.
    case stale
    /// Sharing is paused.
    case paused
    /// The phone is impaired and may fail to report.
    case impaired
    /// Sharing is off, or not for this viewer.
    case hidden
    /// Never reported.
    case unknown
}

/// The last position of a circle's member, as far as the viewer may see it.
public struct MemberPosition: Hashable, Sendable {
    public var person: PersonID
    public var name: String
    public var state: PositionState
    /// Until when sharing is paused.
    public var pausedUntil: Timestamp?
    public var precision: Precision
    /// Nil if the location is hidden from the viewer.
    public var fix: Fix?
    /// Name of the zone in which the person is, for viewers who see zones only; nil = in none that
    /// may be named.
    public var zoneName: String?
    /// Age of the fix, whole seconds; nil without a visible fix.
    public var ageSeconds: Int64?
    public var battery: UInt8?
    public var charging: Bool?
    /// By the speed of the fix, otherwise by the two newest fixes; nil if unknown.
    public var isMoving: Bool?
    /// What keeps the phone from reporting properly.
    public var impairments: [Impairment]
    /// Contact state of the device; nil = in contact, or not monitored.
    public var contactState: ContactState?
    /// When contact was lost, as counted by the evaluator.
    public var contactLostSince: Timestamp?

    public init(
        person: PersonID, name: String, state: PositionState, pausedUntil: Timestamp? = nil,
        precision: Precision = .exact, fix: Fix? = nil, zoneName: String? = nil,
        ageSeconds: Int64? = nil,
        battery: UInt8? = nil, charging: Bool? = nil, isMoving: Bool? = nil,
        impairments: [Impairment] = []
    ) {
        self.impairments = impairments
        self.person = person
        self.name = name
        self.state = state
        self.pausedUntil = pausedUntil
        self.precision = precision
        self.fix = fix
        self.zoneName = zoneName
        self.ageSeconds = ageSeconds
        self.battery = battery
        self.charging = charging
        self.isMoving = isMoving
    }
}
