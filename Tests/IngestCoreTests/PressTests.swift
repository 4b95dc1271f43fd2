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
    ) -> EmergencyChange {
        EmergencyChange(
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
        bench.applyDerived(.emergencyOpened(news(signal.id, .open)))
        return signal.id
    }

    private struct Fault: Error {}

    @Test func `are separate if two phones use the same id`() {
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
            bench.core.emergencies.signals.recordResponse(to: person(1))
            bench.deliver([], panics: [panic(bench, number)])
        }
        let count = bench.sos.count
        bench.deliver([], panics: [panic(bench, 1)])
        #expect(bench.sos.count == count, "one of the newest")
        bench.core.emergencies.signals.recordResponse(to: person(1))
        bench.deliver([], panics: [panic(bench, 0)])
        #expect(bench.sos.count == count + 1, "more are not compared")
    }

    @Test func `are the same if an app repeats one before an acknowledgement`() throws {
        var bench = Bench()
        let emergency = try open(&bench)
        bench.wait(20)
        bench.deliver([], panics: [panic(bench, 0)])
        bench.wait(60)
        bench.restart()
        bench.deliver([], panics: [panic(bench, 0)])
        #expect(bench.store.stored.emergencies.count == 1, "its answers were lost")
        bench.applyDerived(.emergencyAcknowledged(news(emergency, .acknowledged)))
        bench.deliver([], panics: [panic(bench, 0)])
        #expect(bench.store.stored.emergencies.count == 2, "a further press is accepted")
    }

    @Test func `are not more by a tag that stays set`() throws {
        var bench = Bench()
        func say(_ isTagged: Bool, isMarked: Bool = false) {
            bench.wait(60)
            var news = DeviceStatus()
            news.isTagged = isTagged
            var call = panic(bench, UInt64(bench.now.seconds))
            call.isTag = !isMarked
            bench.deliver(
                [], panics: isTagged || isMarked ? [call] : [], status: news, ownTracks: .iOS)
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

    @Test func `are raised by a tag, also after one with a replaced secret`() {
        var bench = Bench()
        func say(_ isTagged: Bool, isFromFormerSecret: Bool) {
            bench.wait(60)
            var news = DeviceStatus()
            news.isTagged = isTagged
            var call = panic(bench, UInt64(bench.now.seconds))
            call.isTag = true
            bench.deliver(
                [], panics: isTagged ? [call] : [], status: news, ownTracks: .iOS,
                isFromFormerSecret: isFromFormerSecret)
        }
        for _ in 1...2 { say(true, isFromFormerSecret: true) }
        #expect(bench.sos.count == 1)
        say(true, isFromFormerSecret: false)
        #expect(bench.sos.count == 2, "another phone reported before")
        for isTagged in [false, true] { say(isTagged, isFromFormerSecret: true) }
        say(true, isFromFormerSecret: false)
        #expect(bench.sos.count == 2, "its own tag is as it was")
    }
}
