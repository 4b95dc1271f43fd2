import Model

/// Encodes a state: numbers are little endian, ids most significant byte first.
struct StateWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    mutating func put<Kind>(_ id: Identifier<Kind>) { id.raw.appendBytes(to: &bytes) }

    mutating func put(_ time: Timestamp) { put(time.microseconds) }

    /// Writes a four-byte count, then the elements.
    mutating func put<Element>(
        list: [Element], _ element: (inout StateWriter, Element) -> Void
    ) {
        put(UInt32(list.count))
        for value in list { element(&self, value) }
    }

    mutating func put(_ text: String) {
        put(UInt32(text.utf8.count))
        bytes += text.utf8
    }
}

/// Decodes a state and rejects reads beyond its end.
struct StateReader {
    private let bytes: [UInt8]
    private var index = 0
    /// What is being read, for errors.
    var operation = "state"

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(StateError) -> Number {
        let size = Number.bitWidth / 8
        try require(size)
        var value: Number = 0
        for offset in 0..<size {
            value |= Number(truncatingIfNeeded: bytes[index + offset]) << (8 * offset)
        }
        index += size
        return value
    }

    mutating func id<Kind>(
        _ type: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(StateError) -> Identifier<Kind> {
        let high = try number(UInt64.self).byteSwapped
        let low = try number(UInt64.self).byteSwapped
        return Identifier(ID128(high: high, low: low))
    }

    mutating func time() throws(StateError) -> Timestamp {
        let microseconds = try number(Int64.self)
        let limit = Timestamp.distantFuture.microseconds
        guard (-limit...limit).contains(microseconds) else { throw invalid("time is out of range") }
        return Timestamp(microseconds: microseconds)
    }

    /// Reads a count of elements. A count that exceeds the remaining bytes is rejected before
    /// memory is allocated.
    ///
    /// - Parameter bytesMin: minimum size of an element.
    mutating func count(bytesMin: Int) throws(StateError) -> Int {
        let count = Int(try number(UInt32.self))
        try require(count * bytesMin)
        return count
    }

    mutating func text() throws(StateError) -> String {
        let count = try count(bytesMin: 1)
        defer { index += count }
        guard let text = String(validating: bytes[index..<index + count], as: UTF8.self) else {
            throw invalid("text is not UTF-8")
        }
        return text
    }

    /// Reads a byte of which only the lowest `width` bits may be set.
    mutating func flags(_ width: Int) throws(StateError) -> UInt8 {
        let flags = try number(UInt8.self)
        guard flags >> UInt8(width) == 0 else { throw invalid("unknown flag") }
        return flags
    }

    func invalid(_ message: String) -> StateError { StateError(.invalid, operation, message) }

    private func require(_ count: Int) throws(StateError) {
        guard count <= bytes.count - index else {
            throw StateError(.truncated, operation, "\(count - (bytes.count - index)) bytes short")
        }
    }
}
