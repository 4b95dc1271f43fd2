import Directory
import Model
import NotifierCore
import Testing

struct CommandTests {
    private func opened() -> World {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        return world
    }

    @Test func `the first acknowledgement wins and later ones get its responder`() throws {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(1))
        world.handle(
            .acknowledge(Town.command(2, by: .device(DeviceID(.zero), of: Town.citra.id))))
        let first = try status(world.answers[1])
        let second = try status(world.answers[2])
        #expect(first.isYours && first.by == Town.budi.id)
        #expect(!second.isYours && second.by == Town.budi.id && second.at == first.at)
        let acknowledged = world.published.filter {
            if case .acknowledgementCommitted = $0 { true } else { false }
        }
        #expect(acknowledged.count == 1)
    }

    @Test func `the person in danger cannot acknowledge or resolve`() {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.aisha.id))))
        world.handle(.resolve(Town.command(2, by: .person(Town.aisha.id))))
        #expect(world.answers[1] == .denied(.ownEmergency))
        #expect(world.answers[2] == .denied(.ownEmergency))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `a member may acknowledge once notified`() throws {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.dewi.id))))
        #expect(world.answers[1] == .denied(.notARecipient))
        world.pass(.seconds(240))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.dewi.id))))
        #expect(try status(world.answers[2]).isYours)
    }

    @Test func `strangers and invited people learn nothing`() {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.eko.id))))
        world.handle(.acknowledge(Town.command(2, by: .person(PersonID(.zero)))))
        world.handle(.acknowledge(Town.command(3, by: .operator, emergency: 99)))
        #expect(world.answers[1] == .unknown)
        #expect(world.answers[2] == .unknown)
        #expect(world.answers[3] == .unknown)
    }

    @Test func `resolving requires an acknowledgement first`() throws {
        var world = opened()
        world.handle(.resolve(Town.command(1, by: .person(Town.budi.id))))
        #expect(world.answers[1] == .denied(.notAcknowledged))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.budi.id))))
        world.handle(.resolve(Town.command(3, by: .person(Town.citra.id))))
        let status = try status(world.answers[3])
        #expect(status.state == .resolved && status.by == Town.citra.id)
        #expect(
            world.published.contains {
                if case .resolutionCommitted(let answer) = $0 {
                    answer.by == Town.citra.id
                } else {
                    false
                }
            })
    }

    @Test func `after the end every command gets how it ended`() throws {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .operator)))
        world.handle(.resolve(Town.command(2, by: .operator)))
        world.handle(.acknowledge(Town.command(3, by: .person(Town.budi.id))))
        let status = try status(world.answers[3])
        #expect(status.state == .resolved && status.by == nil && !status.isYours)
    }

    @Test func `nothing can be acknowledged during the countdown`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.eko.id))))
        #expect(world.answers[1] == .notYet)
        #expect(world.answers[2] == .unknown)
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.handle(.acknowledge(Town.command(3, by: .person(Town.budi.id))))
        #expect(world.answers[3] == .notYet)
    }

    private func status(_ answer: Answer?) throws -> EmergencyStatus {
        let status: EmergencyStatus? =
            if case .status(let status) = answer { status } else { nil }
        return try #require(status)
    }
}
