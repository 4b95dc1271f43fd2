/// Private list of a person: who is never told or shown anything about them.
///
/// It overrides every rule about recipients. Nobody but its person may read it, and nothing that
/// others can read may depend on it. Every service needs it, so it travels on `directory`, but
/// `jaga tail` shows no such record, not even masked.
public struct NeverNotifyList: DirectoryPayload {
    public var person: PersonID
    /// People who are never told or shown anything; ascending.
    public var people: [PersonID]
    /// Circles that are excluded from the person's emergencies; ascending.
    public var circles: [CircleID]

    public init(person: PersonID, people: [PersonID] = [], circles: [CircleID] = []) {
        self.person = person
        self.people = people
        self.circles = circles
    }

    /// The list of the person.
    public var entity: ID128 { person.raw }

    /// Whether it excludes nobody. Such a list is not stored.
    public var isEmpty: Bool { people.isEmpty && circles.isEmpty }

    /// Whether it names a person.
    public func names(_ other: PersonID) -> Bool { people.contains(other) }
}
