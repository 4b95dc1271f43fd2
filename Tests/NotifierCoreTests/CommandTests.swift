import Directory
import Model
import NotifierCore
import Testing

struct CommandTests {
    private func opened() -> World {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        return world
    }

    @Test func `the first acknowledgement wins and later ones hear whose it was`() throws {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(1))
        world.handle(
            .acknowledge(Town.command(2, by: .device(DeviceID(.zero), of: Town.citra.id))))
        let first = try standing(world.answers[1])
        let second = try standing(world.answers[2])
        #expect(first.isYours && first.by == Town.budi.id)
        #expect(!second.isYours && second.by == Town.budi.id && second.at == first.at)
        let given = world.published.filter {
            if case .acknowledgementGiven = $0 { true } else { false }
        }
        #expect(given.count == 1)
    }

    @Test func `the person in danger cannot acknowledge or resolve`() {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.aisha.id))))
        world.handle(.resolve(Town.command(2, by: .person(Town.aisha.id))))
        #expect(world.answers[1] == .denied(.ownEmergency))
        #expect(world.answers[2] == .denied(.ownEmergency))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `a member may once they were told`() throws {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.dewi.id))))
        #expect(world.answers[1] == .denied(.notTold))
        world.pass(.seconds(240))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.dewi.id))))
        #expect(try standing(world.answers[2]).isYours)
    }

    @Test func `strangers and the invited learn nothing`() {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.eko.id))))
        world.handle(.acknowledge(Town.command(2, by: .person(PersonID(.zero)))))
        world.handle(.acknowledge(Town.command(3, by: .operator, emergency: 99)))
        #expect(world.answers[1] == .unknown)
        #expect(world.answers[2] == .unknown)
        #expect(world.answers[3] == .unknown)
    }

    @Test func `resolving comes after acknowledging`() throws {
        var world = opened()
        world.handle(.resolve(Town.command(1, by: .person(Town.budi.id))))
        #expect(world.answers[1] == .denied(.notAcknowledged))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.budi.id))))
        world.handle(.resolve(Town.command(3, by: .person(Town.citra.id))))
        let standing = try standing(world.answers[3])
        #expect(standing.state == .resolved && standing.by == Town.citra.id)
        #expect(
            world.published.contains {
                if case .resolutionGiven(let answer) = $0 {
                    answer.by == Town.citra.id
                } else {
                    false
                }
            })
    }

    @Test func `after the end everybody hears how it ended`() throws {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .operator)))
        world.handle(.resolve(Town.command(2, by: .operator)))
        world.handle(.acknowledge(Town.command(3, by: .person(Town.budi.id))))
        let standing = try standing(world.answers[3])
        #expect(standing.state == .resolved && standing.by == nil && !standing.isYours)
    }

    @Test func `while it counts down there is nothing to take yet`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.eko.id))))
        #expect(world.answers[1] == .notYet)
        #expect(world.answers[2] == .unknown)
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.handle(.acknowledge(Town.command(3, by: .person(Town.budi.id))))
        #expect(world.answers[3] == .notYet)
    }

    private func standing(_ answer: Answer?) throws -> Standing {
        let standing: Standing? =
            if case .standing(let standing) = answer { standing } else { nil }
        return try #require(standing)
    }
}
