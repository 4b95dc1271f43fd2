import Model
import Testing
import TimerCore

@Suite struct `A watch` {
    private let minute = 60

    @Test func `is saved and published before the response`() {
        var line = Timeline()
        let effects = line.at(0, Some.start(1, seconds: 3600, note: "night walk"))
        guard effects.count == 3, case .saveWatch(let timed) = effects[0],
            case .publish = effects[1], case .respond(1, .started(let answered)) = effects[2]
        else {
            Issue.record("unexpected \(effects)")
            return
        }
        let watch = timed.watch
        #expect(answered == timed && effects.watchChanges == [watch])
        #expect(watch.deadline == Timeline.time(3600) && watch.graceSeconds == 120)
        #expect(watch.note == "night walk" && watch.state == .active && watch.trace == "t1")
    }

    @Test
    func `reminds five minutes before its deadline and becomes an emergency two minutes after it`()
    {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        let steps = line.run(until: 3720)
        #expect(steps.effects.watchChanges.map(\.state) == [.reminded, .expired])
        #expect(steps.effects.watchChanges.map(\.version) == [2, 3])
        let published = steps.seconds { if case .publish = $0 { true } else { false } }
        #expect(published == [3300, 3720, 3720])
        let signal = steps.effects.expiries.first
        #expect(steps.effects.expiries.count == 1)
        #expect(signal?.trigger == .watchExpired && signal?.person == Some.anna)
        #expect(signal?.countdownEnds == signal?.received)
        #expect(signal?.raised == Timeline.time(3720) && signal?.trace == "t1")
        #expect(line.core.activeWatchCount == 0)
    }

    @Test(arguments: [(600, 540), (3000, 2700), (7200, 6900)])
    func `reminds a tenth of its time before the deadline if that is shorter`(
        seconds: Int, reminded: Int
    ) {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: Int64(seconds)))
        #expect(line.run(until: seconds).first?.second == reminded)
    }

    @Test func `that expires while the timer is down becomes one emergency at start`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        line.restart(at: 9000)
        let steps = line.run(until: 9000)
        #expect(steps.effects.watchChanges.map(\.state) == [.expired])
        #expect(steps.effects.expiries.map(\.raised) == [Timeline.time(3720)])
        #expect(steps.effects.expiries.map(\.received) == [Timeline.time(9000)])
        line.restart(at: 9001)
        #expect(line.run(until: 9010).effects.expiries.isEmpty)
    }

    @Test func `whose reminder was missed is reminded at start if there is still time`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        line.restart(at: 3500)
        let steps = line.run(until: 3800)
        #expect(steps.effects.watchChanges.map(\.state) == [.reminded, .expired])
        #expect(steps.first?.second == 3500)
    }

    @Test func `that is ended or cancelled raises nothing`() {
        for (closing, state) in [(WatchClosing.end, WatchState.ended), (.cancel, .cancelled)] {
            var line = Timeline()
            line.at(0, Some.start(1, seconds: 3600))
            _ = line.run(until: 3650)
            let effects = line.at(
                3700, .closeWatch(Some.watch(1), as: closing, pin: .entered(nil), request: 7))
            #expect(effects.watchChanges.map(\.state) == [state])
            #expect(effects.answers.count == 1)
            #expect(line.run(until: 10_000).isEmpty)
            #expect(
                line.at(9000, .closeWatch(Some.watch(1), as: .end, pin: .entered(nil), request: 8))
                    .answers
                    == [.rejected(.over)])
        }
    }

    @Test func `is extended from its deadline, or from now during its grace`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        let first = line.at(1000, .extendWatch(Some.watch(1), by: .seconds(600), request: 1))
        #expect(first.watchChanges.map(\.deadline) == [Timeline.time(4200)])
        _ = line.run(until: 4250)
        let second = line.at(4260, .extendWatch(Some.watch(1), by: .seconds(600), request: 2))
        #expect(second.watchChanges.map(\.deadline) == [Timeline.time(4860)])
        #expect(second.watchChanges.map(\.state) == [.active])
        let steps = line.run(until: 5000)
        #expect(steps.effects.watchChanges.map(\.state) == [.reminded, .expired])
        #expect(steps.map(\.second).contains(4800))
        #expect(steps.effects.expiries.map(\.raised) == [Timeline.time(4980)])
    }

    @Test func `cannot be shortened by an extension`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        for span in [Span.until(Timeline.time(3600)), .until(Timeline.time(60)), .seconds(-5)] {
            let effects = line.at(10, .extendWatch(Some.watch(1), by: span, request: 1))
            #expect(effects == [.respond(1, .rejected(.notLater))])
        }
        #expect(line.run(until: 4000).effects.expiries.map(\.raised) == [Timeline.time(3720)])
    }

    @Test func `requested again with a later deadline is extended`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600, note: "first"))
        let effects = line.at(60, Some.start(2, seconds: 7200))
        guard case .extended(let timed)? = effects.answers.first else {
            Issue.record("unexpected \(effects)")
            return
        }
        let watch = timed.watch
        #expect(watch.id == Some.watch(1) && watch.version == 2 && watch.note == "first")
        #expect(watch.deadline == Timeline.time(7260))
        #expect(line.core.activeWatchCount == 1)
    }

    @Test func `requested again with an earlier deadline is replaced`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        let effects = line.at(60, Some.start(2, seconds: 600))
        #expect(effects.watchChanges.map(\.state) == [.cancelled, .active])
        #expect(effects.watchChanges.map(\.id) == [Some.watch(1), Some.watch(2)])
        #expect(line.core.activeWatchCount == 1)
        #expect(line.run(until: 10_000).effects.expiries.count == 1)
    }

    @Test func `is independent of another person's`() {
        var line = Timeline()
        line.at(0, Some.start(1, by: Some.anna, seconds: 600))
        line.at(0, Some.start(2, by: Some.ben, seconds: 300))
        #expect(line.core.activeWatchCount == 2)
        let expiries = line.run(until: 1000).effects.expiries
        #expect(expiries.map(\.person) == [Some.ben, Some.anna])
        #expect(Set(expiries.map(\.id)).count == 2)
    }

    @Test(arguments: [
        (Span.seconds(1), WatchRejection.tooSoon), (.seconds(-60), .tooSoon),
        (.until(Timeline.time(-60)), .tooSoon), (.seconds(8 * 86_400), .tooFar),
        (.seconds(.max), .tooFar), (.until(.distantFuture), .tooFar),
    ])
    func `that is too short or too long is rejected`(span: Span, rejection: WatchRejection) {
        var line = Timeline()
        let start = WatchStart(id: Some.watch(1), person: Some.anna, span: span, request: 5)
        #expect(line.at(0, .startWatch(start)) == [.respond(5, .rejected(rejection))])
    }

    @Test func `of a person without reachable helpers is rejected`() {
        var line = Timeline()
        let start = WatchStart(
            id: Some.watch(1), person: Some.anna, span: .seconds(600), obstacle: .sinkOnly,
            request: 5)
        #expect(
            line.at(0, .startWatch(start)) == [.respond(5, .rejected(.nobodyReachable(.sinkOnly)))])
        #expect(line.core.nextDeadline == nil)
    }

    @Test func `with a very long note is rejected`() {
        var line = Timeline()
        let note = String(repeating: "ü", count: Limits.noteBytesMax / 2 + 1)
        #expect(
            line.at(0, Some.start(1, seconds: 60, note: note)).answers == [.rejected(.noteTooLong)])
    }

    @Test func `is removed with its person, raising nothing`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 600))
        let effects = line.at(10, .personRemoved(Some.anna))
        #expect(effects.watchChanges.map(\.state) == [.cancelled])
        #expect(line.watches.isEmpty)
        #expect(line.run(until: 10_000).isEmpty)
    }
}
