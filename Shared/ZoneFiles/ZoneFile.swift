import Model
import Parsing

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
        /// What GeoJSON tells beyond the draft, as the HTTP API has it: `timeZone`, `schedule`,
        /// `absentBy` and `audience`, which take a world's clocks, or knowing people.
        public var rest: [JSON.Member]
        /// Where the coordinates of GeoJSON stand.
        private let coordinates: String?
        private let isMultiPolygon: Bool

        /// - Parameters:
        ///   - coordinates: where those of GeoJSON stand
        ///   - isMultiPolygon: whether each polygon has a number there
        public init(
            _ draft: ZoneDraft, at place: FilePlace, rest: [JSON.Member] = [],
            coordinates: String? = nil, isMultiPolygon: Bool = false
        ) {
            self.draft = draft
            self.place = place
            self.rest = rest
            self.coordinates = coordinates
            self.isMultiPolygon = isMultiPolygon
        }

        /// Where a polygon of GeoJSON, a ring of it or a point stands, as
        /// `features[2].geometry.coordinates[0][3]`; in other files where the zone begins.
        public func place(polygon: Int, ring: Int? = nil, vertex: Int? = nil) -> FilePlace {
            guard let coordinates else { return place }
            let indexes = [isMultiPolygon ? polygon : nil, ring, vertex].compactMap { $0 }
            return .path(coordinates + indexes.map { "[\($0)]" }.joined())
        }

        /// Where a property of GeoJSON stands; in other files where the zone begins.
        public func place(of property: String) -> FilePlace {
            guard coordinates != nil, case .path(let path) = place else { return place }
            return .path((path.isEmpty ? "" : path + ".") + "properties." + property)
        }

        /// What ``rest`` tells of the times at which the zone counts.
        public func times() throws(FileError) -> ZoneTimes {
            guard case .path(let path) = place, !path.isEmpty else {
                return try ZoneTimes(rest, at: "properties")
            }
            return try ZoneTimes(rest, at: path + ".properties")
        }

        /// The zone as a Feature of GeoJSON, as the HTTP API takes it.
        public var feature: JSON {
            let feature = GeoJSONWriter.feature(draft)
            guard !rest.isEmpty, let properties = feature["properties"]?.object,
                let geometry = feature["geometry"]
            else { return feature }
            return [
                "type": "Feature", "geometry": geometry,
                "properties": .object(properties + rest),
            ]
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
