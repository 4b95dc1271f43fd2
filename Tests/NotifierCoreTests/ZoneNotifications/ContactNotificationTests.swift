import Model
import NotifierCore
import Testing

/// Lost contact with phones.
@Suite struct ContactNotificationTests {
    private func change(
        _ state: ContactState, at time: Timestamp = World.start, isWatched: Bool = false,
        end: ContactEnd? = nil
    ) -> ContactChange {
        ContactChange(
            person: Town.aisha.id, device: DeviceID(.zero), state: state, at: time,
            since: World.start - .seconds(3600), contactTimeoutSeconds: 1800, isWatched: isWatched,
            fix: Town.fix(at: World.start - .seconds(3600)), end: end)
    }

    private let deadline = Deadline(
        id: DeadlineID(ID128(high: 6, low: 1)), kind: .contact, person: Town.aisha.id,
        emergency: Town.emergency(1), due: World.start)

    @Test func `the person is asked on all channels, and nobody else is notified`() {
        var world = World()
        world.receive(.contactLate(change(.late)))
        #expect(world.sent.isEmpty)
        world.receive(.contactOverdue(change(.overdue)))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("Are you OK?") })
        #expect(world.sent.allSatisfy { !$0.text.contains("we alert your circle") })
        #expect(world.notifications.allSatisfy { $0.severity == .safety })
    }

    @Test func `OK by SMS from an asked number is a check-in`() {
        var world = World()
        func write(_ text: String, from sender: String) {
            let id = ID128(high: 55, low: UInt64(world.published.count))
            world.handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
        }
        func acknowledged() -> [Contact] {
            world.published.compactMap {
                if case .checkInReceived(let contact) = $0 { contact } else { nil }
            }
        }
        write("OK", from: "+60111000001")
        world.receive(.contactOverdue(change(.overdue)))
        write("OK", from: "+60111000002")
        write("OK 4711", from: "+60111000001")
        write("later", from: "+60111000001")
        #expect(acknowledged().isEmpty)
        write("ok.", from: "+60111000001")
        #expect(acknowledged().map(\.person) == [Town.aisha.id])
        #expect(acknowledged().first?.kind == .checkIn)
    }

    @Test func `on a watch the person is notified when their circle is alerted`() {
        var world = World()
        world.receive(.contactOverdue(change(.overdue, isWatched: true)))
        #expect(world.sent.allSatisfy { $0.text.contains("or we alert your circle at 02:25") })
    }

    @Test func `nobody is asked long after, nor during an active emergency`() {
        var world = World()
        world.receive(.contactOverdue(change(.overdue, at: World.start - .seconds(901))))
        #expect(world.sent.isEmpty)
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.receive(.contactOverdue(change(.overdue)))
        #expect(world.addresses.allSatisfy { $0 != "+60111000001" })
    }

    @Test
    func `guardians and admins are notified once of the loss and once of the restored contact`() {
        var world = World()
        world.receive(.contactLost(change(.lost)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org", "+60111000003"])
        #expect(world.sent.allSatisfy { $0.text.contains("No contact with Aisha since 01:20") })
        #expect(world.notifications.allSatisfy { $0.severity == .routine })
        #expect(world.timeline.map(\.kind) == [.contactLost])
        world.clear()
        world.receive(.contactOK(change(.lost, end: .seen)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org", "+60111000003"])
        #expect(world.timeline.map(\.kind) == [.contactRestored])
    }

    @Test func `a person who does not share is not reported, and the reason is recorded`() {
        var world = World()
        var circle = Town.family
        circle.members[0].sharing = .off
        world.change(.circleChanged(circle))
        world.receive(.contactLost(change(.lost)))
        #expect(world.sent.isEmpty)
        #expect(
            world.timeline.first?.decisions.allSatisfy { $0.reason == .sharingOff } == true)
        #expect(world.timeline.first?.isShared == false)
    }

    @Test func `a contact state before lost ends without a message`() {
        var world = World()
        world.receive(.contactOK(change(.overdue, end: .answered)))
        world.receive(.contactOK(change(.lost, end: .changed)))
        #expect(world.sent.isEmpty && world.timeline.isEmpty)
    }

    @Test func `restored contact ends no emergency and is in the timeline`() {
        var world = World()
        world.receive(.contactLost(change(.lost, isWatched: true)))
        #expect(world.sent.isEmpty, "the emergency tells")
        world.receive(.emergencyOpened(Town.change(trigger: .lostContact)))
        #expect(world.sent.contains { $0.text.contains("contact lost") })
        world.clear()
        world.receive(.contactOK(change(.lost, end: .seen)))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.first?.emergency == Town.emergency(1))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `with all evaluators down a lost contact on a watch is notified`() {
        var world = World()
        world.receive(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: World.start)))
        world.pass(.seconds(2))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.sent.contains { $0.text.contains("contact lost") })
        #expect(world.emergency(Town.emergency(1))?.trigger == .lostContact)
    }

    @Test(arguments: [true, false])
    func `with all evaluators down the emergency of a lost contact has the last position`(
        isLocatedFirst: Bool
    ) {
        var world = World()
        let place = EmergencyPlace(
            emergency: Town.emergency(1), person: Town.aisha.id,
            fix: Town.fix(at: World.start - .seconds(600)), battery: 41, trace: "t")
        let bodies: [EventBody] = [
            .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: World.start)),
            .sosLocated(place),
        ]
        for body in isLocatedFirst ? bodies.reversed() : bodies { world.receive(body) }
        world.pass(.seconds(3))
        let alarms = world.sent.filter { $0.text.contains("contact lost") }
        #expect(!alarms.isEmpty)
        #expect(alarms.allSatisfy { !$0.text.contains("No position known") }, "\(alarms)")
    }

    @Test(arguments: [true, false])
    func `a cancelled deadline raises nothing, in whichever order it is read`(
        _ isExpiredFirst: Bool
    ) {
        var world = World()
        let bodies: [EventBody] = [
            .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: World.start)),
            .deadlineCancelled(deadline),
        ]
        for body in isExpiredFirst ? bodies : bodies.reversed() { world.receive(body) }
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `an emergency opened by an evaluator is not opened again by the deadline`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change(trigger: .lostContact)))
        world.clear()
        world.receive(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: World.start)))
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `a late deadline means an outage of the suite, so it raises nothing`() {
        var world = World()
        world.receive(
            .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: World.start, late: true)))
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `a low battery is notified to its person, in one message`() {
        var world = World()
        world.receive(
            .batteryLow(
                BatteryChange(
                    person: Town.aisha.id, device: DeviceID(.zero), battery: 14, mark: 15)))
        #expect(world.addresses == ["+60111000001"])
        #expect(world.sent.first?.text.contains("battery is at 14%") == true)
        #expect(world.timeline.map(\.kind) == [.batteryLow])
    }

    @Test func `an impaired phone is notified to its person and their guardians`() {
        var world = World()
        let news = ReportingImpairment(
            person: Town.aisha.id, device: DeviceID(.zero),
            impairments: [.approximateLocation, .locationPermission], at: World.start)
        world.receive(.deviceImpaired(news))
        #expect(world.addresses.contains("+60111000001") && world.addresses.count > 1)
        #expect(Set(world.addresses).count == world.addresses.count, "each once")
        #expect(
            world.sent.allSatisfy { $0.text.contains("the app has no location permission") })
        #expect(world.timeline.map(\.kind) == [.deviceImpaired])
    }

    @Test func `an impaired phone is notified to its person only if the setting says so`() {
        var world = World(notifiesGuardiansOfImpairment: false)
        world.receive(
            .deviceImpaired(
                ReportingImpairment(
                    person: Town.aisha.id, device: DeviceID(.zero), impairments: [.hibernation],
                    at: World.start)))
        #expect(world.addresses == ["+60111000001", "aisha@example.org"])
    }
}
