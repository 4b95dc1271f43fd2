import Directory
import Model
import Testing
import TimerCore

@Suite struct `Somebody is reachable for a person` {
    private func replica(
        joined: Timestamp? = .zero, contacts: [ContactPoint]
    ) -> Replica {
        var replica = Replica()
        replica.apply(.personChanged(Person(id: Some.anna, name: "Anna", contacts: Self.number)))
        replica.apply(.personChanged(Person(id: Some.ben, name: "Ben", contacts: contacts)))
        let members = [
            Membership(person: Some.anna, role: .member, joined: .zero, trackerID: "an"),
            Membership(person: Some.ben, role: .guardian, joined: joined, trackerID: "be"),
        ]
        let circle = Circle(id: CircleID(.zero), name: "Family", members: members)
        replica.apply(.circleChanged(circle))
        return replica
    }

    private static let number = [
        ContactPoint(id: ContactID(.zero), channel: .sms, address: "+15550100")
    ]

    @Test func `when another member of a circle has a contact point`() {
        #expect(replica(contacts: Self.number).isSomebodyReachable(for: Some.anna))
    }

    @Test func `not when the others have none, or have not joined, or there are no others`() {
        #expect(!replica(contacts: []).isSomebodyReachable(for: Some.anna))
        #expect(!replica(joined: nil, contacts: Self.number).isSomebodyReachable(for: Some.anna))
        #expect(!Replica().isSomebodyReachable(for: Some.anna))
    }
}
