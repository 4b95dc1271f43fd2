import Model

/// A POSIX `TZ` rule with the hours of RFC 9636, as in the last line of a TZif file:
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixTimeRule: Hashable, Sendable {
    /// A day of each year and a local time, in seconds after midnight.
    private struct Moment: Hashable, Sendable {
        enum Day: Hashable, Sendable {
            /// The `week`th `weekday` (0 = Sunday) of a month; week 5 is the last one.
            case weekday(month: Int64, week: Int64, weekday: Int64)
            /// 1 to 365; 29 February is not counted.
            case withoutLeap(Int64)
            /// 0 to 365.
            case ofYear(Int64)
        }

        var day: Day
        var seconds: Int64

        /// Seconds since 1970 in local time.
        func local(in year: Int64) -> Int64 {
            let newYear = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
            let days: Int64
            switch day {
            case .ofYear(let number): days = newYear + number
            case .withoutLeap(let number):
                let isLeap = CivilDate.days(in: 2, of: year) == 29
                days = newYear + number - 1 + (isLeap && number > 59 ? 1 : 0)
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1).daysSinceEpoch
                // 1970-01-01 was a Thursday.
                let ahead = (weekday - (first + 4) % 7 + 14) % 7
                let inMonth = min(
                    ahead + 7 * (week - 1),
                    ahead + (CivilDate.days(in: month, of: year) - 1 - ahead) / 7 * 7)
                days = first + inMonth
            }
            return days * 86_400 + seconds
        }
    }

    private struct Summer: Hashable, Sendable {
        var offset: Int32
        var start: Moment
        var end: Moment
    }

    private var standard: Int32
    private var summer: Summer?

    /// Returns nil if the text is not a rule.
    init?(_ text: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(text)[...])
        guard scanner.skipName(), let west = scanner.time(hoursMax: 24) else { return nil }
        standard = Int32(-west)
        if scanner.bytes.isEmpty { return }
        guard scanner.skipName() else { return nil }
        var offset = standard + 3600
        if scanner.bytes.first != UInt8(ascii: ",") {
            guard let west = scanner.time(hoursMax: 24) else { return nil }
            offset = Int32(-west)
        }
        guard scanner.skip(","), let start = PosixTimeRule.moment(&scanner), scanner.skip(","),
            let end = PosixTimeRule.moment(&scanner), scanner.bytes.isEmpty
        else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// Seconds east of Greenwich at a time in seconds since 1970.
    func offset(at second: Int64) -> Int32 {
        guard summer != nil else { return standard }
        let year = PosixTimeRule.year(of: second)
        return transitions(from: year - 1, to: year + 1).last { $0.at <= second }?.offset
            ?? standard
    }

    /// The transitions within a range of seconds since 1970, ascending.
    func transitions(in span: ClosedRange<Int64>) -> [ZoneOffset] {
        transitions(
            from: PosixTimeRule.year(of: span.lowerBound) - 1,
            to: PosixTimeRule.year(of: span.upperBound) + 1
        ).filter { span.contains($0.at) }
    }

    /// If one year's summer ends when the next begins, the end comes first.
    private func transitions(from first: Int64, to last: Int64) -> [ZoneOffset] {
        guard let summer else { return [] }
        var all: [ZoneOffset] = []
        for year in first...last {
            let start = summer.start.local(in: year) - Int64(standard)
            let end = summer.end.local(in: year) - Int64(summer.offset)
            let steps = [
                ZoneOffset(at: start, offset: summer.offset),
                ZoneOffset(at: end, offset: standard),
            ]
            all += start <= end ? steps : steps.reversed()
        }
        return all
    }

    private static func year(of second: Int64) -> Int64 {
        let intoDay = (second % 86_400 + 86_400) % 86_400
        return CivilDate(daysSinceEpoch: (second - intoDay) / 86_400).year
    }

    private static func moment(_ scanner: inout Scanner) -> Moment? {
        guard let day = day(&scanner) else { return nil }
        guard scanner.skip("/") else { return Moment(day: day, seconds: 7200) }
        return scanner.time(hoursMax: 167).map { Moment(day: day, seconds: $0) }
    }

    private static func day(_ scanner: inout Scanner) -> Moment.Day? {
        if scanner.skip("M") {
            guard let month = scanner.number(1...12), scanner.skip("."),
                let week = scanner.number(1...5), scanner.skip("."),
                let weekday = scanner.number(0...6)
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday)
        }
        if scanner.skip("J") { return scanner.number(1...365).map { .withoutLeap($0) } }
        return scanner.number(0...365).map { .ofYear($0) }
    }
}

extension PosixTimeRule {
    /// Parses from the left.
    private struct Scanner {
        var bytes: ArraySlice<UInt8>

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard bytes.first == UInt8(ascii: character) else { return false }
            bytes.removeFirst()
            return true
        }

        /// Three letters or more, or any text in angle brackets.
        mutating func skipName() -> Bool {
            if skip("<") {
                guard let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return false }
                bytes = bytes[(end + 1)...]
                return true
            }
            let letters = bytes.prefix { (65...90).contains($0) || (97...122).contains($0) }
            bytes = bytes[letters.endIndex...]
            return letters.count >= 3
        }

        mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
            let digits = bytes.prefix { (48...57).contains($0) }
            guard (1...3).contains(digits.count) else { return nil }
            bytes = bytes[digits.endIndex...]
            let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
            return range.contains(value) ? value : nil
        }

        /// `[+-]h[:m[:s]]` in seconds.
        mutating func time(hoursMax: Int64) -> Int64? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard var seconds = number(0...hoursMax).map({ $0 * 3600 }) else { return nil }
            for unit in [Int64(60), 1] where skip(":") {
                guard let part = number(0...59) else { return nil }
                seconds += part * unit
            }
            return isNegative ? -seconds : seconds
        }
    }
}
