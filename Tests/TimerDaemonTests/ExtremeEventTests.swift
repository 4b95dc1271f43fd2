import Model
import Testing
import WireSamples

/// Integer overflow stops the process: no number in an event may cause one.
@Suite struct `An event with an extreme number` {
    @Test func `never stops the timer, not even later or after a restart`() throws {
        let world = try World()
        let started = EventSamples.events[0].time + .seconds(2)
        world.now = started
        let known = world.replica
        let names = [
            ID128(high: 1 << 32, low: 1): anna.raw, ID128(high: 7 << 32, low: 7): ben.raw,
            ID128(high: 3 << 32, low: 3): .zero,
        ]
        var tried = 0
        for sample in EventSamples.events {
            for event in try ExtremeEvents.made(of: sample, names: names) {
                tried += 1
                // A rejected record is dead-lettered; nothing may stop the process.
                try world.failingTurn {
                    world.replica.apply(event.body)
                    try? world.service.directoryWillChange(event)
                    try? world.service.apply(event, from: .sos, at: .unknown)
                    for seconds in [0, 30, 3600, 90_000] as [Int64] {
                        world.now = started + .seconds(seconds)
                        try? world.service.tick()
                    }
                    try? world.service.reload()
                    try? world.service.tick()
                    world.now = started
                    world.replica = known
                }
            }
            for event in try ExtremeEvents.made(of: sample, names: names).suffix(1) {
                try? world.turn { try world.service.apply(event, from: .sos, at: .unknown) }
            }
        }
        #expect(tried > 3000)
        #expect(try world.send(.get, "/v1/watches", token: "operator").status == 200)
    }
}
