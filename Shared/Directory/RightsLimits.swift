import Model

/// A limit that depends on an axis of the product.
public enum RightsLimit: String, Sendable, CaseIterable {
    /// Members of a circle, including open invitations, by the affiliation of who adds one. The
    /// limit of the plan holds, too.
    case membersPerCircle = "members-per-circle"
    /// Whether SMS other than safety and account reach a person, by affiliation.
    case sms
    /// Regions in the reporting policy of a device, by platform.
    case regions
    /// Days after which a trial lapses.
    case trialDays = "trial-days"
    /// Whether a one-time code signs in, by sign-in kind.
    case codeSignIn = "code-sign-in"
}

/// A row of the table of limits.
public struct LimitRow: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case flag(Bool)
        /// A number and its range.
        case number(Int, in: ClosedRange<Int>)
    }

    public let limit: RightsLimit
    /// The value of the axis, such as `ios`.
    public let axis: String
    public internal(set) var value: Value

    /// As in the document and in the file of overrides, such as `regions.ios`.
    public var name: String { "\(limit.rawValue).\(axis)" }

    private init(_ limit: RightsLimit, _ axis: some RawRepresentable<String>, _ value: Value) {
        self.limit = limit
        self.axis = axis.rawValue
        self.value = value
    }

    static let standard: [LimitRow] = [
        LimitRow(.membersPerCircle, Affiliation.subscriber, .number(500, in: 1...500)),
        LimitRow(.membersPerCircle, Affiliation.none, .number(5, in: 1...500)),
        LimitRow(.sms, Affiliation.subscriber, .flag(true)),
        LimitRow(.sms, Affiliation.none, .flag(false)),
        // iOS watches no more than 20 regions of an app.
        LimitRow(.regions, Platform.ios, .number(20, in: 0...20)),
        LimitRow(.regions, Platform.android, .number(20, in: 0...20)),
        LimitRow(.regions, Platform.other, .number(20, in: 0...20)),
        LimitRow(.trialDays, Plan.trial, .number(30, in: 1...3650)),
        LimitRow(.codeSignIn, SignInKind.code, .flag(true)),
        LimitRow(.codeSignIn, SignInKind.sso, .flag(false)),
    ]
}

extension RightsTable {
    public func membersPerCircleMax(_ affiliation: Affiliation) -> Int {
        number(.membersPerCircle, affiliation)
    }

    /// Whether SMS reach a person that are neither about safety nor about their account.
    public func allowsSMS(_ affiliation: Affiliation) -> Bool { flag(.sms, affiliation) }

    public func regionsMax(_ platform: Platform) -> Int { number(.regions, platform) }

    /// How long a trial lasts.
    public var trial: Duration { .seconds(number(.trialDays, Plan.trial) * 86_400) }

    public func allowsCodeSignIn(_ kind: SignInKind) -> Bool { flag(.codeSignIn, kind) }

    private func number(_ limit: RightsLimit, _ axis: some RawRepresentable<String>) -> Int {
        guard case .number(let number, _)? = value(limit, axis.rawValue) else {
            fatalError("broken invariant: \(limit.rawValue) has a number")
        }
        return number
    }

    private func flag(_ limit: RightsLimit, _ axis: some RawRepresentable<String>) -> Bool {
        guard case .flag(let isOn)? = value(limit, axis.rawValue) else {
            fatalError("broken invariant: \(limit.rawValue) is yes or no")
        }
        return isOn
    }

    private func value(_ limit: RightsLimit, _ axis: String) -> LimitRow.Value? {
        limits.first { $0.limit == limit && $0.axis == axis }?.value
    }
}
