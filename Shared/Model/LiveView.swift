/// Until when the positions of a person are published for their live links.
///
/// The notifier publishes it on `deliveries` when a link opens, ends or is moved. A link of an
/// emergency needs none, as ingest publishes positions during emergencies anyway.
public struct LiveView: PersonPayload {
    public var person: PersonID
    /// The end of the last open link; not after ``at`` = none is open.
    public var until: Timestamp
    public var at: Timestamp

    public init(person: PersonID, until: Timestamp, at: Timestamp) {
        self.person = person
        self.until = until
        self.at = at
    }
}
