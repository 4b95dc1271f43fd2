import Model
import TestSupport
import Testing
import Wire

@Suite struct `A frame` {
    private static let frames =
        [
            GoldenVectors.batch.encoded(), GoldenVectors.heads.encoded(),
            GoldenVectors.proposal.encoded(),
        ]
        + GoldenVectors.controls.map { $0.message.encoded() }

    private func refusal(_ frame: [UInt8]) -> WireError.Code? {
        do throws(WireError) {
            _ = try Frame(frame)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: frames.indices)
    func `is rejected if truncated anywhere, and with trailing bytes`(index: Int) {
        let frame = Self.frames[index]
        for count in 0..<frame.count {
            #expect(refusal(Array(frame[..<count])) == .truncated, "cut after \(count) bytes")
        }
        #expect(refusal(frame + [0]) == .truncated)
    }

    @Test(arguments: frames.indices)
    func `is rejected with another version or of an unknown type`(index: Int) {
        var frame = Self.frames[index]
        frame[8] = 2
        #expect(refusal(frame) == .version)
        frame[8] = 1
        frame[9] = 77
        #expect(refusal(frame) == .unknown)
    }

    @Test func `with an unknown verb or a reserved byte is rejected`() {
        var frame = Control.headsRequest.encoded()
        frame[10] = 200
        #expect(refusal(frame) == .unknown)
        frame[10] = 5
        frame[11] = 1
        #expect(refusal(frame) == .unknown)
    }

    @Test func `with an unknown partition, state or version range is rejected`() {
        let renew = GoldenVectors.controls.first { $0.name == "renew" }?.message.encoded() ?? []
        for (index, value) in [(34, UInt8(64)), (43, 3)] {
            var frame = renew
            frame[index] = value
            #expect(refusal(frame) == .unknown)
        }
        var frame = renew
        frame[28] = 3
        #expect(refusal(frame) == .payload)
    }

    @Test(arguments: [1 << 48, 1 << 63, UInt64.max])
    func `with a sequence out of range is rejected`(sequence: UInt64) {
        let life = GoldenVectors.life
        let far = Position(incarnation: life, sequence: sequence, hash: 1)
        let near = Position.start(of: life)
        let hello = Control.hello(consumer: "timer", entries: [Control.Entry(.sos, far)])
        #expect(refusal(hello.encoded()) == .payload)
        for (base, head) in [(far, near), (near, far)] {
            let extent = Extent(stream: .sos, base: base, head: head, isSnapshotable: false)
            let heads = Heads(published: .zero, extents: [extent])
            #expect(refusal(heads.encoded()) == .payload)
        }
        let batch = Batch(stream: .sos, after: far, records: [], head: 0, published: .zero)
        #expect(sequence == .max || refusal(batch.encoded()) == .payload)
    }

    @Test(arguments: [Int64.min, -(1 << 61), 1 << 61, .max])
    func `with a time out of range is rejected`(microseconds: Int64) {
        let published = Timestamp(microseconds: microseconds)
        #expect(refusal(Heads(published: published, extents: []).encoded()) == .payload)
        let batch = Batch(
            stream: .sos, after: .start(of: GoldenVectors.life), records: [], head: 0,
            published: published)
        #expect(refusal(batch.encoded()) == .payload)
    }

    @Test func `of an unknown stream is rejected`() {
        var frame = GoldenVectors.batch.encoded()
        frame.replaceSubrange(0..<8, with: Array("in---64|".utf8))
        #expect(refusal(frame) == .unknown)
        frame.replaceSubrange(0..<8, with: Array("audit--|".utf8))
        #expect(refusal(frame) == .unknown)
    }

    @Test func `of heads skips streams of a newer publisher`() throws {
        var frame = GoldenVectors.heads.encoded()
        frame.replaceSubrange(24..<32, with: Array("audit--|".utf8))
        guard case .heads(let heads) = try Frame(frame) else {
            Issue.record("heads were expected")
            return
        }
        #expect(heads.extents == [GoldenVectors.extents[1]])
    }

    /// If any byte of the chained fields is changed, the last hash does not match.
    @Test func `whose last hash does not match its records is rejected`() throws {
        let frame = GoldenVectors.batch.encoded()
        let previousHash = 36..<44
        let lastHash = 44..<52
        let firstRecord = 76 + 4..<76 + 27
        for index in [Array(previousHash), Array(lastHash), Array(firstRecord)].joined() {
            var changed = frame
            changed[index] ^= 1
            #expect(refusal(changed) == .hash, "byte \(index)")
        }
    }

    @Test func `is rejected beyond the size limits`() {
        #expect(refusal([UInt8](repeating: 0, count: WireLimits.frameBytesMax + 1)) == .oversized)
        let big = Record(
            kind: 1, schema: 1, id: .zero,
            payload: [UInt8](repeating: 1, count: WireLimits.recordBytesMax - 20))
        #expect(refusal(batch([big]).encoded()) == .oversized)
        let half = Record(
            kind: 1, schema: 1, id: .zero,
            payload: [UInt8](repeating: 1, count: WireLimits.batchBytesMax / 2))
        #expect(refusal(batch([half, half]).encoded()) == .oversized)
    }

    @Test func `holds one record of the largest size`() throws {
        let largest = Record(
            kind: 1, schema: 1, id: .zero,
            payload: [UInt8](repeating: 1, count: WireLimits.recordBytesMax - 24))
        #expect(try Batch(frame: batch([largest]).encoded()).records == [largest])
    }

    private func batch(_ records: [Record]) -> Batch {
        Batch(
            stream: .sos, after: .start(of: .zero), records: records, head: 1, published: .zero)
    }

    @Test func `of random bytes never crashes the reader`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            var frame = Self.frames[Int(generator.next(upperBound: UInt(Self.frames.count)))]
            for _ in 0..<(1 + generator.next(upperBound: UInt(3))) {
                frame[Int(generator.next(upperBound: UInt(frame.count)))] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            _ = refusal(frame)
        }
    }
}

@Suite struct `Splitting records into batches` {
    @Test func `keeps order and size and loses nothing`() {
        let sizes = [10, 200_000, 100_000, 300_000, 5, 5, 1_000_000, 262_120, 1]
        let records = sizes.map {
            Record(kind: 1, schema: 1, id: .zero, payload: [UInt8](repeating: 0, count: $0))
        }
        let ranges = Batch.cut(records)
        #expect(ranges.flatMap { Array($0) } == Array(records.indices))
        for range in ranges {
            let bytes = records[range].reduce(0) { $0 + $1.wireBytes }
            #expect(range.count == 1 || bytes <= WireLimits.batchBytesMax)
        }
        #expect(ranges.count == 7)
        #expect(Batch.cut([]).isEmpty)
    }
}

@Suite struct `A stream's name` {
    @Test func `is the same after every conversion and back`() {
        #expect(StreamName.all.count == 133)
        #expect(Set(StreamName.all.map(\.topic)).count == 133)
        for (index, stream) in StreamName.all.enumerated() {
            #expect(stream.code == index)
            #expect(StreamName(code: stream.code) == stream)
            #expect(StreamName(text: stream.text) == stream)
            #expect(StreamName(topic: stream.topic) == stream)
            #expect(stream.topic.count == 8)
        }
    }

    @Test(arguments: ["in/64", "in/", "in/01", "in/-1", "events/x", "SOS", "", "directory "])
    func `is nothing else`(text: String) {
        #expect(StreamName(text: text) == nil)
    }
}
