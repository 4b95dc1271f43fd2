/// Weekdays as written in files and requests, Monday first.
public enum Weekday: String, CaseIterable, Sendable {
    case mon, tue, wed, thu, fri, sat, sun

    /// 0 = Monday.
    public var index: Int { Weekday.allCases.firstIndex(of: self) ?? 0 }
}

/// Time of day `HH:MM` as minutes since midnight.
public enum MinuteOfDay {
    public static let perDay = 1440

    /// Parses a time of day; nil if it is malformed. `24:00` is the end of a day.
    public static func read(_ text: String, endAllowed: Bool = false) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ (48...57).contains(bytes[$0]) })
        else { return nil }
        let hours = Int(bytes[0] - 48) * 10 + Int(bytes[1] - 48)
        let minutes = Int(bytes[3] - 48) * 10 + Int(bytes[4] - 48)
        let total = hours * 60 + minutes
        return minutes < 60 && total < (endAllowed ? 1441 : 1440) ? total : nil
    }

    public static func text(_ minute: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return two(minute / 60) + ":" + two(minute % 60)
    }
}
