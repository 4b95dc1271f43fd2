import Directory
import Model
import Testing

@testable import NotifierCore

/// People leave circles, or circles are removed, while Aisha is in danger. She is in the family,
/// guarded by Budi, and in the team, guarded by Eko.
struct DepartureTests {
    /// Ways in which the team loses everyone who could end the emergency.
    enum Departure: String, CaseIterable {
        case helperLeft, personLeft, circleRemoved, helperErased

        var change: EventBody {
            switch self {
            case .helperLeft: DepartureTests.team([Town.member(Town.aisha, .member, "AI")])
            case .personLeft: DepartureTests.team([Town.member(Town.eko, .guardian, "EK")])
            case .circleRemoved: .circleRemoved(CircleRemoval(circle: Town.teamID))
            case .helperErased: .personRemoved(PersonRemoval(person: Town.eko.id))
            }
        }
    }

    private static func team(_ members: [Membership]) -> EventBody {
        .circleChanged(Circle(id: Town.teamID, name: "Team", members: members))
    }

    private static let bothInTeam = team([
        Town.member(Town.aisha, .member, "AI"), Town.member(Town.eko, .guardian, "EK"),
    ])

    private func opened(_ team: EventBody = bothInTeam) -> World {
        var world = World()
        world.change(team)
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        return world
    }

    private func acknowledge(_ world: inout World, _ request: UInt64, by person: Person) {
        world.handle(.acknowledge(Town.command(request, by: .person(person.id))))
    }

    private func resolve(_ world: inout World, _ request: UInt64, by person: Person) {
        world.handle(.resolve(Town.command(request, by: .person(person.id))))
    }

    private func state(_ world: World) -> EmergencyState? {
        world.emergency(Town.emergency(1))?.state
    }

    private func resolutions(_ world: World) -> [EmergencyAnswer] {
        world.published.compactMap {
            if case .resolutionCommitted(let answer) = $0 { answer } else { nil }
        }
    }

    private func texts(_ world: World, to person: Person) -> [String] {
        let addresses = person.contacts.map(\.address)
        return world.sent.filter { addresses.contains($0.address) }.map(\.text)
    }

    // MARK: Nobody is left to end it

    @Test(arguments: Departure.allCases)
    func `it ends for all if it is active in no circle any more`(departure: Departure) {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .open)
        world.clear()
        world.change(departure.change)
        #expect(state(world) == .resolved)
        #expect(resolutions(world).map(\.by) == [Town.budi.id])
        #expect(texts(world, to: Town.aisha).contains { $0.contains("Budi ended your emergency") })
        world.clear()
        world.pass(.seconds(900))
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: Departure.allCases)
    func `a resolution in one circle ends it for all if no other circle is left`(
        departure: Departure
    ) {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        // A store without this check.
        world.directory.apply(departure.change)
        resolve(&world, 3, by: Town.budi)
        #expect(state(world) == .resolved)
    }

    @Test(arguments: Departure.allCases)
    func `an emergency that nobody has ended stays active for the operator`(departure: Departure) {
        var world = opened()
        world.change(.circleChanged(Town.family.without(Town.aisha.id)))
        world.clear()
        world.change(departure.change)
        #expect(state(world) == .open)
        #expect(resolutions(world).isEmpty)
        world.pass(.seconds(300))
        #expect(state(world) == .open)
        #expect(texts(world, to: Town.aisha).contains { $0.contains("Nobody reached yet") })
        world.handle(.resolve(Town.command(1, by: .operator)))
        #expect(state(world) == .resolved)
    }

    @Test func `the erasure of the person ends what was ended in one circle`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.change(.personRemoved(PersonRemoval(person: Town.aisha.id)))
        #expect(state(world) == .resolved)
    }

    @Test func `it stays active if one of several helpers leaves`() {
        var world = opened(
            Self.team([
                Town.member(Town.aisha, .member, "AI"), Town.member(Town.eko, .guardian, "EK"),
                Town.member(Town.dewi, .member, "DE"),
            ]))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.change(.personRemoved(PersonRemoval(person: Town.eko.id)))
        #expect(state(world) == .open)
    }

    // MARK: Responders who leave

    @Test(arguments: [
        EventBody.circleChanged(Town.family.without(Town.budi.id)),
        .personRemoved(PersonRemoval(person: Town.budi.id)),
    ])
    func `a responder who shares no circle any more is removed`(change: EventBody) {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        acknowledge(&world, 1, by: Town.budi)
        world.clear()
        world.change(change)
        #expect(state(world) == .open)
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement == nil)
        let texts = texts(world, to: Town.citra)
        #expect(texts.contains { $0.contains("NO ANSWER YET") && $0.contains("SOS Aisha") })
        let status = world.published.compactMap { body -> EmergencyState? in
            if case .emergencySnapshot(let status) = body { status.state } else { nil }
        }
        #expect(status.last == .open, "other services no longer take it for acknowledged")
        world.clear()
        world.pass(.seconds(130))
        #expect(self.texts(world, to: Town.dewi).count == 1)
        world.pass(.seconds(20 * 60))
        #expect(!world.sent.contains { $0.text.contains("Are you still helping") })
    }

    @Test func `if the responder's circle is removed the person is informed that nobody is left`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        acknowledge(&world, 1, by: Town.budi)
        world.clear()
        world.change(.circleRemoved(CircleRemoval(circle: Town.familyID)))
        #expect(state(world) == .open)
        #expect(texts(world, to: Town.aisha).contains { $0.contains("Nobody reached yet") })
    }

    @Test func `a responder who leaves resumes their own circle only`() {
        var world = opened(
            Self.team([
                Town.member(Town.aisha, .member, "AI"), Town.member(Town.eko, .guardian, "EK"),
                Town.member(Town.dewi, .admin, "DE"),
            ]))
        acknowledge(&world, 1, by: Town.budi)
        acknowledge(&world, 2, by: Town.eko)
        world.clear()
        world.change(.personRemoved(PersonRemoval(person: Town.eko.id)))
        #expect(state(world) == .acknowledged)
        #expect(texts(world, to: Town.dewi).contains { $0.contains("SOS Aisha") })
        #expect(texts(world, to: Town.citra).isEmpty, "the family has a responder")
    }

    @Test func `a responder of two circles who leaves one resumes that one`() {
        var world = opened(
            Self.team([
                Town.member(Town.aisha, .member, "AI"), Town.member(Town.eko, .guardian, "EK"),
                Town.member(Town.budi, .member, "BU"),
            ]))
        acknowledge(&world, 1, by: Town.budi)
        world.clear()
        world.change(Self.bothInTeam)
        #expect(state(world) == .acknowledged)
        let texts = texts(world, to: Town.eko)
        #expect(texts.contains { $0.contains("NO ANSWER YET") && $0.contains("SOS Aisha") })
        #expect(self.texts(world, to: Town.citra).isEmpty)
        world.clear()
        world.change(Self.bothInTeam)
        #expect(world.sent.isEmpty, "once")
    }
}
