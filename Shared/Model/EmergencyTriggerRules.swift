/// What depends on an ``EmergencyTrigger``.
public struct EmergencyTriggerRules: Hashable, Sendable {
    /// Whether the person in danger raised it deliberately.
    ///
    /// Such an emergency shares the exact position with its recipients until it ends, regardless of
    /// the person's sharing settings. All other triggers are automatic, or come from others, and
    /// respect the settings. Every service decides by this value alone.
    public var isOwnCall: Bool
    /// Seconds in which it can be cancelled, unless the request specifies them.
    public var countdownSeconds: Int
    /// Whether the person is asked "Are you OK?" during the countdown.
    public var asksPerson: Bool
    /// Whether phones, wearables and apps of the person may raise it.
    public var isFromPhone: Bool
    /// Whether evaluators detect it, so that its signal is in no other stream than theirs.
    public var isDetected: Bool

    init(
        isOwnCall: Bool = false, countdownSeconds: Int = 0, asksPerson: Bool = false,
        isFromPhone: Bool = false, isDetected: Bool = false
    ) {
        self.isDetected = isDetected
        self.isOwnCall = isOwnCall
        self.countdownSeconds = countdownSeconds
        self.asksPerson = asksPerson
        self.isFromPhone = isFromPhone
    }
}

extension EmergencyTrigger {
    /// The row of this trigger. Nothing else depends on the trigger but texts.
    public var rules: EmergencyTriggerRules {
        switch self {
        case .panic, .shake, .link:
            EmergencyTriggerRules(isOwnCall: true, countdownSeconds: 10, isFromPhone: true)
        case .fall, .crash, .noMotion:
            EmergencyTriggerRules(countdownSeconds: 60, asksPerson: true, isFromPhone: true)
        case .zone:
            EmergencyTriggerRules(countdownSeconds: 60, asksPerson: true, isDetected: true)
        case .sms: EmergencyTriggerRules(isOwnCall: true)
        case .watchExpired, .lostContact, .guardian: EmergencyTriggerRules()
        }
    }

    /// Whether the person in danger raised it deliberately.
    public var isOwnCall: Bool { rules.isOwnCall }
}
