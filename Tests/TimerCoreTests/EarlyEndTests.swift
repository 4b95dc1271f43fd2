import Directory
import Model
import Testing
import TimerCore

/// Ending a watch early, with PIN and duress PIN.
@Suite struct `The early end of a watch` {
    private func line(_ directory: Replica = PersonWithPIN.directory) -> Timeline {
        var line = Timeline()
        line.directory = directory
        line.at(0, Some.start(1, seconds: 3600, note: "night walk", recipients: [Some.ben]))
        return line
    }

    private func end(_ line: inout Timeline, at second: Int, _ pin: String?) -> [Effect] {
        line.at(
            second, .closeWatch(Some.watch(1), as: .end, pin: .entered(pin), request: 7))
    }

    private func rejection(_ effects: [Effect]) -> WatchRejection? {
        for case .respond(_, .rejected(let rejection)) in effects { return rejection }
        return nil
    }

    @Test func `needs the PIN if one is set`() {
        var line = line()
        #expect(rejection(end(&line, at: 10, nil)) == .pin(.needed))
        #expect(rejection(end(&line, at: 11, "1111")) == .pin(.wrong))
        #expect(line.core.activeWatchCount == 1)
        let effects = end(&line, at: 12, PersonWithPIN.right)
        #expect(effects.watchChanges.map(\.state) == [.ended])
        #expect(line.run(until: 9000).effects.signals.isEmpty)
    }

    @Test func `needs none without one, nor from the guardian of a ward`() {
        var free = line(Replica())
        #expect(end(&free, at: 10, nil).watchChanges.map(\.state) == [.ended])
        var ward = line()
        let effects = ward.at(
            10, .closeWatch(Some.watch(1), as: .cancel, pin: .notNeeded, request: 7))
        #expect(effects.watchChanges.map(\.state) == [.cancelled])
    }

    @Test func `by the duress PIN looks like a true one and opens the emergency at once`() {
        var truly = line()
        var underDuress = line()
        let shown = end(&truly, at: 60, PersonWithPIN.right)
        let effects = end(&underDuress, at: 60, PersonWithPIN.duress)
        #expect(effects.shown == shown)
        let signal = effects.signals.first
        #expect(effects.signals.count == 1 && signal?.underDuress != nil)
        #expect(signal?.countdownEnds == Timeline.time(60) && signal?.note == "night walk")
        #expect(signal?.recipients == [Some.ben])
        // The operator is alerted if nobody can be notified.
        #expect(underDuress.deliveryWatchdogs.count == 1)
        #expect(underDuress.watches == truly.watches)
        #expect(underDuress.run(until: 9000).effects.signals.isEmpty)
    }

    @Test func `with five wrong PINs opens the emergency, and never locks`() {
        var line = line()
        for second in 1...4 { #expect(end(&line, at: second, "000\(second)").signals.isEmpty) }
        let effects = end(&line, at: 5, "0005")
        #expect(rejection(effects) == .pin(.wrong))
        #expect(effects.signals.map(\.underDuress) == [nil])
        #expect(effects.watchChanges.map(\.state) == [.expired])
        line.at(6, Some.start(2, seconds: 3600))
        let wait = line.at(
            7, .closeWatch(Some.watch(2), as: .end, pin: .entered("4711"), request: 7))
        #expect(rejection(wait) == .pin(.wait(seconds: 3)))
        let late = line.at(
            12, .closeWatch(Some.watch(2), as: .end, pin: .entered("4711"), request: 7))
        #expect(late.watchChanges.map(\.state) == [.ended])
    }

    @Test func `by a new watch that ends earlier needs the PIN, by one that ends later none`() {
        var line = line()
        let later = line.at(1, Some.start(2, seconds: 7200))
        #expect(later.watchChanges.map(\.deadline) == [Timeline.time(7201)])
        #expect(rejection(line.at(2, Some.start(3, seconds: 600))) == .pin(.needed))
        #expect(line.core.activeWatchCount == 1)
        func shorter(_ line: inout Timeline, _ pin: String) -> [Effect] {
            line.at(
                3,
                .startWatch(
                    WatchStart(
                        id: Some.watch(4), person: Some.anna, span: .seconds(600),
                        pin: .entered(pin), request: 9)))
        }
        var underDuress = line
        #expect(shorter(&line, "4711").watchChanges.map(\.state) == [.cancelled, .active])
        let effects = shorter(&underDuress, "0815")
        #expect(effects.watchChanges.map(\.state) == [.cancelled, .active])
        #expect(effects.signals.count == 1)
    }

    @Test func `by SMS or link is checked where it arrives`() {
        func answer(_ outcome: SafetyAnswer.Outcome, at second: Int = 100) -> Input {
            .answered(
                SafetyAnswer(
                    person: Some.anna, outcome: outcome, coversWatch: true,
                    at: Timeline.time(second)))
        }
        var safe = line()
        var underDuress = line()
        var wrong = line()
        let shown = safe.at(100, answer(.safe))
        #expect(shown.watchChanges.map(\.state) == [.ended] && shown.signals.isEmpty)
        let effects = underDuress.at(100, answer(.underDuress))
        #expect(effects.shown == shown && effects.signals.count == 1)
        #expect(wrong.at(100, answer(.wrongPINs)).watchChanges.map(\.state) == [.expired])
        // An answer from before the watch is not about it.
        var old = line()
        #expect(old.at(100, answer(.safe, at: -60)).isEmpty)
    }
}
