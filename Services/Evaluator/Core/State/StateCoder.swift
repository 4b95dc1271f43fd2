import Model

/// A part of a state. One description of its fields both encodes and decodes it.
protocol StateCodable {
    /// What decoding starts from; all fields are replaced.
    static var blank: Self { get }

    /// Encodes or decodes all fields, in order.
    mutating func code(_ coder: inout StateCoder) throws(StateError)
}

/// Encodes or decodes a state: numbers are little endian, ids most significant byte first.
struct StateCoder {
    private(set) var bytes: [UInt8]
    let isDecoding: Bool
    private var index = 0
    /// What is being read, for errors.
    var operation = "state"

    /// Encodes.
    init() { (bytes, isDecoding) = ([], false) }

    init(decoding bytes: [UInt8]) { (self.bytes, isDecoding) = (bytes, true) }

    var isAtEnd: Bool { index == bytes.count }

    mutating func code<Value: StateCodable>(_ value: inout Value) throws(StateError) {
        try value.code(&self)
    }

    /// Codes a value that is present if an earlier flag says so.
    mutating func code<Value: StateCodable>(
        _ value: inout Value?, if isPresent: Bool
    ) throws(StateError) {
        guard isPresent else {
            value = nil
            return
        }
        var some = value ?? Value.blank
        try some.code(&self)
        value = some
    }

    /// Codes a four-byte count, then the elements. A count that exceeds the remaining bytes is
    /// rejected before memory is allocated.
    ///
    /// - Parameter bytesMin: minimum size of an element.
    mutating func code<Element: StateCodable>(
        list: inout [Element], bytesMin: Int,
        _ element: (inout Element, inout StateCoder) throws(StateError) -> Void = {
            (value: inout Element, coder: inout StateCoder) throws(StateError) in
            try value.code(&coder)
        }
    ) throws(StateError) {
        var count = UInt32(list.count)
        try code(&count)
        guard isDecoding else {
            for value in list {
                var value = value
                try element(&value, &self)
            }
            return
        }
        try require(Int(count) * bytesMin)
        list.removeAll()
        for _ in 0..<count {
            var value = Element.blank
            try element(&value, &self)
            list.append(value)
        }
    }

    /// Codes an id of an ascending list.
    ///
    /// - Parameter last: the id before it.
    mutating func code<Kind>(
        _ id: inout Identifier<Kind>, after last: inout Identifier<Kind>?
    ) throws(StateError) {
        try code(&id)
        try check(last.map { $0 < id } ?? true, "ids are not ascending")
        last = id
    }

    /// Codes a byte of at most eight flags; the first one is the lowest bit.
    ///
    /// - Returns: the flags that apply: the given ones when encoding.
    mutating func flags(_ flags: Bool...) throws(StateError) -> [Bool] {
        var byte = flags.reversed().reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        try code(&byte)
        try check(Int(byte) >> flags.count == 0, "unknown flag")
        return flags.indices.map { byte >> $0 & 1 == 1 }
    }

    /// Rejects invalid bytes; what is encoded is always valid.
    func check(_ isValid: Bool, _ message: @autoclosure () -> String) throws(StateError) {
        if isDecoding, !isValid { throw StateError(.invalid, operation, message()) }
    }

    /// The next bytes of a value, to decode.
    fileprivate mutating func next(_ count: Int) throws(StateError) -> ArraySlice<UInt8> {
        try require(count)
        defer { index += count }
        return bytes[index..<index + count]
    }

    fileprivate mutating func append(_ byte: UInt8) { bytes.append(byte) }

    fileprivate mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// Rejects a count that exceeds the remaining bytes.
    func require(_ count: Int) throws(StateError) {
        guard count <= bytes.count - index else {
            throw StateError(.truncated, operation, "\(count - (bytes.count - index)) bytes short")
        }
    }
}

extension StateCodable where Self: FixedWidthInteger {
    static var blank: Self { 0 }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        let size = Self.bitWidth / 8
        guard coder.isDecoding else {
            let value = self
            for byte in 0..<size { coder.append(UInt8(truncatingIfNeeded: value >> (byte * 8))) }
            return
        }
        self = 0
        for (offset, byte) in try coder.next(size).enumerated() {
            self |= Self(truncatingIfNeeded: byte) << (8 * offset)
        }
    }
}

extension UInt8: StateCodable {}
extension UInt16: StateCodable {}
extension UInt32: StateCodable {}
extension UInt64: StateCodable {}
extension Int32: StateCodable {}
extension Int64: StateCodable {}

extension Identifier: StateCodable {
    static var blank: Self { Identifier(.zero) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        var (high, low) = (raw.high.byteSwapped, raw.low.byteSwapped)
        try coder.code(&high)
        try coder.code(&low)
        self = Identifier(ID128(high: high.byteSwapped, low: low.byteSwapped))
    }
}

extension Timestamp: StateCodable {
    static var blank: Timestamp { .zero }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        var microseconds = microseconds
        try coder.code(&microseconds)
        let limit = Timestamp.distantFuture.microseconds
        try coder.check((-limit...limit).contains(microseconds), "time is out of range")
        self = Timestamp(microseconds: microseconds)
    }
}

extension String: StateCodable {
    static var blank: String { "" }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        var count = UInt32(utf8.count)
        try coder.code(&count)
        guard coder.isDecoding else { return coder.append(utf8) }
        guard let text = String(validating: try coder.next(Int(count)), as: UTF8.self) else {
            throw StateError(.invalid, coder.operation, "text is not UTF-8")
        }
        self = text
    }
}

extension Coordinate: StateCodable {
    static var blank: Coordinate { Coordinate(latitudeE7: 0, longitudeE7: 0) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&latitudeE7)
        try coder.code(&longitudeE7)
    }
}

extension Fix: StateCodable {
    static var blank: Fix { Fix(time: .zero, position: .blank) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&time)
        try coder.code(&position)
        try coder.code(&accuracyCentimetres)
        let has = try coder.flags(
            altitudeCentimetres != nil, speedCentimetresPerSecond != nil, courseDegrees != nil)
        try coder.code(&altitudeCentimetres, if: has[0])
        try coder.code(&speedCentimetresPerSecond, if: has[1])
        try coder.code(&courseDegrees, if: has[2])
    }
}
