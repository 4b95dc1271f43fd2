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
            case .helperLeft: Town.team()
            case .personLeft:
                Town.team(Town.member(Town.eko, .guardian, "EK"), isAishaIn: false)
            case .circleRemoved: .circleRemoved(CircleRemoval(circle: Town.teamID))
            case .helperErased: .personRemoved(PersonRemoval(person: Town.eko.id))
            }
        }
    }

    // MARK: Nobody is left to end it

    @Test(arguments: Departure.allCases)
    func `it ends for all if it is active in no circle any more`(departure: Departure) {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        #expect(world.emergency?.state == .open)
        world.clear()
        world.change(departure.change)
        #expect(world.emergency?.state == .resolved)
        #expect(world.resolutions.map(\.by) == [Town.budi.id])
        #expect(world.texts(to: Town.aisha).contains { $0.contains("Budi ended your emergency") })
        world.clear()
        world.pass(.seconds(900))
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: Departure.allCases)
    func `a resolution in one circle ends it for all if no other circle is left`(
        departure: Departure
    ) {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        // A store without this check.
        world.directory.apply(departure.change)
        world.resolve(3, by: Town.budi)
        #expect(world.emergency?.state == .resolved)
    }

    @Test(arguments: Departure.allCases)
    func `an emergency that nobody has ended stays active for the operator`(departure: Departure) {
        var world = World.inTwoCircles()
        world.change(.circleChanged(Town.family.without(Town.aisha.id)))
        world.clear()
        world.change(departure.change)
        #expect(world.emergency?.state == .open)
        #expect(world.resolutions.isEmpty)
        world.pass(.seconds(300))
        #expect(world.emergency?.state == .open)
        #expect(world.texts(to: Town.aisha).contains { $0.contains("Nobody reached yet") })
        world.handle(.resolve(Town.command(1, by: .operator)))
        #expect(world.emergency?.state == .resolved)
    }

    @Test func `the erasure of the person ends what was ended in one circle`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.change(.personRemoved(PersonRemoval(person: Town.aisha.id)))
        #expect(world.emergency?.state == .resolved)
    }

    @Test func `it stays active if one of several helpers leaves`() {
        var world = World.inTwoCircles(
            Town.team(
                Town.member(Town.eko, .guardian, "EK"),
                Town.member(Town.dewi, .member, "DE")))
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.change(.personRemoved(PersonRemoval(person: Town.eko.id)))
        #expect(world.emergency?.state == .open)
    }

    // MARK: Responders who leave

    @Test(arguments: [
        EventBody.circleChanged(Town.family.without(Town.budi.id)),
        .personRemoved(PersonRemoval(person: Town.budi.id)),
    ])
    func `a responder who shares no circle any more is removed`(change: EventBody) {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.acknowledge(1, by: Town.budi)
        world.clear()
        world.change(change)
        #expect(world.emergency?.state == .open)
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement == nil)
        let texts = world.texts(to: Town.citra)
        #expect(texts.contains { $0.contains("NO ANSWER YET") && $0.contains("SOS Aisha") })
        let status = world.published.compactMap { body -> EmergencyState? in
            if case .emergencySnapshot(let status) = body { status.state } else { nil }
        }
        #expect(status.last == .open, "other services no longer take it for acknowledged")
        world.clear()
        world.pass(.seconds(130))
        #expect(world.texts(to: Town.dewi).count == 1)
        world.pass(.seconds(20 * 60))
        #expect(!world.sent.contains { $0.text.contains("Are you still helping") })
    }

    @Test func `if the responder's circle is removed the person is informed that nobody is left`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.acknowledge(1, by: Town.budi)
        world.clear()
        world.change(.circleRemoved(CircleRemoval(circle: Town.familyID)))
        #expect(world.emergency?.state == .open)
        #expect(world.texts(to: Town.aisha).contains { $0.contains("Nobody reached yet") })
    }

    @Test func `a responder who leaves resumes their own circle only`() {
        var world = World.inTwoCircles(
            Town.team(
                Town.member(Town.eko, .guardian, "EK"),
                Town.member(Town.dewi, .admin, "DE")))
        world.acknowledge(1, by: Town.budi)
        world.acknowledge(2, by: Town.eko)
        world.clear()
        world.change(.personRemoved(PersonRemoval(person: Town.eko.id)))
        #expect(world.emergency?.state == .acknowledged)
        #expect(world.texts(to: Town.dewi).contains { $0.contains("SOS Aisha") })
        #expect(world.texts(to: Town.citra).isEmpty, "the family has a responder")
    }

    @Test func `a responder of two circles who leaves one resumes that one`() {
        var world = World.inTwoCircles(
            Town.team(
                Town.member(Town.eko, .guardian, "EK"),
                Town.member(Town.budi, .member, "BU")))
        world.acknowledge(1, by: Town.budi)
        world.clear()
        world.change(Town.bothInTeam)
        #expect(world.emergency?.state == .acknowledged)
        let texts = world.texts(to: Town.eko)
        #expect(texts.contains { $0.contains("NO ANSWER YET") && $0.contains("SOS Aisha") })
        #expect(world.texts(to: Town.citra).isEmpty)
        world.clear()
        world.change(Town.bothInTeam)
        #expect(world.sent.isEmpty, "once")
    }
}
