import Model
import Wire

#if canImport(WireSamples)
    import WireSamples
#endif

/// The law of every reader of the protocol: what it takes can be written, and what was written is
/// read as the same again. Held up by tests, and by the fuzzer with inputs of its own making.
enum RoundTrip {
    /// As what bytes are read.
    enum Form: UInt8, CaseIterable {
        /// A frame of any type, as it came.
        case frame
        /// A batch whose last hash is made right first: no chance finds one that is.
        case sealedBatch
        /// A record: kind, then the payload of an event in its current schema.
        case event
        /// The binary payload of a report.
        case report
        /// The binary payload of several.
        case reports
        /// Records that follow each other, as the snapshot of a partition.
        case partition
        /// A frame with a piece of a checkpoint, taken twice.
        case piece
    }

    /// Bytes to be tried: the first one says in which form.
    static func input(_ form: Form, _ bytes: [UInt8]) -> [UInt8] { [form.rawValue] + bytes }

    /// What is wrong with how the input is read; nil if it is refused or comes back the same.
    static func complaint(about input: [UInt8]) -> String? {
        let forms = UInt8(Form.allCases.count)
        guard let first = input.first, let form = Form(rawValue: first % forms) else { return nil }
        let bytes = Array(input.dropFirst())
        switch form {
        case .frame: return complaint(aboutFrame: bytes)
        case .sealedBatch: return complaint(aboutFrame: sealed(bytes))
        case .event:
            guard bytes.count >= 2 else { return nil }
            let kind = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
            return complaint(aboutEventOf: kind, payload: Array(bytes.dropFirst(2)))
        case .report: return complaint(aboutEventOf: 1, payload: bytes)
        case .reports: return complaint(aboutEventOf: 18, payload: bytes)
        case .partition: return complaint(aboutPartition: records(in: bytes) ?? [])
        case .piece: return complaint(aboutPiece: bytes)
        }
    }

    private static func complaint(aboutFrame bytes: [UInt8]) -> String? {
        guard let frame = try? Frame(bytes) else { return nil }
        let written = encoded(frame)
        guard let again = try? Frame(written) else { return "\(frame) is refused when written" }
        guard again == frame else { return "\(frame) comes back as \(again)" }
        return encoded(again) == written ? nil : "\(frame) is written in two ways"
    }

    private static func encoded(_ frame: Frame) -> [UInt8] {
        switch frame {
        case .batch(let batch): batch.encoded()
        case .heads(let heads): heads.encoded()
        case .control(let control): control.encoded()
        case .offer(let offer): offer.encoded()
        }
    }

    private static func complaint(aboutEventOf kind: UInt16, payload: [UInt8]) -> String? {
        let record = Record(
            kind: kind, schema: EventCodec.schema, id: eventID(in: payload), payload: payload)
        guard let event = try? EventCodec.decode(record) else { return nil }
        guard let written = try? EventCodec.encode(event) else { return "\(event) is not written" }
        guard let again = try? EventCodec.decode(written) else {
            return "\(event) is refused when written"
        }
        guard again == event else { return "\(event) comes back as \(again)" }
        return (try? EventCodec.encode(again)) == written ? nil : "\(event) is written in two ways"
    }

    /// The id that the payload gives its event, for it must be the record's.
    private static func eventID(in payload: [UInt8]) -> ID128 {
        let opening = Array(#""id":""#.utf8)
        guard let start = payload.firstRange(of: opening)?.upperBound else { return .zero }
        let text = payload[start...].prefix { $0 != UInt8(ascii: "\"") }
        return EventID(String(decoding: text, as: UTF8.self))?.raw ?? .zero
    }

    private static func complaint(aboutPartition records: [Record]) -> String? {
        guard let found = try? PartitionSnapshot(records: records) else { return nil }
        guard let again = try? PartitionSnapshot(records: found.records) else {
            return "\(found) is refused when written"
        }
        return again == found ? nil : "\(found) comes back as \(again)"
    }

    private static func complaint(aboutPiece bytes: [UInt8]) -> String? {
        guard case .control(.checkpoint(let piece)) = try? Frame(bytes) else { return nil }
        var reader = CheckpointReader()
        let first = reader.take(piece)
        let second = reader.take(piece)
        if case .whole(let whole) = first, whole.id != piece.id { return "\(piece) has another id" }
        // Neither a whole checkpoint nor a refused piece leaves anything behind.
        if case .more = first { return nil }
        return first == second ? nil : "\(piece) is taken as \(first), then as \(second)"
    }

    /// The frame with the last hash that its records give, if it can be taken apart at all.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 76, let records = records(in: Array(bytes[76...])) else {
            return bytes
        }
        let hash = records.reduce(number(bytes, at: 36, 8)) { $1.hash(after: $0) }
        var sealed = bytes
        for place in 0..<8 { sealed[44 + place] = UInt8(truncatingIfNeeded: hash >> (8 * place)) }
        return sealed
    }

    /// Records that follow each other, read apart from the readers that are tried; nil if the
    /// bytes are not such.
    private static func records(in bytes: [UInt8]) -> [Record]? {
        var records: [Record] = []
        var index = 0
        while index + 24 <= bytes.count {
            let end = index + 24 + Int(number(bytes, at: index, 4))
            guard end <= bytes.count else { return nil }
            let id = ID128(bytes: bytes[index + 8..<index + 24]) ?? .zero
            records.append(
                Record(
                    kind: UInt16(number(bytes, at: index + 4, 2)),
                    schema: UInt16(number(bytes, at: index + 6, 2)), id: id,
                    payload: Array(bytes[index + 24..<end])))
            index = end
        }
        return records
    }

    private static func number(_ bytes: [UInt8], at index: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[index + $1]) << (8 * UInt64($1)) }
    }

    /// An input of each form and kind that is read well, to begin with.
    static let samples: [[UInt8]] =
        GoldenVectors.all.sorted { $0.key < $1.key }.map { name, bytes in
            let forms: [String: Form] = [
                "report": .report, "reports": .reports, "batch": .sealedBatch,
            ]
            return input(forms[name] ?? .frame, bytes)
        }
        + GoldenVectors.all.filter { $0.key == "ckpt" }.map {
            input(.piece, $0.value)
        }
        + [input(.partition, partition)]
        + EventSamples.events.compactMap { event in
            guard let record = try? EventCodec.encode(event) else { return nil }
            if event.kind == .inputReport { return input(.report, record.payload) }
            if event.kind == .inputReports { return input(.reports, record.payload) }
            let kind = [UInt8(record.kind & 255), UInt8(record.kind >> 8)]
            return input(.event, kind + record.payload)
        }

    /// A snapshot of a partition with everything that it may have: the records of a batch.
    private static var partition: [UInt8] {
        let snapshot = PartitionSnapshot(
            configuration: [GoldenVectors.one],
            head: .init(output: GoldenVectors.position, logic: 1, stateHash: 7), state: [1, 2, 3],
            audit: .init(input: GoldenVectors.position, stateHash: 8))
        let batch = Batch(
            stream: .sos, after: .unknown, records: snapshot.records, head: 0, published: .zero)
        return Array(batch.encoded().dropFirst(76))
    }
}
