import Model
import ZoneFiles

/// Property of every file reader: a file is rejected with a location inside it and a hint, or
/// the result is within the model's bounds; written files are read back unchanged. Checked by
/// tests and by the fuzzer.
enum RoundTrip {
    /// Format in which bytes are read.
    enum Form: UInt8, CaseIterable { case pad, geojson, gpx, kml, gpxTrack, csvTrack }

    /// Input for the check: the first byte selects the format.
    static func input(_ form: Form, _ text: String) -> [UInt8] { [form.rawValue] + text.utf8 }

    /// Describes a violation; nil if the input is rejected or survives a round trip.
    static func complaint(about input: [UInt8]) -> String? {
        let forms = UInt8(Form.allCases.count)
        guard let first = input.first, let form = Form(rawValue: first % forms) else { return nil }
        let bytes = Array(input.dropFirst())
        switch form {
        case .pad: return complaint(aboutZones: bytes, .pad)
        case .geojson: return complaint(aboutZones: bytes, .geojson)
        case .gpx: return complaint(aboutZones: bytes, .gpx)
        case .kml: return complaint(aboutZones: bytes, .kml)
        case .gpxTrack, .csvTrack: return complaint(aboutTrack: bytes)
        }
    }

    private static func complaint(aboutZones bytes: [UInt8], _ format: FileFormat) -> String? {
        let options = ReadingOptions(pointRadiusCentimetres: 5000)
        let file: ZoneFile
        do throws(FileError) {
            file = try ZoneFile.read(bytes, as: format, options)
        } catch {
            return complaint(about: error, bytes)
        }
        if let draft = file.drafts.first(where: { !isWhole($0) }) { return "\(draft) is not whole" }
        guard let written = ZoneFile.write(file.drafts, as: format) else { return nil }
        guard let again = try? ZoneFile.read(written.bytes, as: format, options) else {
            return "\(file.drafts) is refused when written"
        }
        guard format != .pad || written.notes.isEmpty else {
            return "PAD cannot represent what it contained: \(written.notes)"
        }
        return again.drafts == file.drafts
            ? nil : "\(file.drafts) comes back as \(again.drafts)"
    }

    private static func complaint(aboutTrack bytes: [UInt8]) -> String? {
        do throws(FileError) {
            let track = try Track.read(bytes)
            return track.points.allSatisfy { isOnEarth($0.position) && $0.accuracyCentimetres >= 0 }
                ? nil : "a point of the track is not on earth"
        } catch {
            return complaint(about: error, bytes)
        }
    }

    private static func complaint(about error: FileError, _ bytes: [UInt8]) -> String? {
        if error.message.isEmpty || error.hint.isEmpty { return "\(error) does not help" }
        guard case .line(let line) = error.location else { return nil }
        let ends = bytes.count { $0 == 0x0A || $0 == 0x0D }
        return (1...ends + 1).contains(line) ? nil : "\(error) is of \(ends + 1) lines"
    }

    private static func isWhole(_ draft: ZoneDraft) -> Bool {
        guard !draft.name.isEmpty, draft.name == draft.name.trimmed else { return false }
        switch draft.shape {
        case .circle(let center, let radius): return isOnEarth(center) && radius > 0
        case .corridor(let line, let halfWidth):
            return line.count >= 2 && line.allSatisfy(isOnEarth) && halfWidth > 0
        case .polygons(let polygons):
            return polygons.flatMap { [$0.outer] + $0.holes }.allSatisfy {
                $0.count >= 3 && $0.allSatisfy(isOnEarth)
            }
        }
    }

    private static func isOnEarth(_ position: Coordinate) -> Bool {
        abs(position.latitudeE7) <= 900_000_000 && abs(position.longitudeE7) <= 1_800_000_000
    }
}

extension String {
    /// The text without blanks at both ends.
    fileprivate var trimmed: String {
        var text = unicodeScalars[...]
        while text.first?.properties.isWhitespace == true { text.removeFirst() }
        while text.last?.properties.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
