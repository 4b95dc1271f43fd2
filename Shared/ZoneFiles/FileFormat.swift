import Model

/// The kinds of files that zones come in.
public enum FileFormat: String, Sendable, CaseIterable {
    case geojson, pad, gpx, kml

    public static let written: [FileFormat] = [.geojson, .pad]

    /// As it calls itself.
    public var name: String {
        switch self {
        case .geojson: "GeoJSON"
        case .pad: "PAD"
        case .gpx: "GPX"
        case .kml: "KML"
        }
    }

    public var mediaType: String {
        switch self {
        case .geojson: "application/geo+json"
        case .pad: "text/csv; charset=utf-8"
        case .gpx: "application/gpx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        }
    }

    /// By the end of a file's name: `.json` is GeoJSON, too. Nil for one of no known format.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        let end = fileName[fileName.index(after: dot)...].lowercased()
        guard let format = FileFormat(rawValue: end == "json" ? "geojson" : end) else { return nil }
        self = format
    }
}

/// What a file's reader is told beside the file.
public struct ReadingOptions: Hashable, Sendable {
    /// Radius for points that tell none, centimetres; nil refuses them.
    public var pointRadiusCentimetres: Int32?
    /// Kind of zones whose file tells none. Those of a PAD file are alert zones always.
    public var kind: ZoneKind

    public init(pointRadiusCentimetres: Int32? = nil, kind: ZoneKind = .safe) {
        self.pointRadiusCentimetres = pointRadiusCentimetres
        self.kind = kind
    }
}

/// What a file holds.
public struct ZoneFile: Hashable, Sendable {
    /// A draft and where it begins.
    public struct Entry: Hashable, Sendable {
        public var draft: ZoneDraft
        public var place: FilePlace

        public init(_ draft: ZoneDraft, at place: FilePlace) {
            self.draft = draft
            self.place = place
        }
    }

    /// In the order of the file.
    public var entries: [Entry]
    public var notes: [FileNote]

    public init(entries: [Entry] = [], notes: [FileNote] = []) {
        self.entries = entries
        self.notes = notes
    }

    public var drafts: [ZoneDraft] { entries.map(\.draft) }

    /// Reads a file of zones: all of it, or nothing.
    public static func read(
        _ bytes: [UInt8], as format: FileFormat, _ options: ReadingOptions = ReadingOptions()
    ) throws(FileError) -> ZoneFile {
        guard bytes.count <= FileLimits.bytesMax else {
            throw FileError(
                .tooMuch, "read \(format.name)",
                "the file is larger than \(FileLimits.bytesMax >> 20) MiB", hint: "split it")
        }
        var file =
            switch format {
            case .pad: try PADReader.read(bytes)
            case .geojson: try GeoJSONReader.read(bytes, options)
            case .gpx: try GPXWaypoints.read(bytes, options)
            case .kml: try KMLReader.read(bytes, options)
            }
        if file.notes.count > FileLimits.notesMax {
            let more = file.notes.count - FileLimits.notesMax
            file.notes.removeLast(more)
            file.notes.append(FileNote("and \(more) notes more"))
        }
        return file
    }

    /// Writes zones: the bytes, and what the format could not tell of them. Nil for a format that
    /// Jaga only reads.
    public static func write(
        _ drafts: [ZoneDraft], as format: FileFormat
    ) -> (bytes: [UInt8], notes: [FileNote])? {
        switch format {
        case .pad: PADWriter.write(drafts)
        case .geojson: (GeoJSONWriter.write(drafts), [])
        case .gpx, .kml: nil
        }
    }
}
