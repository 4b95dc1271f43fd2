import Model
import Wire

#if canImport(WireSamples)
    import WireSamples
#endif

/// Invariant of all decoders: accepted input can be encoded, and the result decodes to the same
/// value. Checked by tests with samples, and by the fuzzer.
enum RoundTrip {
    /// How to decode the bytes.
    enum Form: UInt8, CaseIterable {
        /// A frame of any type, as received.
        case frame
        /// A batch whose last hash is corrected first, since random changes never match it.
        case sealedBatch
        /// A record: kind, then the payload of an event in its current schema.
        case event
        /// The binary payload of a report.
        case report
        /// The binary payload of a batch of reports.
        case reports
        /// Consecutive records, as a partition snapshot.
        case partition
        /// A frame with a checkpoint piece, received twice.
        case piece
    }

    /// An input: the form in the first byte, then the bytes.
    static func input(_ form: Form, _ bytes: [UInt8]) -> [UInt8] { [form.rawValue] + bytes }

    /// Describes a violation; nil if the input is rejected or round-trips.
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
        guard let again = try? Frame(written) else { return "\(frame) is rejected when encoded" }
        guard again == frame else { return "\(frame) decodes as \(again)" }
        return encoded(again) == written ? nil : "\(frame) has two encodings"
    }

    private static func encoded(_ frame: Frame) -> [UInt8] {
        switch frame {
        case .batch(let batch): batch.encoded()
        case .heads(let heads): heads.encoded()
        case .control(let control): control.encoded()
        case .proposal(let proposal): proposal.encoded()
        }
    }

    private static func complaint(aboutEventOf kind: UInt16, payload: [UInt8]) -> String? {
        let record = Record(
            kind: kind, schema: EventCodec.schema, id: eventID(in: payload), payload: payload)
        guard let event = try? EventCodec.decode(record) else { return nil }
        guard let written = try? EventCodec.encode(event) else {
            return "\(event) is not encodable"
        }
        guard let again = try? EventCodec.decode(written) else {
            return "\(event) is rejected when encoded"
        }
        guard again == event else { return "\(event) decodes as \(again)" }
        return (try? EventCodec.encode(again)) == written ? nil : "\(event) has two encodings"
    }

    /// The event's id in the payload, which the record must have, too.
    private static func eventID(in payload: [UInt8]) -> ID128 {
        let opening = Array(#""id":""#.utf8)
        guard let start = payload.firstRange(of: opening)?.upperBound else { return .zero }
        let text = payload[start...].prefix { $0 != UInt8(ascii: "\"") }
        return EventID(String(decoding: text, as: UTF8.self))?.raw ?? .zero
    }

    private static func complaint(aboutPartition records: [Record]) -> String? {
        guard let found = try? PartitionSnapshot(records: records) else { return nil }
        guard let again = try? PartitionSnapshot(records: found.records) else {
            return "\(found) is rejected when encoded"
        }
        return again == found ? nil : "\(found) decodes as \(again)"
    }

    private static func complaint(aboutPiece bytes: [UInt8]) -> String? {
        guard case .control(.checkpoint(let piece)) = try? Frame(bytes) else { return nil }
        var reader = CheckpointReader()
        let first = reader.receive(piece)
        let second = reader.receive(piece)
        if case .whole(let whole) = first, whole.id != piece.id { return "\(piece) has another id" }
        // Neither a complete checkpoint nor a rejected piece leaves any state.
        if case .more = first { return nil }
        return first == second ? nil : "\(piece) results in \(first), then in \(second)"
    }

    /// The frame with the last hash of its records, if it can be parsed.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 76, let records = records(in: Array(bytes[76...])) else {
            return bytes
        }
        let hash = records.reduce(number(bytes, at: 36, 8)) { $1.hash(after: $0) }
        var sealed = bytes
        for place in 0..<8 { sealed[44 + place] = UInt8(truncatingIfNeeded: hash >> (8 * place)) }
        return sealed
    }

    /// Consecutive records, parsed independently of the tested decoders; nil if the bytes are
    /// malformed.
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

    /// A valid input of each form and kind, as a corpus.
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

    /// A complete partition snapshot: the records of a batch.
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
