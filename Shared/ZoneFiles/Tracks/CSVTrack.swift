import Model

/// Reads the points of a CSV file with a header line.
///
/// Columns are `lat`, `lon`, a time (RFC 3339, `2008-10-23 05:53:05` in UTC, or seconds or
/// milliseconds since 1970), `accuracy` and `altitude` in metres, `speed` in metres per second,
/// `course` in degrees, and `uid`. Separators are commas, semicolons or tabs. Other columns are
/// ignored.
enum CSVTrack {
    static let operation = "read CSV"

    static func read(_ bytes: [UInt8]) throws(FileError) -> Track {
        let lines = FileText.lines(try FileText.utf8(bytes, operation))
        guard let head = lines.firstIndex(where: { !$0.allSatisfy { $0 == 32 || $0 == 9 } }) else {
            throw FileError(.missing, operation, "the file is empty", hint: CSVColumns.hint)
        }
        let columns = try CSVColumns(lines[head], line: head + 1)
        var points: [TrackPoint] = []
        for index in lines.indices.dropFirst(head + 1) {
            guard let point = try columns.point(lines[index], line: index + 1) else { continue }
            guard points.count < TrackLimits.pointsMax else {
                throw fault(
                    .tooMuch, index + 1, "the file has more than \(TrackLimits.pointsMax) points",
                    "Split the file.")
            }
            points.append(point)
        }
        return Track(points: points)
    }

    static func fault(
        _ code: FileError.Code, _ line: Int, _ message: String, _ hint: String
    ) -> FileError {
        FileError(code, operation, at: .line(line), message, hint: hint)
    }
}

/// Maps the columns of a CSV file to fields.
private struct CSVColumns {
    static let hint = "Name the columns in the first line, such as lat,lon,time,accuracy."

    private let separator: UInt8
    private let latitude: Int
    private let longitude: Int
    private let time: Int?
    private let accuracy: Int?
    private let altitude: Int?
    private let speed: Int?
    private let course: Int?
    private let owner: Int?

    init(_ head: ArraySlice<UInt8>, line: Int) throws(FileError) {
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let found = candidates.first(where: head.contains) ?? UInt8(ascii: ",")
        separator = found
        let names = FileText.cells(head, separator: found).map { CSVColumns.bare($0).lowercased() }
        func column(_ known: String...) throws(FileError) -> Int? {
            let matches = names.indices.filter { known.contains(names[$0]) }
            guard matches.count < 2 else {
                throw CSVTrack.fault(
                    .duplicate, line, "two columns are named \(known[0])", "Rename one of them.")
            }
            return matches.first
        }
        guard let latitude = try column("lat", "latitude"),
            let longitude = try column("lon", "lng", "long", "longitude")
        else {
            throw CSVTrack.fault(
                .missing, line, "the columns lat and lon are missing", CSVColumns.hint)
        }
        self.latitude = latitude
        self.longitude = longitude
        time = try column("time", "timestamp", "datetime")
        accuracy = try column("accuracy", "acc")
        altitude = try column("altitude", "alt", "ele", "elevation")
        speed = try column("speed")
        course = try column("course", "bearing", "heading")
        owner = try column("uid", "user")
    }

    /// Returns nil for an empty line.
    func point(_ bytes: ArraySlice<UInt8>, line: Int) throws(FileError) -> TrackPoint? {
        let cells = FileText.cells(bytes, separator: separator)
        guard cells.contains(where: { !$0.isEmpty }) else { return nil }
        func cell(_ column: Int?) -> String? {
            guard let column, cells.indices.contains(column) else { return nil }
            let text = CSVColumns.bare(cells[column])
            return text.isEmpty ? nil : text
        }
        func number(_ column: Int?, _ name: String) throws(FileError) -> Double? {
            guard let text = cell(column) else { return nil }
            guard let value = Decimal.read(text) else {
                throw CSVTrack.fault(
                    .value, line, "the \(name) is not a number", "Use a decimal point.")
            }
            return value
        }
        guard let north = try number(latitude, "latitude"),
            let east = try number(longitude, "longitude")
        else {
            throw CSVTrack.fault(
                .missing, line, "the latitude or longitude is missing",
                "Give both, or remove the line.")
        }
        var point: TrackPoint
        do {
            point = TrackPoint(
                position: try Degrees.position(
                    latitude: north, longitude: east,
                    order: "the first line names lat and lon"))
        } catch {
            throw CSVTrack.fault(.range, line, error.message, error.hint)
        }
        point.time = try cell(time).map { (text) throws(FileError) in
            try CSVColumns.time(text, line: line)
        }
        point.accuracyCentimetres = OptionalValue.accuracy(try number(accuracy, "accuracy"))
        point.altitudeCentimetres = OptionalValue.altitude(try number(altitude, "altitude"))
        point.speedCentimetresPerSecond = OptionalValue.speed(try number(speed, "speed"))
        point.courseDegrees = OptionalValue.course(try number(course, "course"))
        point.owner = cell(owner) ?? ""
        return point
    }

    /// A cell without enclosing quotation marks.
    private static func bare(_ cell: String) -> String {
        guard cell.utf8.count >= 2, cell.hasPrefix("\""), cell.hasSuffix("\"") else { return cell }
        return String(cell.dropFirst().dropLast()).withoutBlanks
    }

    private static func time(_ text: String, line: Int) throws(FileError) -> Timestamp {
        if let time = Timestamp(text) ?? Timestamp(text + "Z") { return time }
        // Numbers from 10¹¹ on are milliseconds; as seconds they would be after the year 5000.
        if let number = Decimal.read(text), abs(number) < 1e14 {
            let milliseconds = abs(number) < 1e11 ? number * 1000 : number
            return Timestamp(milliseconds: Int64(nearest: milliseconds))
        }
        throw CSVTrack.fault(
            .value, line, "the time is malformed",
            "Write 2026-11-20T10:20:00Z, 2026-11-20 10:20:00 (UTC), or seconds since 1970.")
    }
}
