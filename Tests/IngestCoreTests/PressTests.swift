import Dialects
import Directory
import Hashing
import Model
import Testing

@testable import IngestCore

/// Somebody who calls for help again and again, or whose button sticks.
@Suite struct `Calls that follow each other` {
    private func panic(_ bench: Bench, _ content: UInt64) -> Panic {
        Panic(
            messageID: nil, content: ID128(high: 8, low: content), raised: bench.now,
            fix: nil, battery: nil)
    }

    private func news(
        _ emergency: EmergencyID, _ state: EmergencyState
    ) -> EmergencyNews {
        EmergencyNews(
            emergency: emergency, person: person(1), state: state, trigger: .panic,
            signal: emergency, raised: start, countdownEnds: start + .seconds(10))
    }

    /// An emergency that is open since the start.
    private func open(_ bench: inout Bench) throws -> EmergencyID {
        bench.deliver([], panics: [panic(bench, 0)])
        guard case .sosRaised(let signal) = try #require(bench.sos.first).body else {
            throw Fault()
        }
        bench.wait(11)
        bench.compute(.emergencyOpened(news(signal.id, .open)))
        return signal.id
    }

    private struct Fault: Error {}

    @Test func `are two where phones of a person name them alike`() {
        var bench = Bench()
        bench.change(aDevice(6, of: 1))
        let call = EmergencyCall(messageID: "1")
        for device in [device(1), device(6), device(1)] {
            bench.call(call, as: .device(device, of: person(1)))
        }
        bench.call(call, as: .person(person(1)))
        #expect(bench.sos.count == 3, "and the person themselves a third")
        let panic = Panic(messageID: "2", raised: bench.now, fix: nil, battery: nil)
        bench.wait(Int(Limits.callsJoinSeconds))
        bench.deliver([], panics: [panic])
        bench.wait(Int(Limits.callsJoinSeconds))
        bench.deliver([], from: 6, of: 1, panics: [panic])
        #expect(bench.sos.count == 5)
    }

    @Test func `cost no more the more there were`() throws {
        var bench = Bench()
        _ = try open(&bench)
        for number in 1...UInt64(Limits.receiptsPerPerson) {
            bench.core.emergencies.noteAnswer(to: person(1))
            bench.deliver([], panics: [panic(bench, number)])
        }
        let count = bench.sos.count
        bench.deliver([], panics: [panic(bench, 1)])
        #expect(bench.sos.count == count, "one of the newest")
        bench.core.emergencies.noteAnswer(to: person(1))
        bench.deliver([], panics: [panic(bench, 0)])
        #expect(bench.sos.count == count + 1, "more are not compared")
    }

    @Test func `are the same where an app sends one again while nobody has taken it`() throws {
        var bench = Bench()
        let emergency = try open(&bench)
        bench.wait(20)
        bench.deliver([], panics: [panic(bench, 0)])
        bench.wait(60)
        bench.restart()
        bench.deliver([], panics: [panic(bench, 0)])
        #expect(bench.store.stored.emergencies.count == 1, "its answers were lost")
        bench.compute(.emergencyAcknowledged(news(emergency, .acknowledged)))
        bench.deliver([], panics: [panic(bench, 0)])
        #expect(bench.store.stored.emergencies.count == 2, "who presses again is heard")
    }

    @Test func `are not more by a tag that stays set`() throws {
        var bench = Bench()
        func say(_ isTagged: Bool, isMarked: Bool = false) {
            bench.wait(60)
            var news = PhoneNews()
            news.isTagged = isTagged
            var call = panic(bench, UInt64(bench.now.seconds))
            call.isTag = !isMarked
            bench.deliver(
                [], panics: isTagged || isMarked ? [call] : [], news: news, ownTracks: .iOS)
        }
        say(true)
        #expect(bench.sos.count == 1)
        say(true)
        bench.restart()
        say(true)
        #expect(bench.sos.count == 1 && bench.store.tagged.count == 1)
        say(true, isMarked: true)
        #expect(bench.sos.count == 2, "a point of interest is of now")
        say(false)
        #expect(bench.store.tagged.isEmpty)
        say(true)
        #expect(bench.sos.count == 3, "it was set again")
    }

    @Test func `are heard by a tag, also after one by a secret that was replaced`() {
        var bench = Bench()
        func say(_ isTagged: Bool, isByFormerSecret: Bool) {
            bench.wait(60)
            var news = PhoneNews()
            news.isTagged = isTagged
            var call = panic(bench, UInt64(bench.now.seconds))
            call.isTag = true
            bench.deliver(
                [], panics: isTagged ? [call] : [], news: news, ownTracks: .iOS,
                isByFormerSecret: isByFormerSecret)
        }
        for _ in 1...2 { say(true, isByFormerSecret: true) }
        #expect(bench.sos.count == 1)
        say(true, isByFormerSecret: false)
        #expect(bench.sos.count == 2, "it was not the phone that was heard before")
        for isTagged in [false, true] { say(isTagged, isByFormerSecret: true) }
        say(true, isByFormerSecret: false)
        #expect(bench.sos.count == 2, "its own tag is as it was")
    }
}
