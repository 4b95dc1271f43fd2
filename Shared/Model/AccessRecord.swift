/// Record of a read access to a person's data, from a service that keeps no access log.
///
/// Ingest adds it to the access log that the person can read: one row per viewer and hour.
public struct AccessRecord: PersonPayload {
    /// The person whose position or movements were read.
    public var person: PersonID
    /// The reader; nil = the operator.
    public var viewer: PersonID?
    public var at: Timestamp

    public init(person: PersonID, viewer: PersonID?, at: Timestamp) {
        self.person = person
        self.viewer = viewer
        self.at = at
    }
}
