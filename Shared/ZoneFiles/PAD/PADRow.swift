import Model

/// The keys of a PAD file.
enum PADKey: String, CaseIterable {
    case start = "AlertZoneStart"
    case end = "AlertZoneEnd"
    case name = "AlertZoneName"
    case category = "AlertZoneCategory"
    case active = "AlertZoneActive"
    case vibrate = "AlertZoneVibrate"
    case priority = "AlertZonePriority"
    case sleepTime = "AlertZoneSleepTime"
    case size = "AlertZoneSize"
    case inset = "AlertZoneInset"
    case alertDistance = "AlertDistance"
    case soundName = "AlertZoneSoundName"
    case location = "Location"
}

/// A line of a PAD file: a key, a comma, values.
struct PADRow {
    static let operation = "read PAD"

    /// From 1.
    let number: Int
    let key: String
    /// Without blanks around them and without empty ones at the end.
    let values: [String]

    /// Nil for a line with nothing but commas and blanks.
    init?(_ line: ArraySlice<UInt8>, number: Int) throws(FileError) {
        var cells = FileText.cells(line)
        while cells.last == "" { cells.removeLast() }
        guard !cells.isEmpty else { return nil }
        self.number = number
        key = cells.removeFirst()
        values = cells.map { String($0.map { $0 == "\t" ? " " : $0 }) }
        if key.hasControlCharacter || values.contains(where: \.hasControlCharacter) {
            throw fault(
                .malformed, "there is a control character here",
                "remove it; a file in UTF-16 begins with a byte order mark")
        }
    }

    /// The row as it is written back.
    var text: String { ([key] + values).joined(separator: ",") }

    func fault(_ code: FileError.Code, _ message: String, _ hint: String) -> FileError {
        FileError(code, PADRow.operation, at: .line(number), message, hint: hint)
    }

    /// The text of the row; empty where there is none.
    var words: String { values.first ?? "" }

    /// A number of metres or seconds; nil where the value is empty.
    func number(_ unit: String) throws(FileError) -> Double? {
        try refuseMore(than: 1)
        guard let text = values.first else { return nil }
        guard let value = Decimal.read(text) else {
            throw fault(.value, "\(key) is no number", "give \(unit), such as 60 or 60.5")
        }
        return value
    }

    /// A number of metres in centimetres; nil where the value is empty.
    func centimetres() throws(FileError) -> Int32? {
        guard let metres = try number("metres") else { return nil }
        guard let value = Decimal.centimetres(metres) else {
            throw fault(.range, "\(key) is more than fits on earth", "give metres")
        }
        return value
    }

    /// A whole number; nil where the value is empty.
    func integer() throws(FileError) -> Int? {
        try refuseMore(than: 1)
        guard let text = values.first else { return nil }
        let range = Int(Int32.min)...Int(Int32.max)
        guard let value = OutsideNumber.integer(text, in: range) else {
            throw fault(.value, "\(key) is no whole number", "give one such as 100")
        }
        return value
    }

    /// 0 or 1; nil where the value is empty.
    func flag() throws(FileError) -> Bool? {
        try refuseMore(than: 1)
        switch values.first {
        case nil: return nil
        case "0": return false
        case "1": return true
        default: throw fault(.value, "\(key) is neither 0 nor 1", "give 0 or 1")
        }
    }

    /// A decimal comma would make two values of one number.
    func refuseMore(than count: Int) throws(FileError) {
        guard values.count > count else { return }
        throw fault(
            .value, "\(key) has more values than it takes",
            "use a decimal point: a comma always separates")
    }
}
