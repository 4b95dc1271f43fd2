import Model
import Testing

@testable import EvaluatorCore

@Suite struct AlarmTests {
    private let urgent = AlarmZone.alarming(1, priority: 1)
    private let usual = AlarmZone.alarming(2, priority: 50)
    private let idle = AlarmZone.alarming(3, priority: 99)

    @Test func `an alarm rings on entry and every cycle while the person stays`() {
        var stage = AlarmStage()
        let started = stage.report(in: [usual])
        #expect(started.marbles == "S2")
        #expect(started[0].alarm.rings == 1)
        #expect(started[0].alarm.presence == .inside)
        #expect(stage.advance(seconds: 59).isEmpty)
        let again = stage.advance(seconds: 1)
        #expect(again.marbles == "R2")
        #expect(again[0].alarm.rings == 2)
        #expect(again[0].alarm.id == started[0].alarm.id)
        #expect(stage.advance(seconds: 180).marbles == "R2 R2 R2")
        #expect(stage.report(in: []).marbles == "E2")
        #expect(stage.advance(seconds: 600).isEmpty)
    }

    @Test func `each zone has its own cycle of at least ten seconds`() {
        var stage = AlarmStage()
        _ = stage.report(in: [.alarming(1, cycle: 25)])
        #expect(stage.advance(seconds: 74).marbles == "R1 R1")
        stage = AlarmStage()
        _ = stage.report(in: [.alarming(1, cycle: 1)])
        #expect(stage.advance(seconds: 29).marbles == "R1 R1")
    }

    @Test func `near rings like inside, and both are one stay`() {
        var stage = AlarmStage()
        let near = stage.report(in: [], near: [usual])
        #expect(near.marbles == "S2")
        #expect(near[0].alarm.presence == .near)
        _ = stage.advance(seconds: 30)
        #expect(stage.report(in: [usual]).isEmpty)
        let again = stage.advance(seconds: 30)
        #expect(again.marbles == "R2")
        #expect(again[0].alarm.presence == .inside)
        #expect(stage.report(in: [], near: [usual]).isEmpty)
        #expect(stage.report(in: []).marbles == "E2")
    }

    @Test func `another stay starts another alarm`() {
        var stage = AlarmStage()
        let first = stage.report(in: [usual])
        _ = stage.report(in: [])
        let second = stage.report(in: [usual])
        #expect(second.marbles == "S2")
        #expect(second[0].alarm.rings == 1)
        #expect(second[0].alarm.id != first[0].alarm.id)
    }

    @Test func `ringing stops half an hour after the last fix and resumes with the next`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.advance(seconds: 1800).count == 30)
        #expect(stage.advance(seconds: 3600).isEmpty)
        #expect(stage.nextRing == nil)
        #expect(stage.report(in: [usual]).marbles == "R2")
        #expect(stage.advance(seconds: 60).marbles == "R2")
    }

    @Test func `a late deadline rings once, and not at all if the last fix is too old`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.advanceWithoutRings(seconds: 400).marbles == "R2")
        #expect(stage.advanceWithoutRings(seconds: 59).isEmpty)
        #expect(stage.advanceWithoutRings(seconds: 1).marbles == "R2")
        #expect(stage.advanceWithoutRings(seconds: 1341).isEmpty)
    }

    @Test func `an old fix starts nothing, the next one starts an initial alarm`() {
        var stage = AlarmStage()
        #expect(stage.report(in: [usual], age: 1801).isEmpty)
        #expect(stage.report(in: [usual], age: 1800).marbles == "!2")
    }

    @Test func `only the most urgent of several alarms is audible`() {
        var stage = AlarmStage()
        let both = stage.report(in: [idle, urgent])
        #expect(both.marbles == "S1 s3")
        #expect(both.map(\.alarm.rings) == [1, 0])
        #expect(stage.advance(seconds: 120).marbles == "R1 R1")
        #expect(stage.report(in: [idle, urgent, usual]).marbles == "s2")
        // The next one rings when the one before it ends.
        #expect(stage.report(in: [idle, usual]).marbles == "E1 R2")
        #expect(stage.report(in: [idle]).marbles == "E2 R3")
        #expect(stage.report(in: []).marbles == "E3")
    }

    @Test func `a more urgent zone becomes audible, and returns no sooner than a cycle allows`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        _ = stage.advance(seconds: 20)
        #expect(stage.report(in: [usual, urgent]).marbles == "S1")
        _ = stage.advance(seconds: 10)
        let end = stage.report(in: [usual])
        #expect(end.marbles == "E1")
        #expect(end[0].isAudible)
        #expect(stage.advance(seconds: 29).isEmpty)
        #expect(stage.advance(seconds: 1).marbles == "R2")
        _ = stage.report(in: [usual, urgent])
        _ = stage.advance(seconds: 90)
        #expect(stage.report(in: [usual]).marbles == "E1 R2")
    }

    @Test func `equal priorities are ordered by name bytes, then by id`() {
        var stage = AlarmStage()
        let steps = stage.report(in: [
            .alarming(1, name: "b"), .alarming(2, name: "a"), .alarming(3, name: "B"),
            .alarming(5, name: "a"),
        ])
        #expect(steps.marbles == "S3 s2 s5 s1")
    }

    @Test func `an alarm that was never audible ends silently`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        let end = stage.report(in: [urgent])
        #expect(end.marbles == "E2")
        #expect(!end[0].isAudible)
        #expect(end[0].alarm.rings == 0)
    }

    @Test func `close ends only the current ring`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        let before = stage.machine
        #expect(stage.answer(.close).isEmpty)
        #expect(stage.machine == before)
        #expect(stage.advance(seconds: 60).marbles == "R2")
    }

    @Test func `a sleeping alarm rings with the first fix after its sleep`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.answer(.sleep, usual).isEmpty)
        #expect(stage.advance(seconds: 599).isEmpty)
        #expect(stage.report(in: [usual]).isEmpty)
        // Not by time alone.
        #expect(stage.advance(seconds: 400).isEmpty)
        #expect(stage.report(in: [], near: [usual]).marbles == "R2")
        #expect(stage.advance(seconds: 60).marbles == "R2")
    }

    @Test func `a fix exactly at the end of the sleep rings`() {
        var stage = AlarmStage()
        _ = stage.report(in: [.alarming(2, sleep: 30)])
        _ = stage.answer(.sleep)
        _ = stage.advance(seconds: 30)
        #expect(stage.report(in: [.alarming(2, sleep: 30)]).marbles == "R2")
    }

    @Test func `leaving during the sleep and returning starts a new alarm`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        _ = stage.answer(.sleep)
        let end = stage.report(in: [])
        #expect(end.marbles == "E2")
        #expect(!end[0].isAudible)
        #expect(stage.report(in: [usual]).marbles == "S2")
    }

    @Test func `while the most urgent alarm sleeps the next one rings, while all sleep none does`()
    {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        #expect(stage.answer(.sleep, urgent).marbles == "R2")
        #expect(stage.answer(.sleep, idle).isEmpty)
        #expect(stage.answer(.sleep).isEmpty)
        #expect(stage.advance(seconds: 600).isEmpty)
        // Both wake with the next fix; one is audible.
        #expect(stage.report(in: [urgent, usual]).marbles == "R1")
    }

    @Test func `disarming ends all alarms, and arming starts initial ones`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        let ended = stage.arm(false)
        #expect(ended.marbles == "E1 E2")
        #expect(ended.map(\.kind) == [.ended(.disarmed), .ended(.disarmed)])
        #expect(stage.advance(seconds: 600).isEmpty)
        #expect(stage.report(in: [urgent, usual]).isEmpty)
        #expect(stage.arm(true).marbles == "!1 .2")
        // Repeating it changes nothing.
        #expect(stage.arm(true).isEmpty)
    }

    @Test func `a removed zone ends its alarm, a zone created around a person starts one`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.configure([usual, urgent]).marbles == "!1")
        let ended = stage.configure([urgent], endReason: .zoneChanged)
        #expect(ended.marbles == "E2")
        #expect(ended[0].kind == .ended(.zoneChanged))
        #expect(stage.configure([]).map(\.kind) == [.ended(.removed)])
    }

    @Test func `an edited zone alarms by its current settings`() {
        var stage = AlarmStage()
        _ = stage.report(in: [urgent, usual])
        var edited = usual
        edited.priority = 0
        edited.name = "Pit"
        let steps = stage.configure([urgent, edited])
        #expect(steps.marbles == "R2")
        #expect(steps[0].alarm.zone.name == "Pit")
        #expect(stage.advance(seconds: 60).marbles == "R2")
    }

    @Test func `a removed person is no longer alarmed`() {
        var stage = AlarmStage()
        _ = stage.report(in: [usual])
        #expect(stage.configure([]).map(\.kind) == [.ended(.removed)])
        #expect(stage.advance(seconds: 600).isEmpty)
    }
}
