import Directory
import Model
import NotifierCore
import Testing

@Suite struct `An emergency with chosen recipients` {
    private static let dewi = "+60111000004"

    /// Addresses of others than the person in danger.
    private func helpers(_ world: World) -> Set<String> {
        Set(world.addresses).subtracting(Town.aisha.contacts.map(\.address))
    }

    private func change(
        _ recipients: [PersonID]?, signal: UInt64? = nil, joined: EmergencyTrigger? = .panic
    ) -> EmergencyChange {
        var change = Town.change(signal: signal, trigger: .watchExpired, joined: joined)
        change.recipients = recipients
        return change
    }

    @Test func `notifies only them, in their tiers and when it is exhausted`() {
        var world = World()
        world.receive(.emergencyOpened(change([Town.dewi.id])))
        #expect(helpers(world) == [Self.dewi], "tiers without them are skipped at once")
        world.pass(.seconds(1200))
        #expect(world.sent.count > 2 && helpers(world) == [Self.dewi])
    }

    @Test func `keeps them without an evaluator and over a restart`() {
        var world = World()
        var signal = Town.signal(countdown: .zero, trigger: .watchExpired)
        signal.recipients = [Town.dewi.id]
        world.receive(.watchExpired(signal))
        world.pass(.seconds(4))
        world.restart()
        world.pass(.seconds(600))
        #expect(!world.sent.isEmpty && helpers(world) == [Self.dewi])
        #expect(world.emergency(Town.emergency(1))?.onlyRecipients == [Town.dewi.id])
    }

    @Test func `notifies everyone if none of them can be reached`() {
        var world = World()
        var circle = Town.family
        circle.members.removeAll { $0.person == Town.dewi.id }
        world.change(.circleChanged(circle))
        world.receive(.emergencyOpened(change([Town.dewi.id])))
        #expect(world.addresses.contains("+60111000002"))
    }

    @Test func `notifies everyone once the person calls for help themselves`() {
        var world = World()
        world.receive(.emergencyOpened(change([Town.dewi.id])))
        world.clear()
        world.receive(.emergencyJoined(change(nil, signal: 2)))
        #expect(world.addresses.contains("+60111000002"), "the guardian's tier is first")
        #expect(world.addresses.contains(Self.dewi))
        world.pass(.seconds(130))
        #expect(world.addresses.contains("+60111000003"))
        #expect(world.emergency(Town.emergency(1))?.onlyRecipients == nil)
    }

    @Test func `notifies the recipients of both watches after a second one`() {
        var world = World()
        world.receive(.emergencyOpened(change([Town.dewi.id])))
        world.clear()
        world.receive(
            .emergencyJoined(change([Town.citra.id], signal: 2, joined: .watchExpired)))
        world.pass(.seconds(600))
        #expect(helpers(world) == [Self.dewi, "+60111000003"])
    }

    @Test func `starts only in circles of theirs, and shows nothing in other timelines`() {
        var world = World()
        let team = Circle(
            id: Town.teamID, name: "Team",
            members: [Town.member(Town.aisha, .member, "AI"), Town.member(Town.eko, .admin, "EK")])
        world.change(.circleChanged(team))
        world.receive(.emergencyOpened(change([Town.dewi.id])))
        world.pass(.seconds(400))
        #expect(!world.timeline.contains { $0.circle == Town.teamID })
        #expect(!world.addresses.contains("+60111000005"))
    }
}
