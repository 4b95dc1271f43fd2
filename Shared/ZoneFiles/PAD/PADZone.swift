import Model

/// A zone of a PAD file of which not all rows may have been read.
struct PADZone {
    /// The row that began it.
    let start: PADRow
    private var draft: ZoneDraft
    private var size: Int32?
    private var locations: [Int: Coordinate] = [:]
    /// Line of each key that may be there once.
    private var lines: [PADKey: Int] = [:]

    /// - Parameter number: which one it is in its file, from 1
    init(number: Int, start: PADRow) {
        self.start = start
        let nowhere = ZoneShape.polygons([])
        draft = ZoneDraft(name: "Zone \(number)", kind: .alert, shape: nowhere)
    }

    /// Takes a row; a note where not all of it was.
    mutating func take(_ row: PADRow, as key: PADKey?) throws(FileError) -> FileNote? {
        guard let key else { return try keep(row) }
        if key == .location {
            try takeLocation(row)
            return nil
        }
        if let line = lines.updateValue(row.number, forKey: key) {
            throw row.fault(
                .duplicate, "\(row.key) is there twice, first in line \(line)", "leave one out")
        }
        switch key {
        case .name: if !row.words.isEmpty { draft.name = row.words }
        case .category: draft.category = row.words
        case .soundName: draft.alarm.sound = row.words
        case .active: draft.active = try row.flag() ?? true
        case .vibrate: draft.alarm.vibrates = try row.flag() ?? true
        case .priority: draft.priority = try row.integer() ?? 100
        case .sleepTime: draft.alarm.sleepSeconds = try whole(row, "seconds") ?? 600
        case .alertDistance: draft.alertDistanceMetres = try whole(row, "metres") ?? 0
        case .inset: draft.insetCentimetres = try row.centimetres() ?? 0
        case .size: size = try takeSize(row)
        case .start, .end, .location: break
        }
        return row.values.count > 1
            ? FileNote(at: .line(row.number), "what follows the second comma is left out") : nil
    }

    /// The whole zone.
    func finished() throws(FileError) -> ZoneDraft {
        var whole = draft
        whole.shape = try shape()
        return whole
    }

    private func shape() throws(FileError) -> ZoneShape {
        let points = locations.sorted { $0.key < $1.key }.map(\.value)
        guard let first = points.first else {
            throw start.fault(
                .missing, "the zone that begins here has no Location",
                "give one for a circle, two for a corridor, more for a polygon")
        }
        guard points.count < 3 else { return .polygons([Polygon(outer: points)]) }
        guard let size else {
            throw start.fault(
                .missing, "the zone that begins here has no AlertZoneSize",
                points.count == 1
                    ? "give the radius of the circle in metres"
                    : "give half the width of the corridor in metres")
        }
        return points.count == 1
            ? .circle(center: first, radiusCentimetres: size)
            : .corridor(line: points, halfWidthCentimetres: size)
    }

    private mutating func takeLocation(_ row: PADRow) throws(FileError) {
        let form = "write Location,index,latitude,longitude with decimal points"
        guard row.values.count == 3 else {
            throw row.fault(.value, "Location has three values, this one \(row.values.count)", form)
        }
        let range = Int(Int32.min)...Int(Int32.max)
        guard let index = OutsideNumber.integer(row.values[0], in: range) else {
            throw row.fault(.value, "the index of Location is no whole number", form)
        }
        guard let latitude = Decimal.read(row.values[1]),
            let longitude = Decimal.read(row.values[2])
        else { throw row.fault(.value, "the position of Location is no pair of numbers", form) }
        let position: Coordinate
        do {
            position = try Degrees.position(
                latitude: latitude, longitude: longitude,
                order: "PAD has the latitude first, then the longitude")
        } catch {
            throw row.fault(.range, error.message, error.hint)
        }
        guard locations.updateValue(position, forKey: index) == nil else {
            throw row.fault(
                .duplicate, "the zone has two Locations with this index",
                "number them in the order of the outline")
        }
    }

    private func takeSize(_ row: PADRow) throws(FileError) -> Int32? {
        let size = try row.centimetres()
        if let size, size <= 0 {
            throw row.fault(.range, "AlertZoneSize is not more than 0", "give metres")
        }
        return size
    }

    /// A number that is kept whole: rounded up, so that nothing becomes nearer or shorter.
    private func whole(_ row: PADRow, _ unit: String) throws(FileError) -> Int? {
        guard let value = try row.number(unit) else { return nil }
        guard (0...1_000_000_000).contains(value) else {
            throw row.fault(.range, "\(row.key) is negative or too large", "give \(unit)")
        }
        return Int(nearest: value, .up)
    }

    private mutating func keep(_ row: PADRow) throws(FileError) -> FileNote {
        guard draft.extra.count < FileLimits.extraRowsMax,
            row.text.unicodeScalars.count <= FileLimits.extraCharactersMax
        else {
            throw row.fault(
                .tooMuch, "the zone has too many or too long rows with unknown keys",
                "at most \(FileLimits.extraRowsMax) of \(FileLimits.extraCharactersMax) characters")
        }
        draft.extra.append(row.text)
        return FileNote(at: .line(row.number), "this key is unknown; the row is kept")
    }
}
