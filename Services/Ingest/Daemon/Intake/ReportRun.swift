import IngestCore
import Model

/// Reports of one device that arrived together and share a row of `report`: the first in its
/// columns, the others packed, about 30 bytes each.
enum ReportRun {
    /// Maximum time from the first to the last report of a row; lookups search this far back.
    static let span = Duration.seconds(600)
    /// Reports in one row, which stays within a quarter of a page.
    static let reportsMax = 24

    /// How many of these reports share the next row: ordered by time, and without clock skew.
    static func count(of reports: ArraySlice<Report>) -> Int {
        guard let first = reports.first else { return 0 }
        let end = first.fix.time + span
        var last = first.fix.time
        var count = 1
        for report in reports.dropFirst().prefix(first.clockSkew ? 0 : reportsMax - 1) {
            let time = report.fix.time
            guard !report.clockSkew, last <= time, time <= end else { break }
            last = time
            count += 1
        }
        return count
    }

    private enum Has {
        static let altitude: UInt8 = 1
        static let speed: UInt8 = 2
        static let course: UInt8 = 4
    }

    /// Packs the reports after the first.
    static func pack(_ reports: ArraySlice<Report>, after first: Report) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reports.count * 40)
        for report in reports {
            let fix = report.fix
            var has: UInt8 = 0
            if fix.altitudeCentimetres != nil { has |= Has.altitude }
            if fix.speedCentimetresPerSecond != nil { has |= Has.speed }
            if fix.courseDegrees != nil { has |= Has.course }
            bytes.append(has)
            bytes.append(id: report.id.raw.low)
            bytes.append(
                number: fix.time.microseconds.minusBounded(first.fix.time.microseconds))
            bytes.append(
                number: Int64(fix.position.latitudeE7) - Int64(first.fix.position.latitudeE7))
            bytes.append(
                number: Int64(fix.position.longitudeE7) - Int64(first.fix.position.longitudeE7))
            bytes.append(number: Int64(fix.accuracyCentimetres))
            if let altitude = fix.altitudeCentimetres { bytes.append(number: Int64(altitude)) }
            if let speed = fix.speedCentimetresPerSecond { bytes.append(number: Int64(speed)) }
            if let course = fix.courseDegrees { bytes.append(number: Int64(course)) }
            bytes.append(number: ReportState(report).packed)
            bytes.append(
                number: report.received.microseconds.minusBounded(fix.time.microseconds))
        }
        return bytes
    }

    /// Reverses ``pack(_:after:)``.
    static func unpack(_ bytes: [UInt8], after first: StoredReport) -> [StoredReport] {
        var reader = PackedReader(bytes)
        var reports: [StoredReport] = []
        while !reader.isAtEnd {
            let has = reader.byte()
            let half = reader.id()
            var report = first
            report.half = half
            report.fix.time.microseconds += reader.number()
            report.fix.position.latitudeE7 = Int32(
                clamping: Int64(first.fix.position.latitudeE7) + reader.number())
            report.fix.position.longitudeE7 = Int32(
                clamping: Int64(first.fix.position.longitudeE7) + reader.number())
            report.fix.accuracyCentimetres = Int32(clamping: reader.number())
            func optional(_ bit: UInt8) -> Int32? {
                has & bit == 0 ? nil : Int32(clamping: reader.number())
            }
            report.fix.altitudeCentimetres = optional(Has.altitude)
            report.fix.speedCentimetresPerSecond = optional(Has.speed)
            report.fix.courseDegrees = optional(Has.course)
            report.state = ReportState(packed: reader.number())
            report.received = Timestamp(
                microseconds: report.fix.time.microseconds.plusBounded(reader.number()))
            reports.append(report)
        }
        return reports
    }
}

extension [UInt8] {
    /// Appends a zigzag varint: seven bits per byte, lowest first.
    fileprivate mutating func append(number: Int64) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        while rest > 127 {
            append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    fileprivate mutating func append(id: UInt64) {
        Swift.withUnsafeBytes(of: id.bigEndian) { append(contentsOf: $0) }
    }
}

/// Reads packed reports. Missing bytes read as zeros.
private struct PackedReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place >= bytes.count }

    mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        place += 1
        return bytes[place - 1]
    }

    mutating func id() -> UInt64 { (0..<8).reduce(0) { id, _ in id << 8 | UInt64(byte()) } }

    mutating func number() -> Int64 {
        var bits: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = byte()
            bits |= UInt64(byte & 127) << shift
            shift += 7
            if byte < 128 { break }
        }
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }
}
