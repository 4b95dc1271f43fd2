import Model

/// Keys of a PAD file.
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

/// A row of a PAD file: a key followed by values, separated by commas.
struct PADRow {
    static let operation = "read PAD"

    /// Line number, starting at 1.
    let number: Int
    let key: String
    /// Values without surrounding blanks and without trailing empty values.
    let values: [String]

    /// Returns nil for a line with only commas and blanks.
    init?(_ line: ArraySlice<UInt8>, number: Int) throws(FileError) {
        var cells = FileText.cells(line)
        while cells.last == "" { cells.removeLast() }
        guard !cells.isEmpty else { return nil }
        self.number = number
        key = cells.removeFirst()
        values = cells.map { String($0.map { $0 == "\t" ? " " : $0 }) }
        if key.hasControlCharacter || values.contains(where: \.hasControlCharacter) {
            throw fault(
                .malformed, "the row contains a control character",
                "Remove it. A UTF-16 file needs a byte order mark.")
        }
    }

    /// The row as text, to be written back.
    var text: String { ([key] + values).joined(separator: ",") }

    func fault(_ code: FileError.Code, _ message: String, _ hint: String) -> FileError {
        FileError(code, PADRow.operation, at: .line(number), message, hint: hint)
    }

    /// The first value, or an empty text.
    var firstValue: String { values.first ?? "" }

    /// A number of metres or seconds; nil if the value is empty.
    func number(_ unit: String) throws(FileError) -> Double? {
        try rejectMore(than: 1)
        guard let text = values.first else { return nil }
        guard let value = Decimal.read(text) else {
            throw fault(.value, "\(key) is not a number", "Give \(unit), such as 60 or 60.5.")
        }
        return value
    }

    /// A number of metres, converted to centimetres; nil if the value is empty.
    func centimetres() throws(FileError) -> Int32? {
        guard let metres = try number("metres") else { return nil }
        guard let value = Decimal.centimetres(metres) else {
            throw fault(.range, "\(key) exceeds 20,000 km", "Give metres.")
        }
        return value
    }

    /// An integer; nil if the value is empty.
    func integer() throws(FileError) -> Int? {
        try rejectMore(than: 1)
        guard let text = values.first else { return nil }
        let range = Int(Int32.min)...Int(Int32.max)
        guard let value = UntrustedNumber.integer(text, in: range) else {
            throw fault(.value, "\(key) is not an integer", "Give an integer such as 100.")
        }
        return value
    }

    /// 0 or 1; nil if the value is empty.
    func flag() throws(FileError) -> Bool? {
        try rejectMore(than: 1)
        switch values.first {
        case nil: return nil
        case "0": return false
        case "1": return true
        default: throw fault(.value, "\(key) is neither 0 nor 1", "Use 0 or 1.")
        }
    }

    /// Rejects further values: a decimal comma would split one number into two values.
    func rejectMore(than count: Int) throws(FileError) {
        guard values.count > count else { return }
        throw fault(
            .value, "\(key) has too many values",
            "Use a decimal point; a comma separates values.")
    }
}
