/// Reads PAD ("Proximity Alarm Data"): rows of a key and values, zone after zone.
///
///     AlertZoneStart,,,
///     AlertZoneName,A name,,
///     AlertZoneSize,60.0,,
///     Location,1,10.5,123.4
///     AlertZoneEnd,,,
enum PADReader {
    static func read(_ bytes: [UInt8]) throws(FileError) -> ZoneFile {
        let text = try FileText.utf8(bytes, PADRow.operation)
        var file = ZoneFile()
        var zone: PADZone?
        for (index, line) in FileText.lines(text).enumerated() {
            guard let row = try PADRow(line, number: index + 1) else { continue }
            let key = PADKey(rawValue: row.key)
            guard var open = zone else {
                zone = try begin(row, key, after: file.entries.count)
                continue
            }
            switch key {
            case .start:
                throw row.fault(
                    .misplaced,
                    "a zone begins inside the zone of line "
                        + "\(open.start.number)", "End that zone with AlertZoneEnd.")
            case .end:
                file.entries.append(
                    ZoneFile.Entry(try open.finish(), at: .line(open.start.number)))
                zone = nil
            default:
                if let note = try open.apply(row, as: key) { file.notes.append(note) }
                zone = open
            }
        }
        if let zone {
            throw zone.start.fault(
                .missing, "the zone that begins here is not ended",
                "End it with AlertZoneEnd. Check that the file is complete.")
        }
        return file
    }

    /// Begins a zone. No other row is allowed between zones.
    private static func begin(
        _ row: PADRow, _ key: PADKey?, after count: Int
    ) throws(FileError) -> PADZone {
        guard key == .start else {
            throw row.fault(
                .misplaced, "this row is outside a zone",
                "Put it between AlertZoneStart and AlertZoneEnd.")
        }
        guard count < FileLimits.zonesMax else {
            throw row.fault(
                .tooMuch, "the file has more than \(FileLimits.zonesMax) zones", "Split the file.")
        }
        return PADZone(number: count + 1, start: row)
    }
}
