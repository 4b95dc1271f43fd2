import Directory
import Hashing
import Model
import NotifierCore
import Testing

@Suite struct `The person of a watch` {
    private static let aisha = "+60111000001"

    private func watch(
        _ state: WatchState, version: Int64, minutes: Int64 = 5, destination: ZoneID? = nil
    ) -> EventBody {
        .watchChanged(
            Watch(
                id: WatchID(.zero), person: Town.aisha.id, started: World.start,
                deadline: World.start + .seconds(minutes * 60), destination: destination,
                state: state, version: version))
    }

    private func write(_ world: inout World, _ text: String, from sender: String = Self.aisha) {
        let id = Hash.id(.text(text), .text(sender), .number(world.now.microseconds))
        world.handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
    }

    private func commands(_ world: World) -> [WatchCommand] {
        world.published.compactMap {
            if case .watchCommandReceived(let command) = $0 { command } else { nil }
        }
    }

    private func texts(_ world: World, to reason: NotifyReason) -> [String] {
        world.sent.filter { world.notification($0.notification)?.reason == reason }.map(\.text)
    }

    @Test(arguments: ["EXTEND 30", "extend 30 min", "Lanjut 30", "PERPANJANG 30"])
    func `extends it by SMS, and learns the new time`(text: String) {
        var world = World(hasReplies: true)
        world.receive(watch(.active, version: 1))
        world.receive(watch(.reminded, version: 2))
        #expect(texts(world, to: .watchReminder).contains { $0.contains("EXTEND 30") })
        write(&world, text)
        #expect(commands(world).map(\.seconds) == [1800])
        #expect(commands(world).map(\.watch) == [WatchID(.zero)])
        #expect(texts(world, to: .replyAnswer).isEmpty)
        world.restart()
        world.receive(watch(.active, version: 3, minutes: 35))
        #expect(texts(world, to: .replyAnswer).map { $0.contains("02:55") } == [true])
        world.clear()
        world.pass(.seconds(120))
        world.receive(watch(.active, version: 4, minutes: 65))
        #expect(texts(world, to: .replyAnswer).isEmpty, "extended in the app")
    }

    @Test(arguments: ["EXTEND", "EXTEND soon", "EXTEND 0", "EXTEND 99999"])
    func `learns how to extend it if the minutes are missing or wrong`(text: String) {
        var world = World(hasReplies: true)
        world.receive(watch(.active, version: 1))
        write(&world, text)
        #expect(commands(world).isEmpty)
        #expect(texts(world, to: .replyAnswer).map { $0.contains("EXTEND and minutes") } == [true])
    }

    @Test func `extends nothing from an unverified, foreign or shared number`() {
        var world = World(hasReplies: true)
        write(&world, "EXTEND 30")
        #expect(texts(world, to: .replyAnswer).map { $0.contains("no running watch") } == [true])
        world.receive(watch(.active, version: 1))
        write(&world, "EXTEND 30", from: "+60129999999")
        write(&world, "EXTEND 30", from: "+60111000002")
        var person = Town.aisha
        person.contacts[0].verified = nil
        world.change(.personChanged(person))
        world.pass(.seconds(120))
        write(&world, "EXTEND 30")
        #expect(commands(world).isEmpty)
        var budi = Town.budi
        budi.contacts[0].address = Self.aisha
        world.change(.personChanged(budi))
        world.change(.personChanged(Town.aisha))
        world.receive(
            .watchChanged(
                Watch(
                    id: WatchID(ID128(high: 1, low: 1)), person: budi.id, started: World.start,
                    deadline: World.start + .seconds(300))))
        write(&world, "EXTEND 30")
        #expect(commands(world).isEmpty)
    }

    @Test(arguments: [WatchState.active, .ended, .arrived, .cancelled])
    func `is not reminded any more once they answered on another channel`(state: WatchState) {
        var world = World()
        world.gateway = { _ in nil }
        world.receive(watch(.active, version: 1))
        // The mail gateway answers "later"; the reminder waits for a retry.
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.channel == .email ? .later : .accepted)
        }
        world.receive(watch(.reminded, version: 2))
        #expect(world.sent.count == 2)
        world.clear()
        world.receive(watch(state, version: 3, minutes: state == .active ? 60 : 5))
        world.pass(.seconds(240))
        #expect(world.sent.isEmpty)
        #expect(world.notifications.filter { $0.state == .expired }.map(\.channel) == [.email])
    }

    @Test func `is reminded once if the stream is read again`() {
        var world = World()
        for _ in 0..<2 {
            world.receive(watch(.active, version: 1))
            world.receive(watch(.reminded, version: 2))
        }
        #expect(texts(world, to: .watchReminder).count == 2)
    }

    @Test func `who arrives too late does not end the emergency, and the recipients learn it`() {
        var world = World()
        world.receive(watch(.active, version: 1, destination: Town.school.id))
        world.receive(watch(.expired, version: 2, destination: Town.school.id))
        world.receive(.emergencyOpened(Town.change(trigger: .watchExpired)))
        world.clear()
        world.restart()
        for _ in 0..<2 {
            world.receive(.zoneEntered(Town.crossing(at: world.now)))
        }
        let arrivals = world.sent.filter { world.notification($0.notification)?.reason == .arrived }
        #expect(Set(arrivals.map(\.address)) == ["+60111000002", "budi@example.org"])
        #expect(arrivals.allSatisfy { $0.text.contains("arrived at School") })
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }
}
