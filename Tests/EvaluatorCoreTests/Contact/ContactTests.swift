import EvaluatorCore
import Model
import Testing

/// Contact with phones: contact loss is no danger until a person was asked and does not answer.
@Suite struct ContactTests {
    private static let minute: Int64 = 60

    @Test func `contact becomes late, overdue and lost, each once`() {
        var world = World.withExpectation()
        #expect(world.wait(seconds: 1799).contactStates == "")
        #expect(world.wait(seconds: 1).contactStates == "q")
        #expect(world.wait(seconds: 1799).contactStates == "")
        #expect(world.wait(seconds: 1).contactStates == "o")
        #expect(world.wait(seconds: 299).contactStates == "")
        #expect(world.wait(seconds: 1).contactStates == "l")
        #expect(world.wait(seconds: 86_400).contactStates == "")
    }

    @Test func `a phone without a contact expectation never becomes late`() {
        var world = World()
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 7 * 86_400).isEmpty)
        _ = world.announce(contactTimeout: 60)
        _ = world.announce(contactTimeout: nil)
        #expect(world.wait(seconds: 7 * 86_400).contactStates == "")
    }

    @Test func `regular reports keep contact without a deadline for each`() {
        var world = World.withExpectation()
        var outputs: [Event] = []
        for _ in 0..<100 { outputs += world.report(north: 0, after: 170) }
        #expect(outputs.contactStates == "")
        let deadlines = outputs.filter { $0.kind == .deadlineScheduled }.count
        #expect(deadlines <= 100 * 170 / 1800 + 1)
        #expect(world.wait(seconds: 1800).contactStates == "q")
    }

    @Test(arguments: [(1810, "qs"), (3700, "qos"), (3900, "qols")])
    func `renewed contact is reported and resolves no emergency`(
        _ after: Int64, _ expected: String
    ) throws {
        var world = World.withExpectation()
        var emitted = world.wait(seconds: after)
        emitted += world.report(north: 0, after: 1)
        #expect(emitted.contactStates == expected)
        let end = try #require(emitted.contactChange.last)
        #expect(end.end == .seen)
        #expect(end.state == emitted.contactChange.dropLast().last?.state)
        // The timeout restarts.
        #expect(world.wait(seconds: 1800).contactStates == "q")
    }

    @Test func `a late report is contact, a report of another device is not`() {
        var world = World.withExpectation()
        _ = world.wait(seconds: 1900)
        #expect(world.report(north: 0, device: World.tablet).contactStates == "")
        #expect(world.report(north: 0, age: 1800, late: true).contactStates == "s")
    }

    @Test func `other messages of a device are contact`() {
        var world = World.withExpectation()
        _ = world.wait(seconds: 1500)
        #expect(world.contact(.seen).contactStates == "")
        #expect(world.wait(seconds: 1799).contactStates == "")
        #expect(world.wait(seconds: 1).contactStates == "q")
        #expect(world.contact(.seen).contactStates == "s")
    }

    @Test func `a new expectation counts from when the device announces it`() {
        var world = World.withExpectation()
        _ = world.wait(seconds: 100)
        _ = world.announce(contactTimeout: 180)
        #expect(world.wait(seconds: 660).contactStates == "qol")
        _ = world.report(north: 0)
        _ = world.announce(contactTimeout: 1800)
        #expect(world.wait(seconds: 1799).contactStates == "")
        #expect(world.wait(seconds: 1).contactStates == "q")
    }

    // MARK: Answers

    @Test func `a person who answered is not asked again for the same contact loss`() {
        var world = World.withExpectation()
        #expect(world.wait(seconds: 3700).contactStates == "qo")
        #expect(world.contact(.checkIn).contactStates == "a")
        #expect(world.wait(seconds: 86_400).contactStates == "")
        // Contact: there is nothing to end, and the timeout counts again.
        #expect(world.report(north: 0).contactStates == "")
        #expect(world.wait(seconds: 3600).contactStates == "qo")
    }

    @Test func `an answer during a watch restarts the timeout`() {
        var world = World.withExpectation(180)
        _ = world.watch(for: 7200)
        #expect(world.wait(seconds: 400).contactStates == "qo")
        #expect(world.contact(.checkIn).contactStates == "a")
        #expect(world.wait(seconds: 660).contactStates == "qol")
    }

    @Test func `answering an alarm, arming and starting a watch are contact`() {
        var world = World.withExpectation()
        _ = world.wait(seconds: 3700)
        #expect(
            world.handle(
                .inputAlarmAnswer(
                    AlarmAnswer(person: World.person, zone: nil, action: .close, at: world.now))
            ).contactStates == "a")
        _ = world.report(north: 0)
        _ = world.wait(seconds: 1900)
        let arming = Arming(person: World.person, armed: false, at: world.now)
        #expect(world.handle(.inputArming(arming)).contactStates == "a")
        _ = world.wait(seconds: 1900)
        #expect(world.watch(for: 7200).contactStates == "a")
    }

    // MARK: Watches

    @Test func `lost contact during a watch is an emergency`() throws {
        var world = World.withExpectation(180)
        _ = world.report(north: 0, after: 1, battery: 40)
        _ = world.watch(for: 7200)
        #expect(world.wait(seconds: 659).emergencyChanges.isEmpty)
        let lost = world.wait(seconds: 1)
        #expect(lost.contactStates == "l")
        let change = try #require(lost.emergencyChanges.first)
        #expect(lost.emergencyChanges.count == 1)
        #expect(change.state == .open)
        #expect(change.trigger == .lostContact)
        #expect(change.battery == 40)
        // Contact is restored; a person resolves the emergency.
        let renewed = world.report(north: 0)
        #expect(renewed.contactStates == "s")
        #expect(renewed.emergencyChanges.isEmpty)
    }

    @Test func `lost contact without a watch raises nothing`() {
        var world = World.withExpectation(180)
        let outputs = world.wait(seconds: 10_000)
        #expect(outputs.contactStates == "qol")
        #expect(outputs.emergencyChanges.isEmpty)
    }

    @Test func `an ended watch raises nothing, with or without its end event`() {
        var emitted = World.withExpectation(180)
        _ = emitted.watch(for: 7200)
        _ = emitted.wait(seconds: 400)
        _ = emitted.endWatch()
        let outputs = emitted.wait(seconds: 1000)
        #expect(outputs.contactStates == "l")
        #expect(outputs.emergencyChanges.isEmpty)
        var silentEnd = World.withExpectation(180)
        _ = silentEnd.watch(for: 600)
        #expect(silentEnd.wait(seconds: 1000).emergencyChanges.isEmpty)
    }

    @Test func `a contact loss joins an open emergency`() throws {
        var world = World.withExpectation(180)
        _ = world.watch(for: 7200)
        _ = world.handle(.inputSignal(world.signal(1)))
        let lost = world.wait(seconds: 660)
        #expect(lost.emergencyChanges.map(\.state) == [.open])
        #expect(lost.contains { $0.kind == .emergencyJoined })
    }

    @Test func `the deadline of a pending emergency names its signal`() throws {
        var world = World.withExpectation(180)
        _ = world.watch(for: 7200)
        let asked = world.wait(seconds: 360)
        let deadline = try #require(asked.deadlines(.contact).scheduled.first)
        #expect(deadline.due == world.now + .seconds(300))
        #expect(asked.deadlines(.contact).scheduled.count == 1)
        let lost = world.wait(seconds: 300)
        #expect(lost.emergencyChanges.first?.signal == deadline.emergency)
        // The notifier has opened it as a fallback: it is the same emergency.
        var signal = world.signal(2)
        signal.id = try #require(deadline.emergency)
        #expect(world.handle(.inputFallbackOpened(signal)).emergencyChanges.isEmpty)
    }

    @Test func `contact in time cancels that deadline`() throws {
        var world = World.withExpectation(180)
        _ = world.watch(for: 7200)
        let asked = world.wait(seconds: 400).deadlines(.contact).scheduled
        let renewed = world.report(north: 0)
        #expect(renewed.deadlines(.contact).cancelled == asked)
        // It expires nevertheless.
        let deadline = try #require(asked.first)
        while world.now < deadline.due { _ = world.report(north: 0, after: 20) }
        let expired = world.handle(
            .inputDeadline(ExpiredDeadline(deadline: deadline, expired: world.now)))
        #expect(expired.contactStates == "" && expired.emergencyChanges.isEmpty)
        _ = world.wait(seconds: 400)
        #expect(world.endWatch().deadlines(.contact).cancelled.count == 1)
    }

    @Test func `a presence deadline or any later record is enough`() {
        for late: Int64 in [0, 77] {
            var world = World.withExpectation(180)
            _ = world.watch(for: 7200)
            #expect(world.wait(seconds: 1000, late: late).emergencyChanges.count == 1)
        }
        var world = World.withExpectation(180)
        _ = world.watch(for: 7200)
        let outputs = world.report(north: 0, after: 1000)
        #expect(outputs.contactStates == "qols")
        #expect(outputs.emergencyChanges.count == 1)
    }

    // MARK: Outages

    @Test func `an intake outage does not count`() {
        var world = World.withExpectation()
        _ = world.wait(seconds: 600)
        // Down from here, with the timer.
        let from = world.now
        world.advance(seconds: 7200)
        #expect(world.recordOutage(from: from).contactStates == "")
        #expect(world.wait(seconds: 1199).contactStates == "")
        #expect(world.wait(seconds: 1).contactStates == "q")
    }

    @Test func `after an outage a person has the remaining time to answer`() throws {
        var world = World.withExpectation(180)
        _ = world.watch(for: 86_400)
        _ = world.wait(seconds: 460)
        let from = world.now
        world.advance(seconds: 7200)
        let back = world.recordOutage(from: from)
        #expect(back.contactStates == "")
        #expect(back.emergencyChanges.isEmpty)
        #expect(back.deadlines(.contact).scheduled.map(\.due) == [world.now + .seconds(200)])
        #expect(back.deadlines(.contact).cancelled.count == 1)
        #expect(world.wait(seconds: 199).emergencyChanges.isEmpty)
        #expect(world.wait(seconds: 1).emergencyChanges.count == 1)
    }

    @Test func `an outage before the last contact has no effect`() {
        var world = World.withExpectation()
        let from = world.now - .seconds(7200)
        _ = world.report(north: 0)
        _ = world.handle(.inputIntakeOutage(IntakeOutage(from: from, to: world.now - .seconds(30))))
        #expect(world.wait(seconds: 1800).contactStates == "q")
    }

    @Test func `nobody becomes lost during a contact-loss hold`() throws {
        var world = World.withExpectation(180)
        _ = world.watch(for: 86_400)
        _ = world.wait(seconds: 400)
        #expect(world.hold(true).deadlines(.contact).cancelled.count == 1)
        #expect(world.wait(seconds: 7200).isEmpty)
        #expect(world.hold(false).deadlines(.contact).scheduled.count == 1)
        #expect(world.wait(seconds: 299).emergencyChanges.isEmpty)
        #expect(world.wait(seconds: 1).emergencyChanges.count == 1)
    }

    @Test func `people are asked even during a contact-loss hold`() {
        var world = World.withExpectation(180)
        _ = world.hold(true)
        #expect(world.wait(seconds: 7200).contactStates == "qo")
        #expect(world.report(north: 0).contactStates == "s")
        _ = world.hold(false)
        #expect(world.wait(seconds: 660).contactStates == "qol")
    }

    // MARK: Primary device

    @Test
    func `a new primary device ends contact loss, and the first one counts when primary again`() {
        var world = World.withExpectation()
        _ = world.wait(seconds: 3700)
        #expect(world.configure(primary: World.tablet).contactStates == "c")
        #expect(world.report(north: 0).contactStates == "")
        #expect(world.wait(seconds: 86_400).contactStates == "")
        #expect(world.configure(primary: World.phone).contactStates == "")
        #expect(world.wait(seconds: 1800).contactStates == "q")
    }

    @Test func `a removed person does not become late`() {
        var world = World.withExpectation(180)
        _ = world.watch(for: 7200)
        _ = world.wait(seconds: 400)
        let gone = world.handle(.inputPersonRemoved(PersonRemoval(person: World.person)))
        #expect(gone.deadlines(.contact).cancelled.count == 1)
        #expect(world.wait(seconds: 7200).isEmpty)
    }

    // MARK: Change of owner

    @Test(arguments: [0, 1900, 3700, 3950])
    func `a new owner continues at any position`(_ cut: Int64) throws {
        let person = ConfiguredPerson(
            person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])
        let circle = ConfiguredCircle(circle: World.circle, zones: [])
        for isHeld in [false, true] {
            var world = World.withExpectation()
            _ = world.watch(for: 4000)
            if isHeld { _ = world.hold(true) }
            _ = world.wait(seconds: cut)
            var other = world
            try other.restore([.inputPerson(person), .inputCircle(circle)])
            #expect(other.state.encodedState() == world.state.encodedState())
            for seconds: Int64 in [100, 3000, 1000] {
                #expect(world.wait(seconds: seconds) == other.wait(seconds: seconds))
            }
            #expect(world.hold(false) == other.hold(false))
            #expect(world.report(north: 0) == other.report(north: 0))
            #expect(world.state.stateHash == other.state.stateHash)
        }
    }
}

/// A low battery is reported once.
@Suite struct BatteryTests {
    @Test func `fifteen and five percent are reported once each`() {
        var world = World()
        let emitted = [40, 16, 15, 14, 9, 6, 5, 4, 3].map { percent in
            world.report(north: 0, battery: UInt8(percent)).batteries
        }
        #expect(emitted == [[], [], [15], [], [], [], [5], [], []])
    }

    @Test func `a sudden drop is reported once`() {
        var world = World()
        #expect(world.report(north: 0, battery: 3).batteries == [5])
        #expect(world.report(north: 0, battery: 12).batteries == [])
    }

    @Test func `warnings are armed again after charging`() {
        var world = World()
        let emitted = [15, 20, 15, 21, 15].map { percent in
            world.report(north: 0, battery: UInt8(percent)).batteries
        }
        #expect(emitted == [[15], [], [], [], [15]])
    }

    @Test func `a battery level without a report is reported once, too`() {
        var world = World()
        _ = world.report(north: 0, battery: 16)
        #expect(world.contact(.seen, battery: 12).batteries == [15])
        #expect(world.contact(.seen).batteries == [])
        #expect(world.report(north: 0, battery: 11).batteries == [])
        #expect(world.contact(.seen, battery: 4, charging: true).batteries == [])
        #expect(world.contact(.seen, battery: 4).batteries == [5])
        #expect(world.contact(.seen, battery: 30).batteries == [])
        #expect(world.report(north: 0, battery: 12).batteries == [15])
    }

    @Test func `charging, late, old and other devices' levels are ignored`() {
        var world = World()
        _ = world.report(north: 0, battery: 80)
        #expect(world.report(north: 0, late: true, battery: 3).batteries == [])
        #expect(world.report(north: 0, device: World.tablet, battery: 3).batteries == [])
        #expect(world.report(north: 0, battery: 10, charging: true).batteries == [])
        #expect(world.report(north: 0, after: 2000, age: 1000, battery: 10).batteries == [])
        #expect(world.report(north: 0, battery: 10).batteries == [15])
    }
}
