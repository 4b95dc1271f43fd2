import Model
import Wire

/// Records like those of ingest: one report each, or a substitute for many reports.
struct Records {
    /// Payload size in bytes; 0 = one real report.
    let size: Int
    private var number: UInt64 = 0

    init(size: Int) { self.size = size }

    /// The next record, with its creation time.
    mutating func next() throws -> Record {
        number += 1
        let now = microseconds()
        let id = ID128(high: UInt64(now), low: number)
        guard size == 0 else {
            var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
            for byte in 0..<8 { payload[byte] = UInt8(truncatingIfNeeded: now >> (8 * byte)) }
            return Record(kind: 1, schema: 1, id: id, payload: payload)
        }
        let fix = Fix(
            time: Timestamp(seconds: 1_700_000_000),
            position: Coordinate(
                latitudeE7: Int32(truncatingIfNeeded: number), longitudeE7: 1_012_345_678),
            accuracyCentimetres: 1500, speedCentimetresPerSecond: 140)
        let report = Report(
            id: ReportID(id), person: PersonID(id), device: DeviceID(id), fix: fix,
            trigger: .periodic, battery: 77, received: Timestamp(microseconds: now))
        return try EventCodec.encode(
            Event(
                id: EventID(id), time: Timestamp(microseconds: now), trace: "",
                body: .inputReport(report)))
    }

    /// The creation time of a record.
    func created(_ record: Record) throws -> Int64 {
        guard size == 0 else {
            return record.payload.prefix(8).enumerated().reduce(0) {
                $0 | Int64($1.element) << (8 * Int64($1.offset))
            }
        }
        return try EventCodec.decode(record).time.microseconds
    }
}

/// Latencies of many records, microseconds.
struct Waits {
    private var values: [UInt32] = []

    mutating func add(_ wait: Int64) { values.append(UInt32(clamping: wait)) }

    /// The latency at a quantile, milliseconds.
    mutating func milliseconds(_ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        values.sort()
        return Double(values[min(values.count - 1, Int(Double(values.count) * share))]) / 1000
    }
}
