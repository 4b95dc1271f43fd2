import Dialects
import Hashing
import JourneysCore
import Model
import Testing

@testable import IngestCore

/// Several messages of one fix.
@Suite struct CompletionTests {
    /// A `location` of OwnTracks.
    private func location(
        at seconds: Int64, speed: Int32? = 150, battery: UInt8? = 61, created: Int64? = nil
    ) -> Observation {
        var location = observation(at: seconds, battery: battery, speed: speed)
        location.charging = battery.map { _ in false }
        location.created = created.map { start + .seconds($0) }
        return location
    }

    @Test func `the second message completes the report of the first`() {
        var bench = Bench()
        bench.deliver([observation(at: -5, trigger: .significant)])
        let answer = bench.deliver([location(at: -5)])
        #expect(answer == .reports(ReportsAnswer(accepted: 0, duplicates: 1)))
        #expect(bench.store.bodies.count == 1, "one report")
        let reports = bench.reports
        #expect(reports.map(\.fix.speedCentimetresPerSecond) == [nil, 150])
        #expect(reports.map(\.battery) == [nil, 61])
        #expect(reports[0].id == reports[1].id && !reports[1].late)
        #expect(reports[1].trigger == .significant)
        #expect(Set(bench.input.map(\.event.id)).count == bench.input.count)
        let row = bench.core.reports.devices[device(1)]
        #expect(row?.newest?.speedCentimetresPerSecond == 150)
        #expect(row?.battery == 61 && row?.charging == false)
        // The same again adds nothing.
        let records = bench.input.count
        bench.deliver([location(at: -5)])
        bench.restart()
        bench.deliver([location(at: -5)])
        #expect(bench.input.count == records)
    }

    @Test func `a message with another id is the same report`() {
        var bench = Bench()
        bench.deliver([observation(at: -5)])
        var named = location(at: -5)
        named.messageID = "9f3a01bc@1"
        bench.deliver([named])
        #expect(bench.store.bodies.count == 1)
        #expect(bench.reports.map(\.fix.speedCentimetresPerSecond) == [nil, 150])
    }

    @Test func `values of messages in between are kept`() {
        var bench = Bench()
        bench.deliver([observation(at: -9)])
        bench.deliver([observation(at: -5, lat: 9)])
        bench.deliver([location(at: -9)])
        #expect(bench.reports.count == 2, "a completed report that is not the newest is history")
        #expect(bench.core.reports.devices[device(1)]?.newest?.position.latitudeE7 == 9)
        #expect(bench.store.bodies.values.contains { $0.fix.speedCentimetresPerSecond == 150 })
    }

    @Test func `two messages of a fix in one request are one report`() {
        var bench = Bench()
        bench.deliver([observation(at: -5), location(at: -5)])
        #expect(bench.reports.map(\.fix.speedCentimetresPerSecond) == [150])
        #expect(bench.reports.map(\.battery) == [61])
    }

    @Test func `a report in the backlog is completed before it is evaluated`() {
        var bench = Bench()
        bench.deliver([observation(at: -900)])
        bench.deliver([location(at: -900)])
        bench.endTurns()
        #expect(bench.reports.map(\.fix.speedCentimetresPerSecond) == [150])
    }

    @Test func `a phone at rest has the battery of its newest message`() {
        var bench = Bench()
        bench.deliver([location(at: -250, battery: 61, created: -250)])
        bench.deliver([location(at: -250, battery: 15, created: -10)])
        #expect(bench.core.reports.devices[device(1)]?.battery == 15)
        let batteries = bench.bodies(.inputContact).compactMap { body in
            if case .inputContact(let contact) = body { contact.battery } else { nil }
        }
        #expect(batteries == [15], "the evaluator warns of it")
        // An older message that comes late says nothing of now.
        bench.deliver([location(at: -250, battery: 40, created: -100)])
        #expect(bench.core.reports.devices[device(1)]?.battery == 15)
        #expect(bench.reports.count == 1)
    }

    @Test func `a journey has the completed fix once`() {
        var bench = Bench()
        bench.deliver([observation(at: -5)])
        bench.now = start + .seconds(10)
        bench.journey(.start(JourneyID(ID128(high: 1, low: 1)), name: "way"))
        bench.deliver([observation(at: 12)])
        bench.deliver([location(at: 12)])
        #expect(bench.store.journeyFixes.map(\.speedCentimetresPerSecond) == [150])
    }
}
