import Directory
import Model

/// Finds people by their verified contact points. Derived from the directory.
public struct VerifiedContacts: Sendable {
    private var owners: [ContactPointKey: Set<PersonID>] = [:]
    private var keys: [PersonID: [ContactPointKey]] = [:]

    public init(_ people: some Sequence<Person> = []) {
        for person in people { changed(person) }
    }

    /// People who verified a contact point, ids ascending.
    public subscript(channel: Channel, address: String) -> [PersonID] {
        owners[VerifiedContacts.key(channel, address)]?.sorted() ?? []
    }

    /// Case does not count: people type mail addresses as they like.
    static func key(_ channel: Channel, _ address: String) -> ContactPointKey {
        ContactPointKey(of: channel, address.lowercased())
    }

    mutating func apply(_ event: EventBody) {
        if case .personChanged(let person) = event {
            changed(person)
        } else if case .personRemoved(let removal) = event {
            removed(removal.person)
        }
    }

    private mutating func changed(_ person: Person) {
        removed(person.id)
        let verified = person.contacts.filter { $0.verified != nil }
            .map { VerifiedContacts.key($0.channel, $0.address) }
        guard !verified.isEmpty else { return }
        keys[person.id] = verified
        for key in verified { owners[key, default: []].insert(person.id) }
    }

    private mutating func removed(_ person: PersonID) {
        for key in keys.removeValue(forKey: person) ?? [] {
            owners[key]?.remove(person)
            if owners[key]?.isEmpty == true { owners[key] = nil }
        }
    }
}
