import Model
import Testing
import Wire

@testable import IngestCore

@Suite struct CheckpointTests {
    private func checkpoint(
        at sequence: UInt64, stateHash: UInt64 = 7, logic: UInt16 = 1
    ) -> Checkpoint {
        Checkpoint(
            partition: Partition.all[0],
            input: Position(incarnation: member(1), sequence: sequence, hash: 5),
            output: .start(of: member(2)), logic: logic, stateHash: stateHash, state: [1])
    }

    private func decide(
        _ checkpoint: Checkpoint, _ kept: [CheckpointRow] = [], isInput: Bool = true,
        isOutput: Bool = true, logic: UInt16? = 1
    ) -> CheckpointDecision {
        CheckpointRules.decide(
            on: checkpoint, kept: kept, isInput: isInput, isOutput: isOutput, logic: logic)
    }

    private let kept = [
        CheckpointRow(sequence: 10, stateHash: 1), CheckpointRow(sequence: 20, stateHash: 2),
    ]

    @Test func `a checkpoint that matches the log is stored`() {
        #expect(decide(checkpoint(at: 1)) == .keep)
        #expect(decide(checkpoint(at: 21), kept) == .keep)
    }

    @Test func `a checkpoint of another log, output or logic is rejected`() {
        #expect(decide(checkpoint(at: 1), isInput: false) == .reject(.otherInput))
        #expect(decide(checkpoint(at: 0)) == .reject(.otherInput))
        #expect(decide(checkpoint(at: 1), isOutput: false) == .reject(.otherOutput))
        #expect(decide(checkpoint(at: 1), logic: 2) == .reject(.otherLogic))
        #expect(decide(checkpoint(at: 1), logic: nil) == .reject(.otherLogic))
    }

    @Test func `a repeated checkpoint is known, a different state is detected`() {
        #expect(decide(checkpoint(at: 10, stateHash: 1), kept) == .known)
        #expect(decide(checkpoint(at: 20, stateHash: 2), kept) == .known)
        #expect(decide(checkpoint(at: 10, stateHash: 2), kept) == .reject(.otherState))
        #expect(decide(checkpoint(at: 20, stateHash: 1), kept) == .reject(.otherState))
        #expect(decide(checkpoint(at: 15), kept) == .reject(.older))
        #expect(decide(checkpoint(at: 5), kept) == .reject(.older))
    }

    @Test func `a new owner starts from the older checkpoint if the newer is close`() {
        #expect(CheckpointRules.choose(from: []) == nil)
        let one = CheckpointRules.choose(from: [kept[0]])
        #expect(one?.begin == kept[0] && one?.audit == nil)
        for (distance, begins) in [(2000, 10), (2001, 2011)] as [(UInt64, UInt64)] {
            let newer = CheckpointRow(sequence: 10 + distance, stateHash: 3)
            let chosen = CheckpointRules.choose(from: [kept[0], newer])
            #expect(chosen?.begin.sequence == begins)
            #expect(chosen?.audit == (begins == 10 ? newer : nil))
        }
    }

    @Test func `after a failed checkpoint another one is used`() {
        let chosen = CheckpointRules.choose(from: kept, failed: [10])
        #expect(chosen?.begin == kept[1] && chosen?.audit == nil)
        let three = [CheckpointRow(sequence: 5, stateHash: 5, isProven: true)] + kept
        #expect(CheckpointRules.choose(from: three)?.begin == kept[0])
        #expect(CheckpointRules.choose(from: three, failed: [10, 20])?.begin.sequence == 5)
        #expect(CheckpointRules.choose(from: kept, failed: [10, 20])?.begin == kept[1])
    }

    @Test func `the last proven checkpoint is kept for an hour beside two unproven ones`() {
        func rows(_ proven: Set<UInt64>) -> [CheckpointRow] {
            (1...4).map {
                CheckpointRow(
                    sequence: $0, stateHash: $0, received: start, isProven: proven.contains($0))
            }
        }
        func left(_ proven: Set<UInt64>, after seconds: Int64 = 60) -> [UInt64] {
            CheckpointRules.outdated(of: rows(proven), at: start + .seconds(seconds))
                .map(\.sequence)
        }
        #expect(left([]) == [1, 2])
        #expect(left([1]) == [2])
        #expect(left([1, 2]) == [1])
        #expect(left([1, 3]) == [1, 2])
        #expect(left([1, 4]) == [1, 2])
        #expect(left([1], after: Limits.provenSeconds + 1) == [1, 2])
    }

    @Test func `a newer logic enters every log once, and new logs begin with it`() {
        var bench = Bench()
        let opened = Set(bench.input.map(\.partition))
        bench.handle(.logic(2))
        bench.handle(.logic(2))
        bench.handle(.logic(1))
        let inputs = bench.input.filter { $0.event.body == .inputLogic(LogicVersion(version: 2)) }
        #expect(inputs.count == opened.count)
        #expect(Set(inputs.map(\.partition)) == opened)
        #expect(Set(inputs.map(\.event.id)).count == opened.count)
        bench.restart()
        #expect(bench.core.sequencer.logic == 2)
        let stranger = (6...).first { !opened.contains(Partition.of(person($0))) } ?? 6
        bench.change(.personChanged(Person(id: person(stranger), name: "Fay")))
        bench.endTurns()
        let begun = bench.input.first { $0.partition == Partition.of(person(stranger)) }
        #expect(begun?.event.body == .inputLogic(LogicVersion(version: 2)))
        #expect(
            zip(bench.input, bench.input.dropFirst()).allSatisfy { $0.event.time <= $1.event.time })
    }
}
