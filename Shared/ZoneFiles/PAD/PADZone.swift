import Model

/// A zone of a PAD file while its rows are read.
struct PADZone {
    /// The row that begins the zone.
    let start: PADRow
    private var draft: ZoneDraft
    private var size: Int32?
    private var locations: [Int: Coordinate] = [:]
    /// Line of each key that may occur only once.
    private var lines: [PADKey: Int] = [:]

    /// Begins a zone.
    ///
    /// - Parameter number: number of the zone in its file, from 1
    init(number: Int, start: PADRow) {
        self.start = start
        let empty = ZoneShape.polygons([])
        draft = ZoneDraft(name: "Zone \(number)", kind: .alert, shape: empty)
    }

    /// Applies a row. Returns a note if part of it was ignored.
    mutating func apply(_ row: PADRow, as key: PADKey?) throws(FileError) -> FileNote? {
        guard let key else { return try keep(row) }
        if key == .location {
            try readLocation(row)
            return nil
        }
        if let line = lines.updateValue(row.number, forKey: key) {
            throw row.fault(
                .duplicate, "\(row.key) occurs twice, first in line \(line)", "Remove one of them.")
        }
        switch key {
        case .name: if !row.firstValue.isEmpty { draft.name = row.firstValue }
        case .category: draft.category = row.firstValue
        case .soundName: draft.alarm.sound = row.firstValue
        case .active: draft.active = try row.flag() ?? true
        case .vibrate: draft.alarm.vibrates = try row.flag() ?? true
        case .priority: draft.priority = try row.integer() ?? 100
        case .sleepTime: draft.alarm.sleepSeconds = try whole(row, "seconds") ?? 600
        case .alertDistance: draft.alertDistanceMetres = try whole(row, "metres") ?? 0
        case .inset: draft.insetCentimetres = try row.centimetres() ?? 0
        case .size: size = try readSize(row)
        case .start, .end, .location: break
        }
        return row.values.count > 1
            ? FileNote(at: .line(row.number), "values after the first are ignored") : nil
    }

    /// Completes the zone.
    func finish() throws(FileError) -> ZoneDraft {
        var whole = draft
        whole.shape = try shape()
        return whole
    }

    private func shape() throws(FileError) -> ZoneShape {
        let points = locations.sorted { $0.key < $1.key }.map(\.value)
        guard let first = points.first else {
            throw start.fault(
                .missing, "the zone that begins here has no Location",
                "Give one for a circle, two for a corridor, more for a polygon.")
        }
        guard points.count < 3 else { return .polygons([Polygon(outer: points)]) }
        guard let size else {
            throw start.fault(
                .missing, "the zone that begins here has no AlertZoneSize",
                points.count == 1
                    ? "Give the radius of the circle in metres."
                    : "Give half the width of the corridor in metres.")
        }
        return points.count == 1
            ? .circle(center: first, radiusCentimetres: size)
            : .corridor(line: points, halfWidthCentimetres: size)
    }

    private mutating func readLocation(_ row: PADRow) throws(FileError) {
        let form = "Write Location,index,latitude,longitude with decimal points."
        guard row.values.count == 3 else {
            throw row.fault(
                .value, "Location needs three values, this one has \(row.values.count)", form)
        }
        let range = Int(Int32.min)...Int(Int32.max)
        guard let index = UntrustedNumber.integer(row.values[0], in: range) else {
            throw row.fault(.value, "the index of Location is not an integer", form)
        }
        guard let latitude = Decimal.read(row.values[1]),
            let longitude = Decimal.read(row.values[2])
        else { throw row.fault(.value, "the position of Location is not two numbers", form) }
        let position: Coordinate
        do {
            position = try Degrees.position(
                latitude: latitude, longitude: longitude,
                order: "PAD has latitude first, then longitude")
        } catch {
            throw row.fault(.range, error.message, error.hint)
        }
        guard locations.updateValue(position, forKey: index) == nil else {
            throw row.fault(
                .duplicate, "the zone has two Locations with this index",
                "Number them in the order of the outline.")
        }
    }

    private func readSize(_ row: PADRow) throws(FileError) -> Int32? {
        let size = try row.centimetres()
        if let size, size <= 0 {
            throw row.fault(.range, "AlertZoneSize is not greater than 0", "Give metres.")
        }
        return size
    }

    /// Rounds a number up to an integer, so that no distance or duration becomes shorter.
    private func whole(_ row: PADRow, _ unit: String) throws(FileError) -> Int? {
        guard let value = try row.number(unit) else { return nil }
        guard (0...1_000_000_000).contains(value) else {
            throw row.fault(.range, "\(row.key) is negative or too large", "Give \(unit).")
        }
        return Int(nearest: value, .up)
    }

    private mutating func keep(_ row: PADRow) throws(FileError) -> FileNote {
        guard draft.extra.count < ZoneLimits.extraRowsMax,
            row.text.unicodeScalars.count <= ZoneLimits.extraCharactersMax
        else {
            throw row.fault(
                .tooMuch, "the zone has too many or too long rows with unknown keys",
                "Use at most \(ZoneLimits.extraRowsMax) rows of "
                    + "\(ZoneLimits.extraCharactersMax) characters.")
        }
        draft.extra.append(row.text)
        return FileNote(at: .line(row.number), "this key is unknown; the row is kept")
    }
}
