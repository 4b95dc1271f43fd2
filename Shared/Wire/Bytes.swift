import Model

/// Writes numbers in little-endian byte order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ id: ID128) { id.appendBytes(to: &bytes) }

    mutating func put(_ more: [UInt8]) { bytes += more }

    /// Writes a length byte and at most 255 bytes of text; longer text is cut between characters.
    mutating func put(short text: String) {
        if text.utf8.count <= 255 {
            bytes.append(UInt8(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
            return
        }
        var end = text.utf8.index(text.startIndex, offsetBy: 255, limitedBy: text.endIndex)
        while let place = end, place.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: place)
        }
        let content = text.utf8[..<(end ?? text.endIndex)]
        bytes.append(UInt8(content.count))
        bytes += content
    }
}

/// Reads numbers in little-endian byte order; throws at the end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var index = 0
    let operation: String

    init(_ bytes: [UInt8], operation: String) {
        self.bytes = bytes
        self.operation = operation
    }

    var remaining: Int { bytes.count - index }

    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(WireError) -> Number {
        let size = MemoryLayout<Number>.size
        try require(size)
        let value = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: index, as: Number.self)
        }
        index += size
        return Number(littleEndian: value)
    }

    mutating func id() throws(WireError) -> ID128 {
        let high = try number(UInt64.self).byteSwapped
        let low = try number(UInt64.self).byteSwapped
        return ID128(high: high, low: low)
    }

    /// Reads a time in a range in which the difference of any two times is representable.
    mutating func time() throws(WireError) -> Timestamp {
        let microseconds = try number(Int64.self)
        let farthest = Timestamp.distantFuture.microseconds
        guard (-farthest...farthest).contains(microseconds) else {
            throw WireError(.payload, operation, "time \(microseconds) µs is out of range")
        }
        return Timestamp(microseconds: microseconds)
    }

    mutating func bytes(_ count: Int) throws(WireError) -> [UInt8] {
        try require(count)
        defer { index += count }
        return Array(bytes[index..<index + count])
    }

    mutating func shortText() throws(WireError) -> String {
        let count = try number(UInt8.self)
        guard let text = String(validating: try bytes(Int(count)), as: UTF8.self) else {
            throw WireError(.payload, operation, "text is not UTF-8")
        }
        return text
    }

    /// Throws if bytes remain.
    func finish() throws(WireError) {
        guard remaining == 0 else {
            throw WireError(.truncated, operation, "\(remaining) excess bytes")
        }
    }

    private func require(_ count: Int) throws(WireError) {
        guard count <= remaining else {
            throw WireError(.truncated, operation, "\(count - remaining) bytes missing")
        }
    }
}
