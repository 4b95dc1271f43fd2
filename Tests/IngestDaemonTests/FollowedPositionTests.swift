import Model
import Parsing
import Testing

@testable import IngestDaemon

/// Positions that ingest publishes during an emergency, over its store.
@Suite struct `Published positions` {
    private func report(_ world: World, _ seconds: Int64, lat: Double) throws {
        let time = start + .seconds(seconds)
        world.now = max(world.now, time)
        let body = #"{"reports":[{"time":"\#(time)","lat":\#(lat),"lon":101.5,"battery":0.5}]}"#
        let answer = try world.send(.post, "/v1/reports", body, token: "phone-1")
        try #require(answer.status == 202, "\(answer.json.text)")
    }

    private func positions(_ world: World) -> [FollowedPosition] {
        world.records(.sosPosition).compactMap { event in
            if case .sosPosition(let position) = event.body { position } else { nil }
        }
    }

    @Test func `the trail is read from the store, and a restart goes on without a second one`()
        throws
    {
        let world = try World()
        for index in Int64(1)...30 { try report(world, index * 100, lat: 3 + Double(index) / 100) }
        #expect(positions(world).isEmpty)
        _ = try world.send(.post, "/v1/emergencies", #"{"countdown":0}"#, token: "phone-1")
        let opening = try #require(positions(world).first)
        #expect(opening.fixes.count == 19, "30 minutes")
        #expect(opening.fixes.last?.time == start + .seconds(3000))
        try world.restart()
        try report(world, 3100, lat: 4)
        #expect(positions(world).dropFirst().allSatisfy { $0.fixes.count == 1 })
        #expect(positions(world).last?.fixes.first?.time == start + .seconds(3100))
    }

    @Test func `the first report of a day is published for readiness, once`() throws {
        let world = try World()
        try report(world, 100, lat: 3)
        try report(world, 200, lat: 3)
        #expect(world.records(.deviceReporting).count == 1)
        try world.restart()
        try report(world, 300, lat: 3)
        #expect(world.records(.deviceReporting).count == 1)
        try report(world, 86_400, lat: 3)
        #expect(world.records(.deviceReporting).count == 2)
    }
}
