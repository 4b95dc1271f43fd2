import Model

/// Reads the waypoints of a GPX file as circles.
///
/// The radius is the waypoint's `Proximity`, an extension of some receivers, or the radius in the
/// options.
enum GPXWaypoints {
    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(FileError) -> ZoneFile {
        let visitor = Visitor(options)
        try XML.read(bytes, GPX.operation, visitor)
        try GPX.requireRoot(visitor.root)
        if visitor.trackPoints > 0 {
            visitor.file.notes.append(
                FileNote("tracks and routes are ignored; only waypoints become zones"))
        }
        return visitor.file
    }

    private final class Visitor: XMLVisitor {
        var file = ZoneFile()
        var root: String?
        var trackPoints = 0
        private let options: ReadingOptions
        private var open: [String] = []
        private var point: (position: Coordinate, line: Int)?
        private var name = ""
        private var category = ""
        private var radius: Int32?

        init(_ options: ReadingOptions) { self.options = options }

        func begin(_ element: XMLStart) throws(FileError) {
            if root == nil { root = element.name }
            open.append(element.name)
            if element.name == "trkpt" || element.name == "rtept" { trackPoints += 1 }
            guard element.name == "wpt" else { return }
            guard file.entries.count < FileLimits.zonesMax else {
                throw GPX.fault(
                    .tooMuch, element.line,
                    "the file has more than \(FileLimits.zonesMax) waypoints",
                    "Split the file.")
            }
            point = (try GPX.position(element), element.line)
            (name, category, radius) = ("", "", nil)
        }

        func end(_ name: String, text: String, line: Int) throws(FileError) {
            open.removeLast()
            guard point != nil else { return }
            switch (name, open.last) {
            case ("name", "wpt"): self.name = text.withoutBlanks
            case ("type", "wpt"): category = text.withoutBlanks
            case ("Proximity", _):
                radius = Decimal.read(text.withoutBlanks).flatMap(Decimal.centimetres)
            case ("wpt", _): try finish()
            default: break
            }
        }

        private func finish() throws(FileError) {
            guard let point else { return }
            self.point = nil
            let own = radius.flatMap { $0 > 0 ? $0 : nil }
            guard let size = own ?? options.pointRadiusCentimetres else {
                throw GPX.fault(
                    .missing, point.line, "a waypoint has no radius",
                    "Give a radius for all waypoints when you import the file.")
            }
            let draft = ZoneDraft(
                name: name.isEmpty ? "Zone \(file.entries.count + 1)" : name, kind: options.kind,
                category: category,
                shape: .circle(center: point.position, radiusCentimetres: size))
            file.entries.append(ZoneFile.Entry(draft, at: .line(point.line)))
        }
    }
}

/// Shared parts of the GPX readers.
enum GPX {
    static let operation = "read GPX"

    static func fault(
        _ code: FileError.Code, _ line: Int, _ message: String, _ hint: String
    ) -> FileError {
        FileError(code, operation, at: .line(line), message, hint: hint)
    }

    static func requireRoot(_ name: String?) throws(FileError) {
        guard name == "gpx" else {
            throw fault(
                .malformed, 1, "the file is XML, but not GPX", "Check that this is the right file.")
        }
    }

    static func position(_ element: XMLStart) throws(FileError) -> Coordinate {
        guard let latitude = element.attributes["lat"].flatMap({ Decimal.read($0.withoutBlanks) }),
            let longitude = element.attributes["lon"].flatMap({ Decimal.read($0.withoutBlanks) })
        else {
            throw fault(
                .value, element.line, "the lat or lon of a point is not a number",
                "Give degrees, such as lat=\"3.139\".")
        }
        do {
            return try Degrees.position(
                latitude: latitude, longitude: longitude, order: "lat goes from -90 to 90")
        } catch {
            throw fault(.range, element.line, error.message, error.hint)
        }
    }
}
