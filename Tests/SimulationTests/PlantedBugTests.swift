import Testing

/// The simulation is able to fail: a bug that is put in is objected to.
@Suite(.serialized) struct `A planted bug` {
    /// Worlds within which an oracle has to object.
    private static let seedsMax: UInt64 = 60

    private func isFound(_ make: () -> any Plant) throws -> Bool {
        let simulation = try Simulation()
        for seed in 1...Self.seedsMax {
            let outcome = try simulation.run(seed: seed, steps: 2000, plant: make())
            guard outcome.objection != nil else { continue }
            // Without the bug there is nothing to object to.
            return try simulation.run(seed: seed, steps: 2000).objection == nil
        }
        return false
    }

    @Test func `is found: a cursor outside of the transaction`() throws {
        #expect(try isFound { CursorApart() })
    }

    @Test func `is found: records that are told before their commit`() throws {
        #expect(try isFound { ToldTooEarly() })
    }

    @Test func `is found: outputs appended without comparing`() throws {
        #expect(try isFound { AppendedBlindly() })
    }

    @Test func `is found: records taken by their numbers alone after a restore`() throws {
        #expect(try isFound { NumbersOnly() })
    }

    @Test func `is found: an order that depends on the process`() throws {
        #expect(try isFound { OrderOfSets() })
    }

    @Test func `is found: an evaluator that decides otherwise`() throws {
        #expect(try isFound { DecidesOtherwise() })
    }

    @Test func `is found: ladders known by the event that tells of them`() throws {
        #expect(try isFound { KeyedByEvent() })
    }

    @Test func `is found: progress without proof`() throws {
        #expect(try isFound { ProgressWithoutProof() })
    }

    @Test func `is found: an answer before its commit`() throws {
        #expect(try isFound { AnsweredTooEarly() })
    }
}
