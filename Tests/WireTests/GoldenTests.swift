import Model
import Testing
import Wire

@Suite struct `The golden vectors` {
    private func vector(_ name: String) throws -> [UInt8] {
        try #require(GoldenVectors.all[name], "the README has no vector \(name)")
    }

    @Test func `the chain starts at zero and hashes each record after the previous one`() throws {
        func bytes(_ hash: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
        }
        #expect(bytes(GoldenVectors.hash1) == (try vector("hash-1")))
        #expect(bytes(GoldenVectors.hash2) == (try vector("hash-2")))
    }

    @Test func `a batch is encoded and decoded as given`() throws {
        let frame = try vector("batch")
        #expect(GoldenVectors.batch.encoded() == frame)
        #expect(try Frame(frame) == .batch(GoldenVectors.batch))
        #expect(try Batch(frame: frame).last == GoldenVectors.position)
    }

    @Test func `a proposal is encoded and decoded as given`() throws {
        let frame = try vector("proposal")
        #expect(GoldenVectors.proposal.encoded() == frame)
        #expect(try Frame(frame) == .proposal(GoldenVectors.proposal))
    }

    @Test func `heads are encoded and decoded as given`() throws {
        let frame = try vector("heads")
        #expect(GoldenVectors.heads.encoded() == frame)
        #expect(try Frame(frame) == .heads(GoldenVectors.heads))
    }

    @Test(arguments: GoldenVectors.controls.indices)
    func `every verb is encoded and decoded as given`(index: Int) throws {
        let (name, message) = GoldenVectors.controls[index]
        let frame = try vector(name)
        #expect(message.encoded() == frame)
        #expect(try Frame(frame) == .control(message))
    }

    @Test func `a partition snapshot is encoded and decoded as given`() throws {
        let records = GoldenVectors.snapshot.records
        #expect(records[0] == GoldenVectors.one)
        #expect(records.dropFirst().map(\.kind) == [0xFF01, 0xFF02, 0xFF03])
        #expect(records[1].payload == (try vector("row-head")))
        #expect(records[2].payload == (try vector("row-state")))
        #expect(records[3].payload == (try vector("row-audit")))
        #expect(records.dropFirst().allSatisfy { $0.id == .zero && $0.schema == 1 })
    }

    @Test func `a report is encoded and decoded as given`() throws {
        let payload = try vector("report")
        let record = try EventCodec.encode(GoldenVectors.report)
        #expect(record.payload == payload)
        #expect(record.kind == 1)
        #expect(record.id == GoldenVectors.idB)
        #expect(try EventCodec.decode(record) == GoldenVectors.report)
    }

    @Test func `a batch of reports is encoded and decoded as given`() throws {
        let payload = try vector("reports")
        let record = try EventCodec.encode(GoldenVectors.reports)
        #expect(record.payload == payload)
        #expect(record.kind == 18)
        #expect(record.id == GoldenVectors.idB)
        #expect(try EventCodec.decode(record) == GoldenVectors.reports)
    }
}
