/// A point in time: microseconds since 1970-01-01T00:00:00Z.
///
/// Clocks return whole milliseconds, so that the text form (RFC 3339 with milliseconds) is
/// lossless. Arithmetic saturates: times come from clients, the wire and files, and must never stop
/// the process.
public struct Timestamp: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }
    public init(milliseconds: Int64) { microseconds = milliseconds.timesBounded(1000) }
    public init(seconds: Int64) { microseconds = seconds.timesBounded(1_000_000) }

    public static let zero = Timestamp(microseconds: 0)
    public static let distantFuture = Timestamp(microseconds: .max / 4)

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { Timestamp.floorDivide(microseconds, 1_000_000) }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(microseconds: left.microseconds.plusBounded(right.microseconds))
    }
    public static func - (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(microseconds: left.microseconds.minusBounded(right.microseconds))
    }
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds.minusBounded(right.microseconds))
    }

    static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// RFC 3339 in UTC with milliseconds, `2026-11-20T10:20:00.123Z`; six digits if the value is
    /// not a whole number of milliseconds.
    public var description: String {
        let second = seconds
        let remainder = microseconds % 1_000_000
        let fraction = remainder < 0 ? remainder + 1_000_000 : remainder
        let day = Timestamp.floorDivide(second, 86_400)
        let ofDay = second - day * 86_400
        let date = CivilDate(daysSinceEpoch: day)
        var text = pad(date.year, 4) + "-" + pad(date.month, 2) + "-" + pad(date.day, 2) + "T"
        text += pad(ofDay / 3600, 2) + ":" + pad(ofDay / 60 % 60, 2) + ":" + pad(ofDay % 60, 2)
        text += "." + (fraction % 1000 == 0 ? pad(fraction / 1000, 3) : pad(fraction, 6)) + "Z"
        return text
    }

    /// Parses RFC 3339: date, `T` or a space, time, an optional fraction (digits after the sixth
    /// are dropped), `Z` or an offset (`+08:00`, `+0800`). Nil for anything else.
    public init?(_ text: some StringProtocol) {
        let found =
            text.utf8.withContiguousStorageIfAvailable { Timestamp(utf8: $0) }
            ?? Array(text.utf8).withUnsafeBufferPointer { Timestamp(utf8: $0) }
        guard let found else { return nil }
        self = found
    }

    /// Parses RFC 3339 in place, without a copy.
    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4), scanner.consume("-"),
            let month = scanner.number(2), scanner.consume("-"), let day = scanner.number(2),
            scanner.consume("T") || scanner.consume("t") || scanner.consume(" "),
            let hour = scanner.number(2), scanner.consume(":"), let minute = scanner.number(2),
            scanner.consume(":"), let second = scanner.number(2),
            (1...12).contains(month), day >= 1, day <= CivilDate.days(in: month, of: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let fraction = scanner.consume(".") ? scanner.fraction() : 0
        guard let fraction, let offset = scanner.offset(), scanner.atEnd else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
        let total = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        microseconds = total * 1_000_000 + fraction
    }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "not a time such as 2026-11-20T10:20:00.000Z"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Int64 {
    /// The sum, clamped to the range of `Int64`.
    @inlinable public func plusBounded(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, clamped to the range of `Int64`.
    @inlinable public func minusBounded(_ other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }

    /// The product, clamped to the range of `Int64`.
    @inlinable public func timesBounded(_ other: Int64) -> Int64 {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Duration {
    /// Whole microseconds, rounded towards zero.
    public var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 { microseconds / 1000 }
}

private func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Scans digits, signs and separators of a date from left to right.
private struct DigitScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var atEnd: Bool { index == bytes.count }

    mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func number(_ width: Int) -> Int64? {
        guard index + width <= bytes.count else { return nil }
        var value: Int64 = 0
        for index in index..<index + width {
            let byte = bytes[index]
            guard byte >= 48, byte <= 57 else { return nil }
            value = value * 10 + Int64(byte - 48)
        }
        index += width
        return value
    }

    /// Microseconds from the digits after the decimal point; nil without a digit.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while let digit = number(1) {
            if digits < 6 { value = value * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in 0..<max(0, 6 - digits) { value *= 10 }
        return value
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int64? {
        if consume("Z") || consume("z") { return 0 }
        let sign: Int64
        if consume("+") { sign = 1 } else if consume("-") { sign = -1 } else { return nil }
        guard let hours = number(2) else { return nil }
        _ = consume(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
