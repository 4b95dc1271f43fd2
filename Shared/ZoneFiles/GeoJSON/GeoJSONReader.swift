import Model
import Parsing

/// Reads zones of GeoJSON (RFC 7946): a FeatureCollection, a Feature or a bare geometry.
///
/// A Polygon or MultiPolygon is itself, a Point with a `radius` a circle, a LineString with a
/// `halfWidth` or `width` a corridor; all in metres.
enum GeoJSONReader {
    static let operation = "read GeoJSON"

    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(FileError) -> ZoneFile {
        let text = try FileText.utf8(bytes, operation)
        let json: JSON
        do {
            json = try JSON.parse(text)
        } catch {
            throw FileError(
                .malformed, operation, at: error.offset.map { .line(line(of: $0, in: text)) },
                "this is no JSON: \(error.message)",
                hint: error.code == .inexpressible ? error.hint : "is the file complete?")
        }
        try refuseOtherGrids(json)
        var reading = GeoJSONReading(options: options)
        guard json["type"]?.string == "FeatureCollection" else {
            try reading.take(json, at: "")
            return reading.file
        }
        guard let features = json["features"]?.array else {
            throw fault(.missing, "features", "a FeatureCollection has a list of features")
        }
        guard features.count <= FileLimits.zonesMax else {
            throw fault(
                .tooMuch, "features", "the file has more than \(FileLimits.zonesMax) zones",
                hint: "split it")
        }
        for (index, feature) in features.enumerated() {
            try reading.take(feature, at: "features[\(index)]")
        }
        return reading.file
    }

    static func fault(
        _ code: FileError.Code, _ path: String, _ message: String,
        hint: String = "see RFC 7946, section 3"
    ) -> FileError {
        FileError(code, operation, at: .path(path), message, hint: hint)
    }

    private static func line(of offset: Int, in text: [UInt8]) -> Int {
        1 + text.prefix(offset).count { $0 == 0x0A }
    }

    /// Files of before 2016 may name the grid that their numbers are of.
    private static func refuseOtherGrids(_ json: JSON) throws(FileError) {
        guard let crs = json["crs"], !crs.isNull else { return }
        let name = crs["properties"]?["name"]?.string ?? ""
        guard name.hasSuffix("CRS84") || name.hasSuffix(":4326") else {
            throw fault(
                .unsupported, "crs", "the positions are not of WGS 84",
                hint: "convert the file to longitude and latitude of WGS 84 (EPSG:4326)")
        }
    }
}

/// The zones of a GeoJSON file read so far.
struct GeoJSONReading {
    let options: ReadingOptions
    private(set) var file = ZoneFile()
    private var unknown: Set<String> = []

    init(options: ReadingOptions) { self.options = options }

    /// Takes a Feature or a geometry.
    mutating func take(_ json: JSON, at path: String) throws(FileError) {
        guard let type = json["type"]?.string else {
            throw GeoJSONReader.fault(
                .malformed, path, "this is no GeoJSON object",
                hint: "give a FeatureCollection, a Feature or a geometry, each with its type")
        }
        let prefix = path.isEmpty ? "" : path + "."
        guard type == "Feature" else {
            return try add(
                GeoJSONGeometry(json, at: path),
                GeoJSONProperties(.object([]), at: prefix + "properties"), at: path)
        }
        guard let geometry = json["geometry"], !geometry.isNull else {
            throw GeoJSONReader.fault(
                .missing, prefix + "geometry", "the feature has no geometry",
                hint: "give one, or leave the feature out")
        }
        var properties = json["properties"] ?? .object([])
        if properties.isNull { properties = .object([]) }
        try add(
            GeoJSONGeometry(geometry, at: prefix + "geometry"),
            GeoJSONProperties(properties, at: prefix + "properties"), at: path)
    }

    private mutating func add(
        _ geometry: GeoJSONGeometry, _ properties: GeoJSONProperties, at path: String
    ) throws(FileError) {
        let shape = try geometry.shape(properties, options)
        var draft = ZoneDraft(
            name: "Zone \(file.entries.count + 1)", kind: options.kind, shape: shape)
        try properties.apply(to: &draft)
        file.entries.append(
            ZoneFile.Entry(
                draft, at: .path(path), rest: properties.rest, coordinates: geometry.coordinates,
                isMultiPolygon: geometry.isMultiPolygon))
        for name in properties.unknown where unknown.insert(name).inserted {
            guard unknown.count <= FileLimits.notesMax + 1 else { return }
            file.notes.append(
                FileNote(
                    at: .path(properties.path(name)),
                    "this property is not one of a zone and is left out"))
        }
    }
}
