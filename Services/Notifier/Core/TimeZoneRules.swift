import Model

/// The offsets of one time zone, read from a TZif file (RFC 9636).
///
/// After its last transition a file's own rule would go on; here the last offset does, which is
/// exact for zones without summer time and for files that list transitions until 2037.
public struct TimeZoneRules: Hashable, Sendable {
    /// From a second on, an offset.
    struct Step: Hashable, Sendable {
        var at: Int64
        var offset: Int
    }

    /// Ascending.
    private var transitions: [Step]
    private var first: Int

    /// One offset for all times.
    public init(offsetSeconds: Int) {
        transitions = []
        first = offsetSeconds
    }

    /// Reads the file's bytes; nil when they are not a whole TZif file.
    public init?(tzif bytes: [UInt8]) {
        var reader = TZifReader(bytes)
        guard let legacy = reader.header() else { return nil }
        var header = legacy
        var width = 4
        if legacy.version >= 2 {
            reader.skip(legacy.length(timeWidth: 4))
            guard let modern = reader.header() else { return nil }
            header = modern
            width = 8
        }
        guard let table = reader.table(header, timeWidth: width) else { return nil }
        transitions = table.transitions
        first = table.first
    }

    /// Seconds east of Greenwich at a time.
    public func offsetSeconds(at time: Timestamp) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= time.seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : transitions[low - 1].offset
    }
}

/// Big-endian numbers from the left.
private struct TZifReader {
    struct Header {
        var version: UInt8
        var isUT, isStandard, leaps, times, types, characters: Int

        /// Bytes of the block that follows.
        func length(timeWidth: Int) -> Int {
            times * (timeWidth + 1) + types * 6 + characters + leaps * (timeWidth + 4) + isStandard
                + isUT
        }
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) { index += count }

    mutating func header() -> Header? {
        guard index + 44 <= bytes.count, bytes[index..<index + 4].elementsEqual("TZif".utf8)
        else { return nil }
        let version = bytes[index + 4]
        index += 20
        let counts = (0..<6).compactMap { _ in number(4).map(Int.init) }
        guard counts.count == 6, counts.allSatisfy({ (0...100_000).contains($0) }) else {
            return nil
        }
        return Header(
            version: version == 0 ? 1 : version - 48, isUT: counts[0], isStandard: counts[1],
            leaps: counts[2], times: counts[3], types: counts[4], characters: counts[5])
    }

    mutating func table(
        _ header: Header, timeWidth: Int
    ) -> (first: Int, transitions: [TimeZoneRules.Step])? {
        guard index + header.length(timeWidth: timeWidth) <= bytes.count else { return nil }
        let times = (0..<header.times).compactMap { _ in number(timeWidth) }
        let kinds = (0..<header.times).compactMap { _ in number(1).map(Int.init) }
        var offsets: [Int] = []
        for _ in 0..<header.types {
            guard let offset = number(4) else { return nil }
            offsets.append(Int(offset))
            index += 2
        }
        guard let first = offsets.first, kinds.allSatisfy({ offsets.indices.contains($0) }) else {
            return nil
        }
        return (first, zip(times, kinds).map { .init(at: $0, offset: offsets[$1]) })
    }

    /// A signed number; single bytes are unsigned.
    private mutating func number(_ width: Int) -> Int64? {
        guard index + width <= bytes.count else { return nil }
        var value: UInt64 = 0
        for byte in bytes[index..<index + width] { value = value << 8 | UInt64(byte) }
        index += width
        let shift = UInt64(64 - 8 * width)
        return width == 1 ? Int64(value) : Int64(bitPattern: value << shift) >> Int64(shift)
    }
}
