import Model
import Testing

@testable import EvaluatorCore

@Suite struct AlarmTests {
    private let urgent = AlarmZone.alarming(1, priority: 1)
    private let usual = AlarmZone.alarming(2, priority: 50)
    private let idle = AlarmZone.alarming(3, priority: 99)

    @Test func `entering rings, and again each cycle while the person stays`() {
        var stage = AlarmStage()
        let started = stage.report(in: [usual])
        #expect(started.marbles == "S2")
        #expect(started[0].alarm.rings == 1)
        #expect(started[0].alarm.presence == .inside)
        #expect(stage.pass(seconds: 59).isEmpty)
        let again = stage.pass(seconds: 1)
        #expect(again.marbles == "R2")
        #expect(again[0].alarm.rings == 2)
        #expect(again[0].alarm.id == started[0].alarm.id)
        #expect(stage.pass(seconds: 180).marbles == "R2 R2 R2")
        #expect(stage.report(in: []).marbles == "E2")
        #expect(stage.pass(seconds: 600).isEmpty)
    }

    @Test func `each zone has its cycle, ten seconds at least`() {
        var stage = AlarmStage()
        _ = stage.report(in: [.alarming(1, cycle: 25)])
        #expect(stage.pass(seconds: 74).marbles == "R1 R1")
        stage = AlarmStage()
        _ = stage.report(in: [.alarming(1, cycle: 1)])
        #expect(stage.pass(seconds: 29).marbles == "R1 R1")
    }

    @Test func `near rings like inside, and going in or out to near is one stay`() {
        var stage = AlarmStage()
        let near = stage.report(in: [], near: [usual])
        #expect(near.marbles == "S2")
        #expect(near[0].alarm.presence == .near)
        _ = stage.pass(seconds: 30)
        #expect(stage.report(in: [usual]).isEmpty)
        let again = stage.pass(seconds: 30)
        #expect(again.marbles == "R2")
        #expect(again[0].alarm.presence == .inside)
        #expect(stage.report(in: [], near: [usual]).isEmpty)
        #expect(stage.report(in: []).marbles == "E2")
    }

    @Test func `another stay is another alarm`() {
        var stage = AlarmStage()
        let first = stage.report(in: [usual])
        _ = stage.report(in: [])
        let second = stage.report(in: [usual])
        #expect(second.marbles == "S2")
        #expect(second[0].alarm.rings == 1)
        #expect(second[0].alarm.id != first[0].alarm.id)
    }

    @Test func `without a fix for half an hour it rings no more, the next fix rings at once`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.pass(seconds: 1800).count == 30)
        #expect(stage.pass(seconds: 3600).isEmpty)
        #expect(stage.nextRing == nil)
        #expect(stage.report(in: [usual]).marbles == "R2")
        #expect(stage.pass(seconds: 60).marbles == "R2")
    }

    @Test func `a late clock rings once, and not at all where the last fix is old by then`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.passWithoutClock(seconds: 400).marbles == "R2")
        #expect(stage.passWithoutClock(seconds: 59).isEmpty)
        #expect(stage.passWithoutClock(seconds: 1).marbles == "R2")
        #expect(stage.passWithoutClock(seconds: 1341).isEmpty)
    }

    @Test func `an old fix starts nothing, the next one does and says that it found it so`() {
        var stage = AlarmStage()
        #expect(stage.report(in: [usual], age: 1801).isEmpty)
        #expect(stage.report(in: [usual], age: 1800).marbles == "!2")
    }

    @Test func `of several the most urgent speaks, the others when their turn comes`() {
        var stage = AlarmStage()
        let both = stage.report(in: [idle, urgent])
        #expect(both.marbles == "S1 s3")
        #expect(both.map(\.alarm.rings) == [1, 0])
        #expect(stage.pass(seconds: 120).marbles == "R1 R1")
        #expect(stage.report(in: [idle, urgent, usual]).marbles == "s2")
        // The next one rings with the end of the one before it.
        #expect(stage.report(in: [idle, usual]).marbles == "E1 R2")
        #expect(stage.report(in: [idle]).marbles == "E2 R3")
        #expect(stage.report(in: []).marbles == "E3")
    }

    @Test func `a more urgent zone takes over, and gives back no sooner than a cycle allows`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        _ = stage.pass(seconds: 20)
        #expect(stage.report(in: [usual, urgent]).marbles == "S1")
        _ = stage.pass(seconds: 10)
        let end = stage.report(in: [usual])
        #expect(end.marbles == "E1")
        #expect(end[0].speaks)
        #expect(stage.pass(seconds: 29).isEmpty)
        #expect(stage.pass(seconds: 1).marbles == "R2")
        _ = stage.report(in: [usual, urgent])
        _ = stage.pass(seconds: 90)
        #expect(stage.report(in: [usual]).marbles == "E1 R2")
    }

    @Test func `equal priorities go by name, byte by byte, then by id`() {
        var stage = AlarmStage()
        let steps = stage.report(in: [
            .alarming(1, name: "b"), .alarming(2, name: "a"), .alarming(3, name: "B"),
            .alarming(5, name: "a"),
        ])
        #expect(steps.marbles == "S3 s2 s5 s1")
    }

    @Test func `a zone that ends without ever having been heard says so`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        let end = stage.report(in: [urgent])
        #expect(end.marbles == "E2")
        #expect(!end[0].speaks)
        #expect(end[0].alarm.rings == 0)
    }

    @Test func `closing silences one ring alone`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        let before = stage.life
        #expect(stage.answer(.close).isEmpty)
        #expect(stage.life == before)
        #expect(stage.pass(seconds: 60).marbles == "R2")
    }

    @Test func `sleeping is silence, then the next fix that is still there rings`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.answer(.sleep, usual).isEmpty)
        #expect(stage.pass(seconds: 599).isEmpty)
        #expect(stage.report(in: [usual]).isEmpty)
        // Not by time alone.
        #expect(stage.pass(seconds: 400).isEmpty)
        #expect(stage.report(in: [], near: [usual]).marbles == "R2")
        #expect(stage.pass(seconds: 60).marbles == "R2")
    }

    @Test func `a fix at the end of the sleep rings`() {
        var stage = AlarmStage()
        _ = stage.report(in: [.alarming(2, sleep: 30)])
        _ = stage.answer(.sleep)
        _ = stage.pass(seconds: 30)
        #expect(stage.report(in: [.alarming(2, sleep: 30)]).marbles == "R2")
    }

    @Test func `who leaves while it sleeps and comes back is alarmed anew`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        _ = stage.answer(.sleep)
        let end = stage.report(in: [])
        #expect(end.marbles == "E2")
        #expect(!end[0].speaks)
        #expect(stage.report(in: [usual]).marbles == "S2")
    }

    @Test func `when the most urgent sleeps the next one rings, when all sleep none does`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        #expect(stage.answer(.sleep, urgent).marbles == "R2")
        #expect(stage.answer(.sleep, idle).isEmpty)
        #expect(stage.answer(.sleep).isEmpty)
        #expect(stage.pass(seconds: 600).isEmpty)
        // Both wake with the next fix; one is heard.
        #expect(stage.report(in: [urgent, usual]).marbles == "R1")
    }

    @Test func `disarming ends all, arming finds the person there`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        let ended = stage.arm(false)
        #expect(ended.marbles == "E1 E2")
        #expect(ended.map(\.kind) == [.ended(.disarmed), .ended(.disarmed)])
        #expect(stage.pass(seconds: 600).isEmpty)
        #expect(stage.report(in: [urgent, usual]).isEmpty)
        #expect(stage.arm(true).marbles == "!1 .2")
        // Asked again, nothing is new.
        #expect(stage.arm(true).isEmpty)
    }

    @Test func `a zone that is gone ends, one that came around somebody starts`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.configure([usual, urgent]).marbles == "!1")
        let ended = stage.configure([urgent], because: .zoneChanged)
        #expect(ended.marbles == "E2")
        #expect(ended[0].kind == .ended(.zoneChanged))
        #expect(stage.configure([]).map(\.kind) == [.ended(.removed)])
    }

    @Test func `an edited zone alarms by what it says now`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        var edited = usual
        edited.priority = 0
        edited.name = "Pit"
        let steps = stage.configure([urgent, edited])
        #expect(steps.marbles == "R2")
        #expect(steps[0].alarm.zone.name == "Pit")
        #expect(stage.pass(seconds: 60).marbles == "R2")
    }

    @Test func `a removed person is alarmed no more`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.life.personRemoved().map(\.kind) == [.ended(.removed)])
        #expect(stage.pass(seconds: 600).isEmpty)
    }
}
