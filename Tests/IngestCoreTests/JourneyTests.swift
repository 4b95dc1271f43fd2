import JourneysCore
import Model
import Testing

@testable import IngestCore

/// What ingest passes to journeys, and what it derives from them.
@Suite struct JourneyTests {
    private let id = JourneyID(ID128(high: 70, low: 1))

    @Test func `only fixes of the primary device count`() {
        var bench = Bench()
        bench.deliver([observation(at: -1)])
        bench.journey(.start(id, name: ""))
        bench.directory.apply(
            .deviceChanged(Device(id: device(9), person: person(1), name: "tablet")))
        bench.deliver([observation(at: 1, lat: 31_000_000)], from: 9, of: 1)
        bench.deliver([observation(at: 2)])
        #expect(bench.store.journeyFixes.map(\.time) == [start + .seconds(2)])
    }

    @Test func `a person on a journey reports every minute`() {
        var bench = Bench()
        bench.deliver([observation(at: -1)])
        func mode(_ bench: inout Bench) -> ReportingMode? {
            let anna = Principal.person(person(1))
            guard case .policy(let view) = bench.readPolicy(of: 1, as: anna) else { return nil }
            return view.policy.mode
        }
        #expect(mode(&bench) == nil)
        bench.journey(.start(id, name: ""))
        #expect(mode(&bench) == .event)
        bench.restart()
        #expect(mode(&bench) == .event)
        bench.journey(.stop, 1)
        #expect(mode(&bench) == nil)
    }
}
