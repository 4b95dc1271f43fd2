import Model
import Parsing

/// Options of a file's reader.
public struct ReadingOptions: Hashable, Sendable {
    /// Radius in centimetres for points without one; nil = such points are rejected.
    public var pointRadiusCentimetres: Int32?
    /// Kind of zones if the file does not specify it. Zones of PAD files are always alert zones.
    public var kind: ZoneKind

    public init(pointRadiusCentimetres: Int32? = nil, kind: ZoneKind = .safe) {
        self.pointRadiusCentimetres = pointRadiusCentimetres
        self.kind = kind
    }
}

/// Content of a zone file.
public struct ZoneFile: Hashable, Sendable {
    /// A draft and its location in the file.
    public struct Entry: Hashable, Sendable {
        public var draft: ZoneDraft
        public var location: FileLocation
        /// Properties of GeoJSON that are not part of the draft: `timeZone`, `schedule`, `absentBy`
        /// and `audience`. They need time zone data or the directory to be resolved.
        public var rest: [JSON.Member]
        /// Path of the coordinates in GeoJSON.
        private let coordinates: String?
        private let isMultiPolygon: Bool

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - coordinates: path of the coordinates in GeoJSON
        ///   - isMultiPolygon: whether that path is indexed by polygon
        public init(
            _ draft: ZoneDraft, at location: FileLocation, rest: [JSON.Member] = [],
            coordinates: String? = nil, isMultiPolygon: Bool = false
        ) {
            self.draft = draft
            self.location = location
            self.rest = rest
            self.coordinates = coordinates
            self.isMultiPolygon = isMultiPolygon
        }

        /// Location of a polygon, ring or vertex.
        ///
        /// In GeoJSON a path such as `features[2].geometry.coordinates[0][3]`, in other formats the
        /// start of the zone.
        public func location(polygon: Int, ring: Int? = nil, vertex: Int? = nil) -> FileLocation {
            guard let coordinates else { return location }
            let indexes = [isMultiPolygon ? polygon : nil, ring, vertex].compactMap { $0 }
            return .path(coordinates + indexes.map { "[\($0)]" }.joined())
        }

        /// Path of a property in GeoJSON. In other formats the start of the zone.
        public func location(of property: String) -> FileLocation {
            guard coordinates != nil, case .path(let path) = location else { return location }
            return .path((path.isEmpty ? "" : path + ".") + "properties." + property)
        }

        /// The schedule and absence check in ``rest``.
        ///
        /// - Throws: ``FileError`` if a field is malformed
        public func times() throws(FileError) -> ZoneTimes {
            var properties = "properties"
            if case .path(let path) = location, !path.isEmpty { properties = path + ".properties" }
            do {
                return try ZoneTimes(rest, at: properties)
            } catch {
                throw FileError(error)
            }
        }

        /// The zone as a GeoJSON Feature for the HTTP API.
        public var feature: JSON {
            [
                "type": "Feature", "geometry": GeoJSONShape.write(draft.shape),
                "properties": .object(draft.properties + rest),
            ]
        }
    }

    /// Entries in file order.
    public var entries: [Entry]
    public var notes: [FileNote]

    public init(entries: [Entry] = [], notes: [FileNote] = []) {
        self.entries = entries
        self.notes = notes
    }

    public var drafts: [ZoneDraft] { entries.map(\.draft) }

    /// Reads a file of zones, completely or not at all.
    ///
    /// - Throws: ``FileError`` with the location of the first error
    public static func read(
        _ bytes: [UInt8], as format: FileFormat, _ options: ReadingOptions = ReadingOptions()
    ) throws(FileError) -> ZoneFile {
        guard bytes.count <= FileLimits.bytesMax else {
            throw FileError(
                .tooMuch, "read \(format.name)",
                "the file is larger than \(FileLimits.bytesMax >> 20) MiB", hint: "Split the file.")
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
            file.notes.append(FileNote("and \(more) more notes"))
        }
        return file
    }

    /// Writes zones. Returns the bytes and notes on what the format cannot represent, or nil if
    /// Jaga does not write the format.
    public static func write(
        _ drafts: [ZoneDraft], as format: FileFormat
    ) -> (bytes: [UInt8], notes: [FileNote])? {
        switch format {
        case .pad: PADWriter.write(drafts)
        case .geojson: (geoJSON(drafts.map { Entry($0, at: .path("")).feature }), [])
        case .gpx, .kml: nil
        }
    }

    /// A FeatureCollection (RFC 7946) with a line break at its end.
    public static func geoJSON(_ features: [JSON]) -> [UInt8] {
        let collection: JSON = ["type": "FeatureCollection", "features": .array(features)]
        return collection.serialized() + [0x0A]
    }
}
