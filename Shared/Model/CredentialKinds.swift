/// A set of kinds of credentials.
public struct CredentialKinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ kind: CredentialKind) {
        let bit: UInt8 =
            switch kind {
            case .report: 0
            case .help: 1
            case .session: 2
            case .person: 3
            case .monitor: 4
            case .operator: 5
            }
        self.init(rawValue: 1 << bit)
    }

    public static let report = CredentialKinds(.report)
    public static let help = CredentialKinds(.help)
    public static let monitor = CredentialKinds(.monitor)
    public static let `operator` = CredentialKinds(.operator)
    /// Those that may do everything that their person may.
    public static let personal: CredentialKinds = [
        CredentialKinds(.session), CredentialKinds(.person),
    ]
    public static let all = CredentialKinds(CredentialKind.allCases.map { CredentialKinds($0) })

    public func includes(_ kind: CredentialKind) -> Bool { contains(CredentialKinds(kind)) }
}
