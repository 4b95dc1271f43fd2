/// Somebody was shown something of a person at a service that keeps no access log.
///
/// Ingest keeps the log that the person can read: one row per viewer and hour.
public struct AccessRecord: Hashable, Sendable, Codable {
    /// Whose position or movements were shown.
    public var person: PersonID
    /// Who read them; nil = the operator.
    public var viewer: PersonID?
    public var at: Timestamp

    public init(person: PersonID, viewer: PersonID?, at: Timestamp) {
        self.person = person
        self.viewer = viewer
        self.at = at
    }
}
