import Bus
import Model
import TestSupport
import Testing
import Wire

@testable import IngestDaemon

/// Integer overflow stops the process: no number in a frame of an evaluator may cause one.
@Suite struct `A frame with an extreme number` {
    @Test func `stops no ingest, and evaluators keep their partitions`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        try evaluator.join()
        let partition = World.partitions[0]
        let stranger = ID128(high: 9, low: 2)
        let lease = Lease(
            partition: partition, epoch: 3, state: .live, applied: world.end(partition))
        let piece = CheckpointPiece(
            member: evaluator.member, partition: partition, epoch: 1,
            id: ID128(high: 7, low: 7), input: world.end(partition), output: .unknown, logic: 1,
            stateHash: 5, size: 9, offset: 0, bytes: [1, 2, 3])
        let samples: [Control] = [
            .join(member: stranger, logic: 1...2),
            .renew(member: evaluator.member, logic: 1...2, leases: [lease]),
            .renew(member: stranger, logic: 1...1, leases: [lease]),
            .checkpoint(piece),
        ]
        let route = Route(bytes: Array("rogue".utf8), role: .evaluator)
        var tried = 0
        for sample in samples {
            for bytes in ExtremeValues.variants(ofBytes: sample.encoded()) {
                guard case .control(let control) = try? Frame(bytes) else { continue }
                tried += 1
                // A rejected frame is logged; nothing may stop the process.
                try world.failingTurn {
                    try? world.service.coordinate(control, from: route)
                    for seconds in [0, 5, 60, 90_000] as [Int64] {
                        world.now = start + .seconds(seconds)
                        try? world.service.tick()
                    }
                    world.now = start
                }
            }
        }
        #expect(tried > 300, "\(tried) frames were decodable")
        try evaluator.renew()
        #expect(evaluator.assignments.count == Partition.count)
    }
}
