import Directory
import Model
import Testing

@testable import JourneysCore

@Suite struct JourneyTests {
    private let id = JourneyID(ID128(high: 70, low: 1))

    /// Anna has started a journey.
    private func travelling() -> Bench {
        var bench = Bench()
        #expect(bench.journey(.start(id, name: "")) == .started(number: 1, isNew: true))
        return bench
    }

    private func fixes(_ bench: Bench, _ number: Int64 = 1) -> [Int64] {
        (bench.store.fixes[number] ?? []).map { ($0.time - start).microseconds / 1_000_000 }
    }

    @Test func `starting twice returns the open journey, also after a restart`() {
        var bench = travelling()
        bench.wait(5)
        let again = JourneyAnswer.started(number: 1, isNew: false)
        #expect(bench.journey(.start(id, name: "x")) == again)
        bench.restart()
        #expect(bench.journey(.start(id, name: "x")) == again)
        #expect(bench.store.journeys[person(1)]?.count == 1)
    }

    @Test func `fixes from its start on belong to it, also late ones`() {
        var bench = travelling()
        bench.wait(100)
        bench.report(at: 90)
        bench.report(at: 30, -1, -2)
        #expect(bench.journey(.stop, 1) == .changed(number: 1))
        bench.restart()
        bench.wait(100)
        bench.report(at: 150, 60, 100)
        #expect(fixes(bench) == [90, 30, 60, 100])
        #expect(bench.store.journeys[person(1)]?[0].fixes == 4)
    }

    @Test func `a fix belongs to the journey of its time`() {
        var bench = travelling()
        bench.wait(100)
        bench.journey(.stop, 1)
        bench.wait(100)
        let second = JourneyID(ID128(high: 70, low: 2))
        #expect(
            bench.journey(.start(second, name: "")) == .started(number: 2, isNew: true))
        bench.wait(100)
        bench.report(at: 50, 150, 250)
        #expect(fixes(bench, 1) == [50] && fixes(bench, 2) == [250])
    }

    @Test func `a journey that starts when another stops shares no fix with it`() {
        var bench = travelling()
        bench.journey(.stop, 1)
        bench.journey(.start(JourneyID(ID128(high: 70, low: 2)), name: ""))
        let spans = bench.store.journeys[person(1)] ?? []
        #expect(spans.count == 2 && spans[0].stopped < spans[1].started)
    }

    @Test func `stopping twice equals stopping once`() {
        var bench = travelling()
        bench.wait(10)
        bench.journey(.stop, 1)
        let stopped = bench.store.journeys[person(1)]?[0].stopped
        bench.wait(10)
        #expect(bench.journey(.stop, 1) == .changed(number: 1))
        #expect(bench.store.journeys[person(1)]?[0].stopped == stopped)
    }

    @Test func `a reset restarts an open journey, but not a stopped one`() {
        var bench = travelling()
        bench.wait(10)
        bench.report(at: 5)
        #expect(bench.journey(.reset, 1) == .changed(number: 2))
        bench.wait(10)
        bench.report(at: 7, 15)
        #expect(fixes(bench, 1) == [] && fixes(bench, 2) == [15])
        bench.journey(.stop, 2)
        #expect(bench.journey(.reset, 2) == .stopped)
        #expect(bench.journey(.reset, 77) == .notFound)
    }

    @Test func `a removed journey is gone`() {
        var bench = travelling()
        #expect(bench.journey(.remove, 1) == .removed)
        #expect(bench.journey(.remove, 1) == .notFound)
        bench.wait(10)
        bench.report(at: 5)
        #expect(bench.store.journeys.isEmpty && bench.store.fixes.isEmpty)
        bench.journey(.start(id, name: ""))
        bench.change(.personRemoved(PersonRemoval(person: person(1))))
        #expect(bench.store.journeys.isEmpty)
    }

    @Test func `only the person may change their journeys`() {
        var bench = travelling()
        for other in [Principal.person(person(3)), .person(person(4)), .operator] {
            for action in [JourneyAction.stop, .reset, .remove, .start(id, name: "")] {
                guard case .denied = bench.journey(action, 1, as: other) else {
                    Issue.record("\(other) may \(action)")
                    continue
                }
            }
        }
        #expect(bench.journey(.stop, of: 2, 1) == .notFound, "somebody else's")
        #expect(bench.journey(.stop, 1, as: .device(device(1), of: person(1))) != nil)
    }

    @Test func `the numbers of journeys and fixes are limited`() {
        var bench = Bench()
        for number in 1...Int64(JourneyLimits.perPersonMax) {
            bench.journey(.start(JourneyID(ID128(high: 70, low: UInt64(number))), name: ""))
            bench.journey(.stop, number)
        }
        #expect(bench.journey(.start(id, name: "")) == .tooMany)
        bench.journey(.remove, 5)
        #expect(bench.journey(.start(id, name: "")) != .tooMany)
        var stored = Journeys.Stored()
        stored.spans[person(1)] = [
            JourneySpan(number: 1, started: start, fixes: JourneyLimits.fixesMax - 1)
        ]
        bench = Bench()
        bench.journeys = Journeys(stored)
        bench.report(at: 0, 1, 2)
        #expect(bench.store.fixes[1]?.count == 1)
    }
}
