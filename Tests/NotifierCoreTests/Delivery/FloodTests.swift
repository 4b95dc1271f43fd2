import Directory
import Model
import Testing

@testable import NotifierCore

/// A flood of calls or messages from one person.
struct FloodTests {
    /// Aisha calls and cancels repeatedly.
    private func call(_ world: inout World, _ number: UInt64) {
        world.receive(.emergencyOpened(Town.change(number, raised: world.now)))
    }

    private func end(_ world: inout World, _ number: UInt64) {
        world.receive(.emergencyResolved(Town.change(number, .resolved, by: Town.aisha.id)))
    }

    private func alarms(_ world: World) -> Int {
        world.sent.count { $0.address == "+60111000002" && $0.text.contains("SOS Aisha") }
    }

    @Test func `repeated calls and cancellations send a bounded number of messages`() {
        var world = World()
        for number in 1...600 as ClosedRange<UInt64> {
            call(&world, number)
            world.pass(.milliseconds(500))
            end(&world, number)
            world.pass(.milliseconds(500))
            if number == 3 { #expect(alarms(world) == 3, "the first calls notify at once") }
        }
        // One in 30, 60, 90 and 120 s; calls cancelled before their message is sent are not
        // notified.
        #expect(alarms(world) <= 10, "of 600 calls in ten minutes")
    }

    @Test func `the last of many calls is notified, and later ones at once again`() {
        var world = World()
        for number in 1...5 as ClosedRange<UInt64> {
            call(&world, number)
            world.pass(.seconds(1))
            end(&world, number)
            world.pass(.seconds(1))
        }
        world.clear()
        call(&world, 6)
        #expect(world.emergency(Town.emergency(6))?.state == .open)
        world.restart()
        world.pass(.seconds(31))
        #expect(alarms(world) == 1)
        world.pass(.seconds(120))
        #expect(world.sent.contains { $0.address == "+60111000003" }, "and it escalates")
        end(&world, 6)
        world.pass(.seconds(600))
        world.clear()
        call(&world, 7)
        #expect(alarms(world) == 1)
    }

    @Test func `messages about many people take turns, and one person cannot fill a lane`() {
        var lanes = DeliveryQueue()
        let lane = Lane(kind: .safety, channel: .sms)
        let (aisha, budi) = (Town.aisha.id, Town.budi.id)
        func message(_ number: UInt64) -> NotificationID {
            NotificationID(ID128(high: 8, low: number))
        }
        for number in 1...500 as ClosedRange<UInt64> {
            lanes.append(message(number), to: lane, about: aisha, isRetry: false)
        }
        lanes.append(message(1000), to: lane, about: budi, isRetry: false)
        lanes.append(message(1001), to: lane, about: budi, isRetry: true)
        var order: [NotificationID] = []
        while let id = lanes.next(in: lane) {
            order.append(id)
            lanes.started(in: lane, about: id.raw.low < 1000 ? aisha : budi)
        }
        #expect(order.firstIndex(of: message(1000)).map { $0 < 2 } == true, "by turns")
        #expect(order.firstIndex(of: message(1001)).map { $0 < 5 } == true, "further ones, too")
        #expect(order.count == lane.inFlightOfPersonMax + 2, "room is left for others")
        lanes.append(message(1002), to: lane, about: budi, isRetry: false)
        #expect(lanes.next(in: lane) == message(1002))
        for _ in 0..<lane.inFlightOfPersonMax { lanes.finished(in: lane, about: aisha) }
        #expect(lanes.next(in: lane) == message(UInt64(lane.inFlightOfPersonMax + 1)))
    }

    @Test func `one throttled number delays no other number`() {
        var world = World()
        var family = Town.family
        family.escalation = [EscalationTier(roles: [.guardian, .admin])]
        world.change(.circleChanged(family))
        let throttled = "+60111000002"
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == throttled ? .later : .accepted, answer: "429",
                retryAfter: delivery.address == throttled ? .seconds(60) : nil)
        }
        call(&world, 1)
        func count(_ address: String) -> Int { world.sent.count { $0.address == address } }
        #expect(count(throttled) == 1 && count("+60111000003") == 1)
        #expect(world.notifier.delivery.healthProblems.isEmpty, "the gateway is up")
        world.pass(.seconds(5))
        world.receive(.emergencyJoined(Town.change(1, .open, signal: 2)))
        #expect(count("+60111000003") == 2, "at once, while the other number waits")
        world.pass(.seconds(50))
        #expect(world.sent.count { $0.address == throttled && $0.attempt > 1 } == 0)
        world.pass(.seconds(10))
        #expect(world.sent.count { $0.address == throttled && $0.attempt == 2 } == 1)
    }
}
