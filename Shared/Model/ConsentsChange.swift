/// Requests for a person's consent changed: one was made, answered or withdrawn.
///
/// It says nothing else, since only the person, or the guardians of a ward, may read the requests.
public struct ConsentsChange: PersonPayload {
    /// Who is asked.
    public var person: PersonID

    public init(person: PersonID) { self.person = person }
}
