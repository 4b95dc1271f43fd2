import Directory
import DirectoryViews
import Model

/// What a sign-in at a provider changes for its person: contact points, staff role, circles.
struct ProviderVisit {
    let provider: SignInProvider
    let profile: ClaimedProfile
    private(set) var identity: Identity
    let directory: Replica
    let now: Timestamp
    private var newContacts: [ContactID]
    private(set) var events: [EventBody] = []

    init(
        provider: SignInProvider, profile: ClaimedProfile, identity: Identity,
        directory: Replica, now: Timestamp, newContacts: [ContactID]
    ) {
        self.provider = provider
        self.profile = profile
        self.identity = identity
        self.directory = directory
        self.now = now
        self.newContacts = newContacts
    }

    /// - Parameter person: as stored, or new
    mutating func update(_ person: Person) {
        let old = directory.person(person.id)
        var person = person
        if person.signIn == .sso { updateProfile(of: &person) }
        // Only a provider that is named for staff decides about it.
        if !provider.staff.isEmpty { person.staff = provider.staffRole(of: profile.groups) }
        if person != old {
            if old != nil { person.version += 1 }
            events.append(.personChanged(person))
        }
        updateCircles(of: person)
    }

    /// With sign-in by providers only, name and contact points are theirs.
    private mutating func updateProfile(of person: inout Person) {
        if let name = profile.name { person.name = name }
        let claimed = profile.contacts.map(\.address)
        person.contacts.removeAll {
            identity.addresses.contains($0.address) && !claimed.contains($0.address)
        }
        for contact in profile.contacts {
            let index = person.contacts.firstIndex {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if let index {
                if contact.isVerified, person.contacts[index].verified == nil {
                    person.contacts[index].verified = now
                }
            } else if person.contacts.count < Limits.contactsPerPersonMax, !newContacts.isEmpty {
                let rank = min(
                    (person.contacts.map(\.rank).max() ?? -1) + 1, FieldLimits.contactRankMax)
                person.contacts.append(
                    ContactPoint(
                        id: newContacts.removeFirst(), channel: contact.channel,
                        address: contact.address, rank: rank,
                        verified: contact.isVerified ? now : nil))
            }
        }
        identity.addresses = claimed
    }

    /// Groups invite to circles: joining is up to the person. Who is in none of a circle's groups
    /// any more leaves it, unless they joined it in another way.
    private mutating func updateCircles(of person: Person) {
        let wanted = provider.circles.filter { profile.groups.contains($0.group) }
        for lost in identity.circles where !wanted.contains(where: { $0.circle == lost }) {
            guard let circle = directory.circle(lost),
                circle.members.contains(where: { $0.person == person.id })
            else {
                identity.circles.removeAll { $0 == lost }
                continue
            }
            let others = circle.members.filter { $0.person != person.id && $0.joined != nil }
            let isLastAdmin =
                circle.member(person.id)?.role == .admin && !others.isEmpty
                && !others.contains { $0.role == .admin }
            guard !isLastAdmin else { continue }
            identity.circles.removeAll { $0 == lost }
            events.append(circle.departure(of: person.id))
        }
        for group in wanted where !identity.circles.contains(group.circle) {
            guard var circle = directory.circle(group.circle),
                !circle.members.contains(where: { $0.person == person.id }),
                circle.members.count < Limits.suite.members
            else { continue }
            circle.members.append(
                Membership(
                    person: person.id, role: group.role, joined: nil,
                    trackerID: TrackerID.free(
                        for: person.name, besides: circle.members.map(\.trackerID))))
            circle.version += 1
            identity.circles = (identity.circles + [group.circle]).sorted()
            events.append(.circleChanged(circle))
        }
    }
}
