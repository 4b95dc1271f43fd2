import Model

/// Fast output of numbers, times and JSON.
package struct TextBuffer {
    private var bytes: [UInt8] = []
    private var day = Int64.min
    private var dayText: [UInt8] = []

    package init() {}

    /// Removes and returns the written bytes.
    package mutating func popBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    package var count: Int { bytes.count }

    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func append(bytes more: [UInt8]) { bytes += more }

    /// Appends degrees without trailing zeros: −101.68694.
    package mutating func append(degreesE7 value: Int32) { append(Int64(value), decimals: 7) }

    /// Appends metres or metres per second.
    package mutating func append(hundredths value: Int32) { append(Int64(value), decimals: 2) }

    package mutating func append(_ value: Int64) { append(value, decimals: 0) }

    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Appends degrees with a decimal point even for whole numbers.
    package mutating func append(numberE7 value: Int32) {
        append(Int64(value), decimals: 7)
        if value % 10_000_000 == 0 { append(".0") }
    }

    /// Appends hundredths with a decimal point even for whole numbers.
    package mutating func append(numberHundredths value: Int32) {
        append(Int64(value), decimals: 2)
        if value % 100 == 0 { append(".0") }
    }

    /// Appends a JSON string.
    package mutating func append(quoted text: String) {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isPlain else {
            bytes += JSON.string(text).serialized()
            return
        }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a multiple of 10^-decimals without trailing zeros.
    private mutating func append(_ value: Int64, decimals: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var digits: InlineArray<20, UInt8> = .init(repeating: 48)
        var count = 0
        repeat {
            digits[count] = UInt8(48 + rest % 10)
            rest /= 10
            count += 1
        } while rest > 0
        count = max(count, decimals + 1)
        var last = 0
        while last < decimals, digits[last] == 48 { last += 1 }
        for index in stride(from: count - 1, through: last, by: -1) {
            bytes.append(digits[index])
            if index == decimals, index > last { bytes.append(UInt8(ascii: ".")) }
        }
    }

    /// Appends a time as RFC 3339 with milliseconds, without quotes.
    package mutating func append(_ time: Timestamp) {
        let seconds = time.seconds
        let midnight = seconds - ((seconds % 86_400) + 86_400) % 86_400
        if midnight != day {
            day = midnight
            dayText = Array(Timestamp(seconds: midnight).description.utf8.prefix(11))
        }
        bytes.append(contentsOf: dayText)
        let ofDay = seconds - midnight
        append(two: ofDay / 3600)
        bytes.append(UInt8(ascii: ":"))
        append(two: ofDay / 60 % 60)
        bytes.append(UInt8(ascii: ":"))
        append(two: ofDay % 60)
        let milliseconds = time.microseconds.minusBounded(seconds.timesBounded(1_000_000)) / 1000
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(48 + milliseconds / 100))
        append(two: milliseconds % 100)
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func append(two value: Int64) {
        bytes.append(UInt8(48 + value / 10))
        bytes.append(UInt8(48 + value % 10))
    }
}
