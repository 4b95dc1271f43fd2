import Model
import Testing
import TimerCore

@Suite struct `A watch with a destination` {
    private static let home = ZoneID(ID128(high: 6, low: 1))

    /// Enters the destination by a fix of a second.
    private func entry(
        fixAt second: Int, zone: ZoneID = Self.home, person: PersonID = Some.anna,
        before: Presence = .outside, after: Presence = .inside,
        reason: CrossingReason = .insideBeyondMargin, interpolated: Bool = false
    ) -> Input {
        .entered(
            ZoneCrossing(
                person: person, device: DeviceID(.zero), zone: zone, zoneName: "Home",
                zoneKind: .safe, circle: nil, before: before, after: after,
                fix: Fix(
                    time: Timeline.time(second),
                    position: Coordinate(latitude: 3, longitude: 101)!, accuracyCentimetres: 500),
                distanceCentimetres: -900, marginCentimetres: 100, reason: reason,
                interpolated: interpolated, report: ReportID(.zero)))
    }

    private func started(seconds: Int64 = 600) -> Timeline {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: seconds, destination: Self.home))
        return line
    }

    @Test(arguments: [(60, 60), (590, 600), (590, 719), (715, 719)])
    func `ends by an entry that is received before its emergency`(fix: Int, received: Int) {
        var line = started()
        _ = line.run(until: received)
        let effects = line.at(received, entry(fixAt: fix))
        #expect(effects.watchChanges.map(\.state) == [.arrived])
        #expect(line.core.activeWatchCount == 0)
        #expect(line.run(until: 10_000).effects.expiries.isEmpty)
    }

    @Test func `stays an emergency if the entry comes after it opened`() {
        var line = started()
        #expect(line.run(until: 720).effects.expiries.count == 1)
        #expect(line.at(721, entry(fixAt: 590)).isEmpty)
    }

    @Test func `goes on after what is no arrival`() {
        let entries = [
            entry(fixAt: -1), entry(fixAt: 60, zone: ZoneID(.zero)),
            entry(fixAt: 60, person: Some.ben), entry(fixAt: 60, before: .unknown),
            entry(fixAt: 60, before: .inside), entry(fixAt: 60, after: .near),
            entry(fixAt: 60, reason: .zoneChanged), entry(fixAt: 60, reason: .silence),
            entry(fixAt: 60, reason: .passedThrough, interpolated: true),
        ]
        var line = started()
        for entry in entries { #expect(line.at(60, entry).isEmpty) }
        #expect(line.run(until: 720).effects.expiries.count == 1)
    }

    @Test func `without a destination ends by no entry`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 600))
        #expect(line.at(60, entry(fixAt: 60)).isEmpty)
    }

    @Test func `is held after an outage, and the arrival still counts`() {
        var line = started()
        line.restart(at: 2000, awaySince: 100)
        #expect(line.run(until: 2100).effects.expiries.isEmpty)
        #expect(line.at(2100, entry(fixAt: 500)).watchChanges.map(\.state) == [.arrived])
        #expect(line.run(until: 10_000).effects.expiries.isEmpty)
    }

    @Test func `keeps destination and recipients when it is extended`() {
        var line = Timeline()
        line.at(
            0, Some.start(1, seconds: 600, destination: Self.home, recipients: [Some.ben]))
        let effects = line.at(10, .extendWatch(Some.watch(1), by: .seconds(60), request: 2))
        #expect(effects.watchChanges.map(\.destination) == [Self.home])
        #expect(effects.watchChanges.map(\.recipients) == [[Some.ben]])
        let other = ZoneID(ID128(high: 6, low: 2))
        let again = line.at(20, Some.start(2, seconds: 900, destination: other))
        #expect(again.watchChanges.map(\.destination) == [other])
        #expect(again.watchChanges.map(\.recipients) == [[Some.ben]])
        let signal = line.run(until: 2000).effects.expiries.first
        #expect(signal?.recipients == [Some.ben])
    }

    @Test func `is extended by a command, unless it is another watch or over`() {
        var line = started()
        func command(_ watch: UInt64) -> Input {
            .command(
                WatchCommand(
                    person: Some.anna, watch: Some.watch(watch), action: .extend, seconds: 1800,
                    at: Timeline.time(0)))
        }
        #expect(line.at(10, command(2)).isEmpty)
        #expect(
            line.at(10, command(1)).watchChanges.map(\.deadline) == [Timeline.time(2400)])
        #expect(line.run(until: 2520).effects.expiries.count == 1)
        #expect(line.at(2521, command(1)).isEmpty)
    }
}
