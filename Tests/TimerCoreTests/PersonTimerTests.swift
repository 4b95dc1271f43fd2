import Model
import Testing
import TimerCore

@Suite struct `The timer of a person` {
    private func start(_ text: String, at second: Int, seconds: Int) -> Input {
        .startTimer(
            PersonTimer(
                person: Some.anna, text: text, started: Timeline.time(second),
                due: Timeline.time(second + seconds)), request: 1)
    }

    @Test func `runs out once, and is never an emergency`() {
        var line = Timeline()
        line.at(0, start("Pizza", at: 0, seconds: 600))
        let steps = line.run(until: 86_400)
        #expect(steps.effects.timersExpired.map(\.text) == ["Pizza"])
        #expect(steps.map(\.second) == [600, 600] && steps.effects.signals.isEmpty)
        #expect(line.timers.isEmpty && line.core.timerCount == 0)
    }

    @Test func `is replaced by a new one, and stopped`() {
        var line = Timeline()
        line.at(0, start("Pizza", at: 0, seconds: 600))
        line.at(10, start("Tea", at: 10, seconds: 60))
        #expect(line.run(until: 1000).effects.timersExpired.map(\.text) == ["Tea"])
        line.at(1000, start("Egg", at: 1000, seconds: 60))
        #expect(line.at(1001, .stopTimer(Some.anna, request: 2)).count == 2)
        #expect(
            line.at(1002, .stopTimer(Some.anna, request: 2))
                == [.respondToTimer(2, .rejected(.none))])
        #expect(line.run(until: 2000).isEmpty)
    }

    @Test func `survives a restart, and is late if it ran out meanwhile`() {
        var line = Timeline()
        line.at(0, start("Pizza", at: 0, seconds: 600))
        line.restart(at: 300)
        #expect(line.run(until: 500).isEmpty)
        line.restart(at: 700)
        let expired = line.run(until: 700).effects.timersExpired
        #expect(expired.map(\.late) == [true])
        line.restart(at: 701)
        #expect(line.run(until: 900).isEmpty)
    }

    @Test func `that ran out during an outage waits for the operator`() {
        var line = Timeline()
        line.at(0, start("Pizza", at: 0, seconds: 600))
        line.restart(at: 9000, awaySince: 300)
        #expect(line.run(until: 9000).effects.timersExpired.isEmpty)
        #expect(line.core.heldWaits.map(\.wait) == [.timer(Some.anna)])
        #expect(line.at(9001, .release([.timer(Some.anna)])).timersExpired.map(\.text) == ["Pizza"])
    }
}
