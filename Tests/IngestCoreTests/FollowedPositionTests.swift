import Dialects
import Directory
import JourneysCore
import Model
import Testing

@testable import IngestCore

/// What ingest publishes about people in an emergency.
@Suite struct `Positions of followed people` {
    private func positions(_ bench: Bench) -> [FollowedPosition] {
        bench.observed.compactMap { if case .sosPosition(let it) = $0.body { it } else { nil } }
    }

    private func open(_ bench: inout Bench, countdown: Int = 0) {
        bench.call(
            EmergencyCall(trigger: .panic, countdownSeconds: countdown),
            as: .device(device(1), of: person(1)))
    }

    private func end(_ bench: inout Bench) throws {
        let row = try #require(bench.core.emergencies.signals.current(of: person(1)))
        bench.applyDerived(
            .emergencyResolved(
                EmergencyChange(
                    emergency: row.id, person: person(1), state: .resolved, trigger: .panic,
                    signal: row.id, raised: start, countdownEnds: start)))
    }

    @Test func `an opening publishes the trail of 30 minutes, ten seconds apart`() throws {
        var bench = Bench()
        let all = (0..<400).map { observation(at: Int64($0) * 5 - 2000, lat: Int32($0)) }
        for fix in all { bench.deliver([fix]) }
        #expect(positions(bench).isEmpty, "nobody is followed")
        open(&bench)
        let opening = try #require(positions(bench).first)
        #expect(positions(bench).count == 1)
        #expect(opening.fixes.last?.position.latitudeE7 == 399)
        #expect(opening.fixes.count == 181)
        let times = opening.fixes.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .seconds(10) })
        #expect(times[0] >= times[180] - .seconds(1800))
    }

    @Test func `a countdown publishes nothing yet`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        open(&bench, countdown: 10)
        #expect(positions(bench).isEmpty)
    }

    @Test func `changes are published every ten seconds, the last one too`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        open(&bench)
        for second in 1...25 {
            bench.wait(1)
            bench.deliver([observation(at: Int64(second), lat: Int32(second))])
            bench.endTurns()
        }
        #expect(positions(bench).dropFirst().map { $0.fixes[0].position.latitudeE7 } == [10, 20])
        #expect(positions(bench).dropFirst().allSatisfy { $0.fixes.count == 1 })
        bench.wait(4)
        bench.endTurns()
        #expect(positions(bench).count == 3)
        bench.wait(1)
        bench.endTurns()
        #expect(positions(bench).last?.fixes[0].position.latitudeE7 == 25)
        bench.wait(60)
        bench.endTurns()
        #expect(positions(bench).count == 4, "nothing changed")
        #expect(bench.core.followedPositions.nextDue == nil)
    }

    @Test func `a new battery level and an impairment are published`() {
        var bench = Bench()
        bench.deliver([observation(at: -60, battery: 50)])
        open(&bench)
        bench.wait(10)
        var status = DeviceStatus()
        status.impairments = [.powerSave]
        bench.deliver([observation(at: 5, battery: 49)], status: status)
        let last = positions(bench).last
        #expect(last?.battery == 49 && last?.impairments == [.powerSave])
    }

    @Test func `the end stops it, and a further emergency has a trail again`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        open(&bench)
        try end(&bench)
        #expect(bench.store.followed.isEmpty)
        bench.wait(20)
        bench.deliver([observation(at: 20, lat: 3)])
        bench.endTurns()
        #expect(positions(bench).count == 1)
        open(&bench)
        #expect(positions(bench).last?.fixes.count == 2)
    }

    @Test func `a restart follows on and publishes no second trail`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        bench.deliver([observation(at: -30)])
        open(&bench)
        bench.restart()
        bench.endTurns()
        bench.wait(3)
        bench.deliver([observation(at: 3, lat: 9)])
        bench.wait(30)
        bench.endTurns()
        let after = positions(bench).dropFirst()
        #expect(after.allSatisfy { $0.fixes.count == 1 })
        #expect(after.last?.fixes[0].position.latitudeE7 == 9)
    }

    /// A store of an older version has no rows of followed people.
    @Test func `an emergency that is open without a row is followed at the start`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        open(&bench)
        var stored = bench.store.stored
        stored.followed = []
        bench.observed = []
        bench.core = Core(stored, in: bench.directory)
        bench.endTurns()
        #expect(positions(bench).count == 1)
    }

    @Test func `10,000 people at a start are looked at over several turns`() {
        let bench = Bench()
        let rows = (0..<UInt64(10_000)).map { number in
            FollowedRow(
                person: person(1000 + number), emergency: EmergencyID(ID128(high: 7, low: number)))
        }
        var followed = FollowedPositions(rows: rows, open: [])
        var turns = 0
        while let due = followed.nextDue, due <= start, turns < 100 {
            var turn = Turn<Effect>(now: start, directory: bench.directory)
            let people = followed.due(at: start)
            #expect(people.count <= Limits.followedPerTurn)
            for person in people { followed.update(person, emergency: nil, device: nil, &turn) }
            #expect(turn.effects.count == people.count)
            turns += 1
        }
        #expect(turns == 40 && followed.count == 0 && followed.nextDue == nil)
    }

    // MARK: Live links

    private func show(_ bench: inout Bench, seconds: Int64) {
        bench.applyDelivery(
            .liveViewChanged(
                LiveView(
                    person: person(1), until: bench.now + .seconds(seconds), at: bench.now)))
    }

    @Test func `a live link publishes the newest position without a trail, until it ends`() {
        var bench = Bench()
        bench.deliver([observation(at: -90)])
        bench.deliver([observation(at: -60, lat: 1)])
        show(&bench, seconds: 100)
        #expect(positions(bench).map(\.fixes.count) == [1])
        #expect(positions(bench).last?.emergency == nil)
        #expect(positions(bench).last?.fixes[0].position.latitudeE7 == 1)
        for second in 1...25 {
            bench.wait(1)
            bench.deliver([observation(at: Int64(second), lat: Int32(second))])
            bench.endTurns()
        }
        #expect(positions(bench).count == 3, "at most one in ten seconds")
        bench.wait(5)
        bench.endTurns()
        bench.wait(95)
        bench.endTurns()
        bench.deliver([observation(at: 125, lat: 99)])
        bench.endTurns()
        let last = positions(bench).last?.fixes[0].position.latitudeE7
        #expect(last == 25 && bench.store.stored.liveViews.isEmpty)
        #expect(bench.core.followedPositions.nextDue == nil)
    }

    @Test func `revoked, it publishes nothing more`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        show(&bench, seconds: 1000)
        show(&bench, seconds: 0)
        bench.wait(20)
        bench.deliver([observation(at: 20, lat: 5)])
        bench.endTurns()
        #expect(positions(bench).count == 1)
    }

    @Test func `an emergency during it publishes the trail, and its end leaves the link`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        show(&bench, seconds: 1000)
        open(&bench)
        #expect(positions(bench).last?.emergency != nil)
        try end(&bench)
        #expect(bench.store.followed.isEmpty)
        bench.wait(20)
        bench.deliver([observation(at: 20, lat: 7)])
        bench.endTurns()
        #expect(positions(bench).last?.fixes[0].position.latitudeE7 == 7)
        #expect(positions(bench).last?.emergency == nil)
    }

    @Test func `a restart goes on with it`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        show(&bench, seconds: 1000)
        bench.restart()
        bench.endTurns()
        bench.wait(20)
        bench.deliver([observation(at: 20, lat: 7)])
        bench.endTurns()
        #expect(positions(bench).last?.fixes[0].position.latitudeE7 == 7)
    }

    @Test func `positions say whether their person is on a journey`() {
        var bench = Bench()
        bench.deliver([observation(at: -60)])
        show(&bench, seconds: 1000)
        #expect(positions(bench).last?.isOnJourney == nil)
        bench.wait(20)
        bench.journey(.start(JourneyID(ID128(high: 5, low: 5)), name: "Home"))
        bench.endTurns()
        #expect(positions(bench).last?.isOnJourney == true)
    }

    // MARK: Reporting

    private func reporting(_ bench: Bench) -> [DeviceReporting] {
        bench.observed.compactMap { if case .deviceReporting(let it) = $0.body { it } else { nil } }
    }

    @Test func `the first report of a day, another app and impairments are published`() {
        var bench = Bench()
        let day = start.seconds / 86_400 * 86_400 - start.seconds
        bench.deliver([observation(at: day - 200)])
        bench.deliver([observation(at: day - 100)])
        #expect(reporting(bench).count == 1)
        #expect(reporting(bench)[0].isFirst && !reporting(bench)[0].isImpaired)
        bench.deliver([observation(at: day + 100)])
        #expect(reporting(bench).count == 2)
        bench.deliver([observation(at: day - 50)])
        #expect(reporting(bench).count == 2, "a late report is history")
        var status = DeviceStatus()
        status.impairments = [.locationPermission]
        bench.deliver([observation(at: day + 200)], status: status)
        #expect(reporting(bench).last?.isImpaired == true)
        bench.restart()
        bench.deliver([observation(at: day + 300)])
        #expect(reporting(bench).count == 3)
        #expect(Set(bench.observed.map(\.id)).count == bench.observed.count)
    }
}
