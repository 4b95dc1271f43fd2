import Collections
import Directory
import Model

/// Wards by guardian, and when each takes over the account.
///
/// Rights end at that time by themselves, in every service. This records it, and tells the ward and
/// the guardians a week before.
public struct Wards: Sendable {
    private var ofGuardian: [PersonID: Set<PersonID>] = [:]
    private var guardians: [PersonID: [PersonID]] = [:]
    /// When each ward takes over.
    private var ends: [PersonID: Timestamp] = [:]
    /// For which time each ward was notified.
    private var notified: [PersonID: Timestamp] = [:]
    /// When each ward is notified, or takes over.
    private var waits = DeadlineHeap<PersonID>()

    /// - Parameter notified: the stored notices
    public init(_ people: [Person] = [], notified: [WardNotice] = []) {
        for notice in notified { self.notified[notice.ward] = notice.until }
        for person in people where !person.guardians.isEmpty {
            set(person.id, person.guardians, until: person.wardUntil)
        }
    }

    /// The wards of a guardian, ascending.
    public func wards(of guardian: PersonID) -> [PersonID] {
        (ofGuardian[guardian] ?? []).sorted()
    }

    /// The wards without a guardian who is erased, whether another one is left or not.
    func orphaned(by guardian: PersonID, in directory: Replica) -> [EventBody] {
        wards(of: guardian).compactMap(directory.person).map { ward in
            var ward = ward
            ward.guardians.removeAll { $0 == guardian }
            if ward.guardians.isEmpty { ward.wardUntil = nil }
            ward.version += 1
            return .personChanged(ward)
        }
    }

    /// When something is next due; nil = nothing is.
    public var nextDue: Timestamp? { waits.next }

    /// Follows a step of the directory.
    ///
    /// - Returns: the notices that are not needed any more
    mutating func apply(_ step: EventBody) -> [WardChange] {
        let ward: PersonID
        switch step {
        case .personChanged(let person):
            ward = person.id
            set(ward, person.guardians, until: person.wardUntil)
        case .personRemoved(let removal):
            ward = removal.person
            set(ward, [], until: nil)
        default: return []
        }
        return ends[ward] == nil && notified[ward] != nil ? [.forget(ward)] : []
    }

    private mutating func set(_ ward: PersonID, _ new: [PersonID], until end: Timestamp?) {
        if new.isEmpty, guardians[ward] == nil { return }
        for guardian in guardians[ward] ?? [] {
            ofGuardian[guardian]?.remove(ward)
            if ofGuardian[guardian]?.isEmpty == true { ofGuardian[guardian] = nil }
        }
        guardians[ward] = new.isEmpty ? nil : new
        for guardian in new { ofGuardian[guardian, default: []].insert(ward) }
        ends[ward] = new.isEmpty ? nil : end
        wait(for: ward)
    }

    private mutating func wait(for ward: PersonID) {
        if let end = ends[ward] {
            waits.set(ward, due: notified[ward] == end ? end : end - Limits.wardNoticePeriod)
        } else {
            waits.remove(ward)
        }
    }

    mutating func apply(_ change: WardChange) {
        switch change {
        case .notified(let notice):
            notified[notice.ward] = notice.until
            wait(for: notice.ward)
        case .forget(let ward): notified[ward] = nil
        }
    }

    /// What is due of one ward. The caller applies it.
    enum Due {
        /// The ward and the guardians are notified when the ward takes over.
        case notice(WardNotice, [PersonNotice])
        /// The ward takes over.
        case takeOver(Person)
    }

    /// The account after its ward took it over. Contact points that the former guardians have, too,
    /// are unverified: otherwise they could sign in as the person.
    private static func takenOver(_ ward: Person, in directory: Replica) -> Person {
        var person = ward
        let theirs = Set(
            ward.guardians.compactMap(directory.person).flatMap(\.contacts)
                .map { VerifiedContacts.key($0.channel, $0.address) })
        for index in person.contacts.indices {
            let contact = person.contacts[index]
            guard theirs.contains(VerifiedContacts.key(contact.channel, contact.address)) else {
                continue
            }
            person.contacts[index].verified = nil
            person.contacts[index].vouched = false
        }
        person.guardians = []
        person.wardUntil = nil
        person.version += 1
        return person
    }

    /// The ends of sessions and credentials that a former guardian may have opened as the ward.
    /// Phones keep theirs. So does a person who could not sign in otherwise.
    static func endedCredentials(of person: Person, in directory: Replica) -> [EventBody] {
        guard person.signIn == .sso || person.contacts.contains(where: { $0.verified != nil })
        else { return [] }
        return directory.credentials(of: person.id).filter {
            $0.kind == .session || $0.kind == .person
        }.map { .credentialRemoved(CredentialRemoval(credential: $0.id)) }
    }

    /// - Returns: nil if nothing is due
    mutating func popDue(at now: Timestamp, in directory: Replica) -> Due? {
        while let wait = waits.popDue(at: now) {
            guard let end = ends[wait.id], let ward = directory.person(wait.id) else { continue }
            guard end > now else {
                return .takeOver(Wards.takenOver(ward, in: directory))
            }
            let readers = [ward] + ward.guardians.compactMap(directory.person)
            let notices = readers.compactMap {
                PersonNotice(to: $0, from: "", .takeOver(ward: ward.name, end), expires: end)
            }
            return .notice(WardNotice(ward: ward.id, until: end), notices)
        }
        return nil
    }
}

/// Record that a ward and the guardians were notified when the ward takes over.
public struct WardNotice: Hashable, Sendable {
    public var ward: PersonID
    public var until: Timestamp

    public init(ward: PersonID, until: Timestamp) {
        self.ward = ward
        self.until = until
    }
}

/// A change to the stored notices.
public enum WardChange: Hashable, Sendable {
    case notified(WardNotice)
    case forget(PersonID)
}
