import Model
import Testing
import WireSamples

/// Integer overflow stops the process, so no number in an event may cause one.
@Suite struct `An event with an extreme number` {
    @Test func `stops no notifier, neither at once nor later nor after a restart`() throws {
        let host = try TestHost()
        let started = EventSamples.events[0].time + .seconds(2)
        host.now = started
        let known = host.replica
        var names = [
            ID128(high: 1 << 32, low: 1): person(1).raw, ID128(high: 3 << 32, low: 3): family.raw,
            ID128(high: 7 << 32, low: 7): person(2).raw,
        ]
        names[ID128(high: 4 << 32, low: 4)] = .zero
        var tried = 0
        for sample in EventSamples.events where !Self.ends.contains(sample.kind) {
            for event in try ExtremeEvents.made(of: sample, names: names) {
                tried += 1
                // A failing record is dead-lettered; nothing may stop the process.
                try host.rolledBackTurn { service in
                    host.replica.apply(event.body)
                    try? service.apply(event, from: .sos, at: .unknown)
                    try? service.apply(event, from: .directory, at: .unknown)
                    for seconds in [0, 30, 3600, 90_000] as [Int64] {
                        host.now = started + .seconds(seconds)
                        try? service.tick()
                    }
                    try? service.reload()
                    try? service.tick()
                    host.now = started
                    host.replica = known
                }
            }
            // Later records find something to refer to.
            for event in try ExtremeEvents.made(of: sample, names: names).suffix(1) {
                try? host.turn { try $0.apply(event, from: .sos, at: .unknown) }
            }
        }
        #expect(tried > 3000)
        #expect(try host.get("/v1/notifications").status == 200)
    }

    private static let ends: [EventKind] = [.emergencyCancelled, .emergencyResolved]
}
