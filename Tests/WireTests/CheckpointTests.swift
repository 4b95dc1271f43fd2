import Model
import Testing
import Wire

@Suite struct `A checkpoint` {
    private static func checkpoint(_ count: Int) -> Checkpoint {
        Checkpoint(
            partition: GoldenVectors.p17, input: GoldenVectors.position,
            output: GoldenVectors.position, logic: 1, stateHash: 7,
            state: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    private func piece(_ checkpoint: Checkpoint, _ offset: Int) -> CheckpointPiece {
        checkpoint.piece(
            id: checkpoint.id, from: UInt32(offset), by: GoldenVectors.idB, epoch: 1)
    }

    @Test(arguments: [0, 1, 262_144, 262_145, 600_000])
    func `is assembled from its pieces`(count: Int) {
        let checkpoint = Self.checkpoint(count)
        var reader = CheckpointReader()
        var offset: UInt32 = 0
        var pieces = 0
        while true {
            let piece = piece(checkpoint, Int(offset))
            #expect(piece.bytes.count <= WireLimits.pieceBytesMax)
            pieces += 1
            switch reader.receive(piece) {
            case .more(let next): offset = next
            case .whole(let whole):
                #expect(whole == checkpoint)
                #expect(pieces == max(1, (count + 262_143) / 262_144))
                return
            case .rejected(let reason):
                Issue.record("\(reason)")
                return
            }
        }
    }

    @Test func `restarts when its reader is restarted midway`() {
        let checkpoint = Self.checkpoint(600_000)
        var reader = CheckpointReader()
        #expect(reader.receive(piece(checkpoint, 0)) == .more(next: 262_144))
        reader = CheckpointReader()
        #expect(reader.receive(piece(checkpoint, 262_144)) == .more(next: 0))
        #expect(reader.receive(piece(checkpoint, 0)) == .more(next: 262_144))
        // A duplicate piece is requested once.
        #expect(reader.receive(piece(checkpoint, 0)) == .more(next: 262_144))
        #expect(reader.receive(piece(checkpoint, 262_144)) == .more(next: 524_288))
        #expect(reader.receive(piece(checkpoint, 524_288)) == .whole(checkpoint))
    }

    @Test func `is replaced by another one`() {
        var reader = CheckpointReader()
        #expect(reader.receive(piece(Self.checkpoint(600_000), 0)) == .more(next: 262_144))
        let other = Self.checkpoint(10)
        #expect(reader.receive(piece(other, 0)) == .whole(other))
    }

    @Test func `that does not match its id is rejected, and may be sent again`() {
        let checkpoint = Self.checkpoint(10)
        var changed = piece(checkpoint, 0)
        changed.bytes[3] ^= 1
        var reader = CheckpointReader()
        guard case .rejected = reader.receive(changed) else {
            Issue.record("a rejection was expected")
            return
        }
        #expect(reader.receive(piece(checkpoint, 0)) == .whole(checkpoint))
    }

    @Test func `has an id of all its fields`() {
        let checkpoint = Self.checkpoint(10)
        var others = Array(repeating: checkpoint, count: 6)
        others[0].partition = GoldenVectors.p63
        others[1].input.sequence += 1
        others[2].output.hash += 1
        others[3].logic += 1
        others[4].stateHash += 1
        others[5].state.append(0)
        #expect(Set((others + [checkpoint]).map(\.id)).count == 7)
    }

    @Test func `with pieces that are too long or out of range is rejected`() {
        func refusal(_ change: (inout CheckpointPiece) -> Void) -> WireError.Code? {
            var piece = piece(Self.checkpoint(10), 0)
            change(&piece)
            do throws(WireError) {
                _ = try Frame(Control.checkpoint(piece).encoded())
                return nil
            } catch {
                return error.code
            }
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.size = UInt32(WireLimits.checkpointBytesMax) + 1 } == .oversized)
        #expect(
            refusal {
                $0.size = 1 << 20
                $0.bytes = [UInt8](repeating: 0, count: WireLimits.pieceBytesMax + 1)
            } == .oversized)
        #expect(refusal { $0.offset = 1 } == .payload)
        #expect(refusal { $0.size = 9 } == .payload)
        #expect(refusal { $0.offset = .max } == .payload)
    }
}

@Suite struct `A partition snapshot` {
    @Test(arguments: [0, 1, 204_800, 500_000], [false, true])
    func `is decoded as it was encoded`(count: Int, hasAudit: Bool) throws {
        var snapshot = GoldenVectors.snapshot
        snapshot.state = [UInt8](repeating: 3, count: count)
        if !hasAudit { snapshot.audit = nil }
        let records = snapshot.records
        #expect(try PartitionSnapshot(records: records) == snapshot)
        #expect(records.allSatisfy { $0.wireBytes <= WireLimits.batchBytesMax })
    }

    @Test func `has no rows without a checkpoint`() throws {
        #expect(try PartitionSnapshot(records: []) == nil)
    }

    @Test func `that is truncated is rejected`() throws {
        let records = GoldenVectors.snapshot.records
        #expect(records.count == 4)
        #expect(throws: WireError.self) { try PartitionSnapshot(records: [records[0]]) }
        #expect(throws: WireError.self) { try PartitionSnapshot(records: Array(records[..<2])) }
        var cut = records
        cut[1].payload.removeLast()
        #expect(throws: WireError.self) { try PartitionSnapshot(records: cut) }
    }
}
