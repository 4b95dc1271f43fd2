import EvaluatorCore
import Model
import Testing

/// Runs a log and records the hashes at each position.
struct GoldenRun {
    /// Expected hashes at a position: of the state, and of all output ids so far.
    typealias Mark = (position: Int, state: UInt64, outputs: UInt64)

    private(set) var outputs: [Event] = []
    private var found: [(state: UInt64, outputs: UInt64)] = []

    init(_ log: [Event]) {
        var state = PartitionState()
        var ids: [UInt8] = []
        for event in log {
            found.append((state.stateHash, PartitionState.hash(ofState: ids)))
            let before = outputs.count
            state.handle(event, into: &outputs)
            for output in outputs[before...] { ids += output.id.raw.bytes }
        }
        found.append((state.stateHash, PartitionState.hash(ofState: ids)))
    }

    func expect(_ marks: [Mark]) {
        for (position, state, outputs) in marks {
            let (foundState, foundOutputs) = found[position]
            #expect(foundState == state, "state at \(position)")
            #expect(foundOutputs == outputs, "outputs until \(position)")
        }
    }
}

/// Knuth's MMIX generator: the same numbers regardless of any library.
struct MMIXDraws {
    private var last: UInt64

    init(seed: UInt64) { last = seed }

    /// A number in `0..<below`.
    mutating func draw(_ below: Int32) -> Int32 {
        last = last &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int32((last >> 33) % UInt64(below))
    }
}
