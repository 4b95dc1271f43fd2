import EvaluatorCore
import Model
import Testing

/// Phones that are not heard: silence is no danger until a person was asked and does not answer.
@Suite struct SilenceTests {
    private static let minute: Int64 = 60

    @Test func `a silence is quiet, then overdue, then lost, each once`() {
        var world = World.hinted()
        #expect(world.wait(seconds: 1799).silences == "")
        #expect(world.wait(seconds: 1).silences == "q")
        #expect(world.wait(seconds: 1799).silences == "")
        #expect(world.wait(seconds: 1).silences == "o")
        #expect(world.wait(seconds: 299).silences == "")
        #expect(world.wait(seconds: 1).silences == "l")
        #expect(world.wait(seconds: 86_400).silences == "")
    }

    @Test func `whoever shows no hints is silent without a word`() {
        var world = World()
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 7 * 86_400).isEmpty)
        _ = world.tell(terms: 60)
        _ = world.tell(terms: nil)
        #expect(world.wait(seconds: 7 * 86_400).silences == "")
    }

    @Test func `standing still and reporting is no silence, and asks for no clock a report`() {
        var world = World.hinted()
        var outputs: [Event] = []
        for _ in 0..<100 { outputs += world.report(north: 0, after: 170) }
        #expect(outputs.silences == "")
        let clocks = outputs.filter { $0.kind == .clockWanted }.count
        #expect(clocks <= 100 * 170 / 1800 + 1)
        #expect(world.wait(seconds: 1800).silences == "q")
    }

    @Test(arguments: [(1810, "qh"), (3700, "qoh"), (3900, "qolh")])
    func `a device heard again says so and closes nothing`(
        _ after: Int64, _ expected: String
    ) throws {
        var world = World.hinted()
        var told = world.wait(seconds: after)
        told += world.report(north: 0, after: 1)
        #expect(told.silences == expected)
        let end = try #require(told.silenceNews.last)
        #expect(end.end == .heard)
        #expect(end.state == told.silenceNews.dropLast().last?.state)
        // It begins anew.
        #expect(world.wait(seconds: 1800).silences == "q")
    }

    @Test func `a report that comes late is a sign of life, one of another device is none`() {
        var world = World.hinted()
        _ = world.wait(seconds: 1900)
        #expect(world.report(north: 0, device: World.tablet).silences == "")
        #expect(world.report(north: 0, age: 1800, late: true).silences == "h")
    }

    @Test func `what a device says beside reports is heard`() {
        var world = World.hinted()
        _ = world.wait(seconds: 1500)
        #expect(world.contact(.heard).silences == "")
        #expect(world.wait(seconds: 1799).silences == "")
        #expect(world.wait(seconds: 1).silences == "q")
        #expect(world.contact(.heard).silences == "h")
    }

    @Test func `another hint counts from when the device goes by it`() {
        var world = World.hinted()
        _ = world.wait(seconds: 100)
        _ = world.tell(terms: 180)
        #expect(world.wait(seconds: 660).silences == "qol")
        _ = world.report(north: 0)
        _ = world.tell(terms: 1800)
        #expect(world.wait(seconds: 1799).silences == "")
        #expect(world.wait(seconds: 1).silences == "q")
    }

    // MARK: Answers

    @Test func `whoever answers is not asked again for the same silence`() {
        var world = World.hinted()
        #expect(world.wait(seconds: 3700).silences == "qo")
        #expect(world.contact(.allRight).silences == "a")
        #expect(world.wait(seconds: 86_400).silences == "")
        // The device is heard: there is nothing to end, and silence counts again.
        #expect(world.report(north: 0).silences == "")
        #expect(world.wait(seconds: 3600).silences == "qo")
    }

    @Test func `an answer in a watch begins the same silence anew`() {
        var world = World.hinted(180)
        _ = world.watch(for: 7200)
        #expect(world.wait(seconds: 400).silences == "qo")
        #expect(world.contact(.allRight).silences == "a")
        #expect(world.wait(seconds: 660).silences == "qol")
    }

    @Test func `answering an alarm, arming and asking for a watch are signs of life`() {
        var world = World.hinted()
        _ = world.wait(seconds: 3700)
        #expect(
            world.handle(
                .inputAlarmAnswer(
                    AlarmAnswer(person: World.person, zone: nil, action: .close, at: world.now))
            ).silences == "a")
        _ = world.report(north: 0)
        _ = world.wait(seconds: 1900)
        let arming = Arming(person: World.person, armed: false, at: world.now)
        #expect(world.handle(.inputArming(arming)).silences == "a")
        _ = world.wait(seconds: 1900)
        #expect(world.watch(for: 7200).silences == "a")
    }

    // MARK: Watches

    @Test func `lost in a watch is an emergency, at once`() throws {
        var world = World.hinted(180)
        _ = world.report(north: 0, after: 1, battery: 40)
        _ = world.watch(for: 7200)
        #expect(world.wait(seconds: 659).news.isEmpty)
        let lost = world.wait(seconds: 1)
        #expect(lost.silences == "l")
        let news = try #require(lost.news.first)
        #expect(lost.news.count == 1)
        #expect(news.state == .open)
        #expect(news.trigger == .lostContact)
        #expect(news.battery == 40)
        // Contact is restored; the emergency is closed by a human.
        let heard = world.report(north: 0)
        #expect(heard.silences == "h")
        #expect(heard.news.isEmpty)
    }

    @Test func `lost without a watch raises nothing`() {
        var world = World.hinted(180)
        let outputs = world.wait(seconds: 10_000)
        #expect(outputs.silences == "qol")
        #expect(outputs.news.isEmpty)
    }

    @Test func `a watch that is over raises nothing, whether anybody says so or not`() {
        var told = World.hinted(180)
        _ = told.watch(for: 7200)
        _ = told.wait(seconds: 400)
        _ = told.endWatch()
        let outputs = told.wait(seconds: 1000)
        #expect(outputs.silences == "l")
        #expect(outputs.news.isEmpty)
        var untold = World.hinted(180)
        _ = untold.watch(for: 600)
        #expect(untold.wait(seconds: 1000).news.isEmpty)
    }

    @Test func `a silence joins the emergency that is there`() throws {
        var world = World.hinted(180)
        _ = world.watch(for: 7200)
        _ = world.handle(.inputSignal(world.signal(1)))
        let lost = world.wait(seconds: 660)
        #expect(lost.news.map(\.state) == [.open])
        #expect(lost.contains { $0.kind == .emergencyJoined })
    }

    @Test func `the clock of an emergency to come names its signal`() throws {
        var world = World.hinted(180)
        _ = world.watch(for: 7200)
        let asked = world.wait(seconds: 360)
        let clock = try #require(asked.clocks(.contact).wanted.first)
        #expect(clock.due == world.now + .seconds(300))
        #expect(asked.clocks(.contact).wanted.count == 1)
        let lost = world.wait(seconds: 300)
        #expect(lost.news.first?.signal == clock.emergency)
        // The notifier has gone ahead: it is the same emergency.
        var signal = world.signal(2)
        signal.id = try #require(clock.emergency)
        #expect(world.handle(.inputAdoption(signal)).news.isEmpty)
    }

    @Test func `whoever is heard in time gives that clock up`() throws {
        var world = World.hinted(180)
        _ = world.watch(for: 7200)
        let asked = world.wait(seconds: 400).clocks(.contact).wanted
        let heard = world.report(north: 0)
        #expect(heard.clocks(.contact).unwanted == asked)
        // It fires nevertheless.
        let clock = try #require(asked.first)
        while world.now < clock.due { _ = world.report(north: 0, after: 20) }
        let fired = world.handle(.inputClock(FiredClock(clock: clock, fired: world.now)))
        #expect(fired.silences == "" && fired.news.isEmpty)
        _ = world.wait(seconds: 400)
        #expect(world.endWatch().clocks(.contact).unwanted.count == 1)
    }

    @Test func `a clock of the presence alone is enough, and so is any record after it`() {
        for late: Int64 in [0, 77] {
            var world = World.hinted(180)
            _ = world.watch(for: 7200)
            #expect(world.wait(seconds: 1000, late: late).news.count == 1)
        }
        var world = World.hinted(180)
        _ = world.watch(for: 7200)
        let outputs = world.report(north: 0, after: 1000)
        #expect(outputs.silences == "qolh")
        #expect(outputs.news.count == 1)
    }

    // MARK: Not the person's silence

    @Test func `time in which nothing could be received does not count`() {
        var world = World.hinted()
        _ = world.wait(seconds: 600)
        // Down from here, with the timer.
        let from = world.now
        world.pass(seconds: 7200)
        #expect(world.deaf(from: from).silences == "")
        #expect(world.wait(seconds: 1199).silences == "")
        #expect(world.wait(seconds: 1).silences == "q")
    }

    @Test func `whoever was asked before has as long to answer as was left`() throws {
        var world = World.hinted(180)
        _ = world.watch(for: 86_400)
        _ = world.wait(seconds: 460)
        let from = world.now
        world.pass(seconds: 7200)
        let back = world.deaf(from: from)
        #expect(back.silences == "")
        #expect(back.news.isEmpty)
        #expect(back.clocks(.contact).wanted.map(\.due) == [world.now + .seconds(200)])
        #expect(back.clocks(.contact).unwanted.count == 1)
        #expect(world.wait(seconds: 199).news.isEmpty)
        #expect(world.wait(seconds: 1).news.count == 1)
    }

    @Test func `a deafness before the device was heard takes nothing off`() {
        var world = World.hinted()
        let from = world.now - .seconds(7200)
        _ = world.report(north: 0)
        _ = world.handle(.inputDeafness(Deafness(from: from, to: world.now - .seconds(30))))
        #expect(world.wait(seconds: 1800).silences == "q")
    }

    @Test func `while the suite suspects itself nobody is lost`() throws {
        var world = World.hinted(180)
        _ = world.watch(for: 86_400)
        _ = world.wait(seconds: 400)
        #expect(world.hold(true).clocks(.contact).unwanted.count == 1)
        #expect(world.wait(seconds: 7200).isEmpty)
        #expect(world.hold(false).clocks(.contact).wanted.count == 1)
        #expect(world.wait(seconds: 299).news.isEmpty)
        #expect(world.wait(seconds: 1).news.count == 1)
    }

    @Test func `people are asked also while the suite suspects itself`() {
        var world = World.hinted(180)
        _ = world.hold(true)
        #expect(world.wait(seconds: 7200).silences == "qo")
        #expect(world.report(north: 0).silences == "h")
        _ = world.hold(false)
        #expect(world.wait(seconds: 660).silences == "qol")
    }

    // MARK: Leading

    @Test func `another device that leads ends it, and the first one counts when it leads again`() {
        var world = World.hinted()
        _ = world.wait(seconds: 3700)
        #expect(world.place(leading: World.tablet).silences == "c")
        #expect(world.report(north: 0).silences == "")
        #expect(world.wait(seconds: 86_400).silences == "")
        #expect(world.place(leading: World.phone).silences == "")
        #expect(world.wait(seconds: 1800).silences == "q")
    }

    @Test func `who is gone is not missed`() {
        var world = World.hinted(180)
        _ = world.watch(for: 7200)
        _ = world.wait(seconds: 400)
        let gone = world.handle(.inputPersonRemoved(PersonRemoval(person: World.person)))
        #expect(gone.clocks(.contact).unwanted.count == 1)
        #expect(world.wait(seconds: 7200).isEmpty)
    }

    // MARK: Taking over

    @Test(arguments: [0, 1900, 3700, 3950])
    func `another evaluator goes on wherever it takes over`(_ cut: Int64) throws {
        let person = PlacedPerson(
            person: World.person, leadingDevice: nil, circles: [World.circle], zones: [])
        let circle = PlacedCircle(circle: World.circle, zones: [])
        for isHeld in [false, true] {
            var world = World.hinted()
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

/// A battery that becomes low is told of once.
@Suite struct BatteryTests {
    @Test func `fifteen and five percent are told once each`() {
        var world = World()
        let told = [40, 16, 15, 14, 9, 6, 5, 4, 3].map { percent in
            world.report(north: 0, battery: UInt8(percent)).batteries
        }
        #expect(told == [[], [], [15], [], [], [], [5], [], []])
    }

    @Test func `one that falls far at once is told of once`() {
        var world = World()
        #expect(world.report(north: 0, battery: 3).batteries == [5])
        #expect(world.report(north: 0, battery: 12).batteries == [])
    }

    @Test func `it is told anew once it was charged`() {
        var world = World()
        let told = [15, 20, 15, 21, 15].map { percent in
            world.report(north: 0, battery: UInt8(percent)).batteries
        }
        #expect(told == [[15], [], [], [], [15]])
    }

    @Test func `one that is told without a report is told of as well, once`() {
        var world = World()
        _ = world.report(north: 0, battery: 16)
        #expect(world.contact(.heard, battery: 12).batteries == [15])
        #expect(world.contact(.heard).batteries == [])
        #expect(world.report(north: 0, battery: 11).batteries == [])
        #expect(world.contact(.heard, battery: 4, charging: true).batteries == [])
        #expect(world.contact(.heard, battery: 4).batteries == [5])
        #expect(world.contact(.heard, battery: 30).batteries == [])
        #expect(world.report(north: 0, battery: 12).batteries == [15])
    }

    @Test func `what is charged, late, old or of another device says nothing`() {
        var world = World()
        _ = world.report(north: 0, battery: 80)
        #expect(world.report(north: 0, late: true, battery: 3).batteries == [])
        #expect(world.report(north: 0, device: World.tablet, battery: 3).batteries == [])
        #expect(world.report(north: 0, battery: 10, charging: true).batteries == [])
        #expect(world.report(north: 0, after: 2000, age: 1000, battery: 10).batteries == [])
        #expect(world.report(north: 0, battery: 10).batteries == [15])
    }
}
