import Hosting
import Model
import Testing
import Wire
import WireSamples

@testable import IngestDaemon

/// Integer arithmetic stops the process when it overflows: no number of an event may lead to that.
@Suite struct `An event with an extreme number` {
    @Test func `stops no ingest, neither at once nor later nor after a restart`() throws {
        let world = try World()
        let started = EventSamples.events[0].time + .seconds(2)
        world.now = started
        let known = world.replica
        let names = [
            ID128(high: 1 << 32, low: 1): person(1).raw,
            ID128(high: 7 << 32, low: 7): person(2).raw,
            ID128(high: 2 << 32, low: 2): device(1).raw,
            ID128(high: 3 << 32, low: 3): circle(1).raw,
        ]
        var tried = 0
        for sample in EventSamples.events {
            for event in try ExtremeEvents.made(of: sample, names: names) {
                tried += 1
                // Rejected records become dead letters; nothing may end the process.
                try world.failingTurn {
                    try? world.service.directoryWillChange(event)
                    world.replica.apply(event.body)
                    for stream in [
                        .directory, .deadlines, .deliveries, .events(Partition.of(person(1))),
                    ]
                        as [StreamName]
                    {
                        try? world.service.apply(event, from: stream, at: .unknown)
                    }
                    for seconds in [0, 30, 3600, 90_000] as [Int64] {
                        world.now = started + .seconds(seconds)
                        try? world.service.tick()
                    }
                    try? world.service.reload()
                    world.now = started
                    world.replica = known
                }
            }
        }
        #expect(tried > 3000)
        #expect(
            try world.send(.get, "/v1/people/\(person(1))/decisions", token: "person-1").status
                == 200)
    }
}
