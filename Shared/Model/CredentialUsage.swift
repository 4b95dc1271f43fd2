/// Credentials that were used on one day.
public struct CredentialUsage: EventPayload {
    /// Days since 1970, in UTC.
    public var day: Int64
    public var credentials: [CredentialID]

    public init(day: Int64, credentials: [CredentialID]) {
        self.day = day
        self.credentials = credentials
    }

    public var concernedPerson: PersonID? { nil }
}
