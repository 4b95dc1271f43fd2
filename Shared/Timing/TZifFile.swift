import Model

/// Contents of a TZif file for one time zone: transitions and the rule of its last line.
struct TZifFile {
    private(set) var transitions: [ZoneOffset] = []
    /// Offset before the first transition.
    private(set) var first: Int32 = 0
    private(set) var rule: PosixTimeRule?

    /// Returns nil if the bytes are not a complete file.
    init?(_ bytes: [UInt8]) {
        var reader = TZifReader(bytes)
        guard let legacy = reader.header() else { return nil }
        guard legacy.version >= 2 else {
            guard readTable(&reader, legacy, timeWidth: 4) else { return nil }
            return
        }
        reader.skip(legacy.length(timeWidth: 4))
        guard let header = reader.header(), readTable(&reader, header, timeWidth: 8),
            readFooter(reader.rest)
        else { return nil }
    }

    private mutating func readTable(
        _ reader: inout TZifReader, _ header: TZifReader.Header, timeWidth: Int
    ) -> Bool {
        guard let table = reader.table(header, timeWidth: timeWidth) else { return false }
        (first, transitions) = table
        return true
    }

    /// A line feed, the rule, a line feed; missing in version 1 files.
    private mutating func readFooter(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.isEmpty { return true }
        guard bytes.count >= 2, bytes.first == 10, bytes.last == 10 else { return false }
        let text = bytes.dropFirst().dropLast()
        if text.isEmpty { return true }
        rule = PosixTimeRule(text)
        return rule != nil
    }
}

/// Reads big-endian numbers.
struct TZifReader {
    struct Header {
        var version: UInt8
        var isUT, isStandard, leaps, times, types, characters: Int

        /// Length of the following block, bytes.
        func length(timeWidth: Int) -> Int {
            times * (timeWidth + 1) + types * 6 + characters + leaps * (timeWidth + 4) + isStandard
                + isUT
        }
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The unread bytes.
    var rest: ArraySlice<UInt8> { bytes.dropFirst(index) }

    mutating func skip(_ count: Int) { index += count }

    mutating func header() -> Header? {
        guard index + 44 <= bytes.count, bytes[index..<index + 4].elementsEqual("TZif".utf8)
        else { return nil }
        let digit = bytes[index + 4]
        guard digit == 0 || (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(digit) else {
            return nil
        }
        index += 20
        let counts = (0..<6).compactMap { _ in number(4).map(Int.init) }
        guard counts.count == 6, counts.allSatisfy({ (0...100_000).contains($0) }) else {
            return nil
        }
        return Header(
            version: digit == 0 ? 1 : digit - UInt8(ascii: "0"), isUT: counts[0],
            isStandard: counts[1],
            leaps: counts[2], times: counts[3], types: counts[4], characters: counts[5])
    }

    mutating func table(
        _ header: Header, timeWidth: Int
    ) -> (first: Int32, transitions: [ZoneOffset])? {
        let end = index + header.length(timeWidth: timeWidth)
        guard end <= bytes.count else { return nil }
        let times = (0..<header.times).compactMap { _ in number(timeWidth) }
        let kinds = (0..<header.times).compactMap { _ in number(1).map(Int.init) }
        var offsets: [Int32] = []
        for _ in 0..<header.types {
            guard let offset = number(4) else { return nil }
            offsets.append(Int32(truncatingIfNeeded: offset))
            index += 2
        }
        guard let first = offsets.first, kinds.allSatisfy({ offsets.indices.contains($0) }) else {
            return nil
        }
        index = end
        return (first, zip(times, kinds).map { ZoneOffset(at: $0, offset: offsets[$1]) })
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
