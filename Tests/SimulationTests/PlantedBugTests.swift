import Testing

/// The simulation must detect planted bugs.
@Suite(.serialized) struct `A planted bug` {
    /// Number of worlds within which an oracle must object.
    private static let seedsMax: UInt64 = 60

    private func isFound(_ make: () -> any PlantedBug) throws -> Bool {
        let simulation = try Simulation()
        for seed in 1...Self.seedsMax {
            let outcome = try simulation.run(seed: seed, steps: 2000, plant: make())
            guard outcome.objection != nil else { continue }
            // Without the bug there is no objection.
            return try simulation.run(seed: seed, steps: 2000).objection == nil
        }
        return false
    }

    @Test func `is detected: a cursor outside the transaction`() throws {
        #expect(try isFound { CursorApart() })
    }

    @Test func `is detected: records published before their commit`() throws {
        #expect(try isFound { RespondedTooEarly() })
    }

    @Test func `is detected: proposals appended without comparison`() throws {
        #expect(try isFound { AppendedUnchecked() })
    }

    @Test func `is detected: records accepted by their numbers only after a restore`() throws {
        #expect(try isFound { NumbersOnly() })
    }

    @Test func `is detected: an order that depends on the process`() throws {
        #expect(try isFound { OrderOfSets() })
    }

    @Test func `is detected: an evaluator that decides differently`() throws {
        #expect(try isFound { DecidesOtherwise() })
    }

    @Test func `is detected: escalations identified by the event that opened them`() throws {
        #expect(try isFound { KeyedByEvent() })
    }

    @Test func `is detected: progress without proof`() throws {
        #expect(try isFound { ProgressWithoutProof() })
    }

    @Test func `is detected: forgotten never-notify lists`() throws {
        #expect(try isFound { ForgetsLists() })
    }

    @Test func `is detected: a declined request that counts as agreed`() throws {
        #expect(try isFound { AlwaysAgrees() })
    }

    @Test func `is detected: ends of accounts that are not read`() throws {
        #expect(try isFound { IgnoresDeadlines() })
    }

    @Test func `is detected: a response before its commit`() throws {
        #expect(try isFound { AnsweredTooEarly() })
    }
}
