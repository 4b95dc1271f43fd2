import Model

/// Reads the placemarks of a KML file.
///
/// A Polygon, or a MultiGeometry of polygons, becomes a zone. A Point becomes a circle if the
/// options have a radius. Other placemarks are ignored and reported in a note.
enum KMLReader {
    static let operation = "read KML"

    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(FileError) -> ZoneFile {
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw FileError(
                .unsupported, operation, "this is KMZ, a packed KML",
                hint: "Unpack it and use the file doc.kml.")
        }
        let visitor = KMLVisitor(options)
        try XML.read(bytes, operation, visitor)
        guard visitor.root == "kml" else {
            throw fault(
                .malformed, 1, "the file is XML, but not KML", "Check that this is the right file.")
        }
        return visitor.file
    }

    static func fault(
        _ code: FileError.Code, _ line: Int, _ message: String, _ hint: String
    ) -> FileError {
        FileError(code, operation, at: .line(line), message, hint: hint)
    }

    /// Reads tuples of `longitude,latitude[,altitude]`, separated by blanks.
    static func coordinates(_ text: String, line: Int) throws(FileError) -> [Coordinate] {
        var points: [Coordinate] = []
        for tuple in text.utf8.split(whereSeparator: { $0 == 32 || (9...13).contains($0) }) {
            let parts = tuple.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            let numbers = parts.prefix(2).compactMap {
                Decimal.read(String(decoding: $0, as: UTF8.self))
            }
            guard (2...3).contains(parts.count), numbers.count == 2 else {
                throw fault(
                    .value, line, "point \(points.count + 1) of the coordinates is not a position",
                    "Write longitude,latitude,altitude without blanks.")
            }
            do {
                points.append(
                    try Degrees.position(
                        latitude: numbers[1], longitude: numbers[0],
                        order: "KML has longitude first, then latitude"))
            } catch {
                throw fault(
                    .range, line, "point \(points.count + 1) of the coordinates: \(error.message)",
                    error.hint)
            }
        }
        return points
    }
}

private final class KMLVisitor: XMLVisitor {
    /// A Placemark while it is read.
    private struct Placemark {
        var line: Int
        var name = ""
        var polygons: [Polygon] = []
        var points: [Coordinate] = []
        /// Whether the placemark contains an unsupported geometry.
        var hasOther = false
    }

    var file = ZoneFile()
    var root: String?
    private let options: ReadingOptions
    private var open: [String] = []
    private var placemark: Placemark?
    private var outer: [Coordinate]?
    private var holes: [[Coordinate]] = []
    private var textLine = 1

    init(_ options: ReadingOptions) { self.options = options }

    func begin(_ element: XMLStart) throws(FileError) {
        if root == nil { root = element.name }
        open.append(element.name)
        textLine = element.line
        switch element.name {
        case "Placemark": placemark = Placemark(line: element.line)
        case "Polygon": (outer, holes) = (nil, [])
        case "LineString", "Track", "MultiTrack", "Model": placemark?.hasOther = true
        default: break
        }
    }

    func end(_ name: String, text: String, line: Int) throws(FileError) {
        open.removeLast()
        guard placemark != nil else { return }
        switch name {
        case "name" where open.last == "Placemark": placemark?.name = text.withoutBlanks
        case "coordinates": try readCoordinates(text)
        case "Polygon":
            guard let outer else {
                throw KMLReader.fault(
                    .missing, line, "the polygon that ends here has no outer boundary",
                    "Add outerBoundaryIs, LinearRing and coordinates.")
            }
            placemark?.polygons.append(Polygon(outer: outer, holes: holes))
        case "Placemark": try finish()
        default: break
        }
    }

    private func readCoordinates(_ text: String) throws(FileError) {
        switch open.suffix(2) {
        case ["outerBoundaryIs", "LinearRing"]:
            guard outer == nil else {
                throw KMLReader.fault(
                    .duplicate, textLine, "the polygon has two outer boundaries",
                    "Make a MultiGeometry of two polygons.")
            }
            outer = try ring(text)
        case ["innerBoundaryIs", "LinearRing"]: holes.append(try ring(text))
        case let path where path.last == "Point":
            placemark?.points += try KMLReader.coordinates(text, line: textLine)
        default: placemark?.hasOther = true
        }
    }

    private func ring(_ text: String) throws(FileError) -> [Coordinate] {
        let points = try KMLReader.coordinates(text, line: textLine)
        guard points.count >= 4 else {
            throw KMLReader.fault(
                .value, textLine, "a ring needs at least four points, this one has \(points.count)",
                "Give three different points and repeat the first.")
        }
        guard points.first == points.last else {
            throw KMLReader.fault(
                .value, textLine, "the ring is not closed", "End it with its first point.")
        }
        return points.dropLast()
    }

    private func finish() throws(FileError) {
        guard let found = placemark else { return }
        placemark = nil
        var shapes: [ZoneShape] = found.polygons.isEmpty ? [] : [.polygons(found.polygons)]
        if let radius = options.pointRadiusCentimetres {
            shapes += found.points.map { .circle(center: $0, radiusCentimetres: radius) }
        }
        if shapes.isEmpty || found.hasOther {
            file.notes.append(
                FileNote(
                    at: .line(found.line),
                    shapes.isEmpty
                        ? "this placemark has no polygon and is ignored"
                        : "other geometries than polygons in this placemark are ignored"))
        }
        for shape in shapes {
            guard file.entries.count < FileLimits.zonesMax else {
                throw KMLReader.fault(
                    .tooMuch, found.line, "the file has more than \(FileLimits.zonesMax) zones",
                    "Split the file.")
            }
            let name = found.name.isEmpty ? "Zone \(file.entries.count + 1)" : found.name
            let draft = ZoneDraft(name: name, kind: options.kind, shape: shape)
            file.entries.append(ZoneFile.Entry(draft, at: .line(found.line)))
        }
    }
}
