import Model
import Parsing

/// Reads zones from GeoJSON (RFC 7946): a FeatureCollection, a Feature or a bare geometry.
///
/// A Polygon or MultiPolygon becomes polygons, a Point with a `radius` a circle, and a LineString
/// with a `halfWidth` or `width` a corridor. Sizes are in metres.
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
                "this is not JSON: \(error.message)",
                hint: error.code == .inexpressible ? error.hint : "Check that the file is complete."
            )
        }
        try rejectOtherReferenceSystems(json)
        var result = GeoJSONAccumulator(options: options)
        guard json["type"]?.string == "FeatureCollection" else {
            try result.append(json, at: "")
            return result.file
        }
        guard let features = json["features"]?.array else {
            throw fault(.missing, "features", "a FeatureCollection needs a list of features")
        }
        guard features.count <= FileLimits.zonesMax else {
            throw fault(
                .tooMuch, "features", "the file has more than \(FileLimits.zonesMax) zones",
                hint: "Split the file.")
        }
        for (index, feature) in features.enumerated() {
            try result.append(feature, at: "features[\(index)]")
        }
        return result.file
    }

    static func fault(
        _ code: FileError.Code, _ path: String, _ message: String,
        hint: String = "See RFC 7946, section 3."
    ) -> FileError {
        FileError(code, operation, at: .path(path), message, hint: hint)
    }

    private static func line(of offset: Int, in text: [UInt8]) -> Int {
        1 + text.prefix(offset).count { $0 == 0x0A }
    }

    /// Files from before 2016 may name another coordinate reference system.
    private static func rejectOtherReferenceSystems(_ json: JSON) throws(FileError) {
        guard let crs = json["crs"], !crs.isNull else { return }
        let name = crs["properties"]?["name"]?.string ?? ""
        guard name.hasSuffix("CRS84") || name.hasSuffix(":4326") else {
            throw fault(
                .unsupported, "crs", "the positions are not in WGS 84",
                hint: "Convert the file to longitude and latitude in WGS 84 (EPSG:4326).")
        }
    }
}

/// Zones of a GeoJSON file while it is read.
struct GeoJSONAccumulator {
    let options: ReadingOptions
    private(set) var file = ZoneFile()
    private var unknown: Set<String> = []

    init(options: ReadingOptions) { self.options = options }

    /// Appends a Feature or a geometry.
    mutating func append(_ json: JSON, at path: String) throws(FileError) {
        guard let type = json["type"]?.string else {
            throw GeoJSONReader.fault(
                .malformed, path, "this is not a GeoJSON object",
                hint: "Give a FeatureCollection, a Feature or a geometry with its type.")
        }
        let prefix = path.isEmpty ? "" : path + "."
        let properties = prefix + "properties"
        guard type == "Feature" else {
            return try add(json, at: path, .object([]), at: properties, of: path)
        }
        guard let geometry = json["geometry"], !geometry.isNull else {
            throw GeoJSONReader.fault(
                .missing, prefix + "geometry", "the feature has no geometry",
                hint: "Add a geometry or remove the feature.")
        }
        var given = json["properties"] ?? .object([])
        if given.isNull { given = .object([]) }
        try add(geometry, at: prefix + "geometry", given, at: properties, of: path)
    }

    private static let known = ZoneField.inFiles.map(\.name) + ["width"] + ZoneField.unresolved
    /// Names that the API writes, but that are ignored in a file.
    private static let ignored = ["id", "circle", "person", "set", "version"]

    private mutating func add(
        _ geometry: JSON, at geometryPath: String, _ properties: JSON,
        at propertiesPath: String, of path: String
    ) throws(FileError) {
        do throws(FieldError) {
            let fields = try Fields(
                properties, at: propertiesPath, known: GeoJSONAccumulator.known,
                readOnly: GeoJSONAccumulator.ignored, from: .file)
            let geometry = try GeoJSONGeometry(
                geometry, at: geometryPath, properties: propertiesPath, from: .file)
            let radius = try size("radius", fields)
            let halfWidth = try halfWidth(fields)
            let shape = try geometry.shape(
                radiusCentimetres: geometry.isPoint
                    ? radius ?? options.pointRadiusCentimetres : radius,
                halfWidthCentimetres: halfWidth)
            if case .corridor(let line, _) = shape, line.count < 2 {
                throw FieldError(
                    .value, at: geometry.path, "a LineString needs at least two positions",
                    hint: "use a Point with a radius for a single position")
            }
            var draft = ZoneDraft(
                name: "Zone \(file.entries.count + 1)", kind: options.kind, shape: shape)
            draft.apply(try ZoneField.inFiles.read(fields))
            file.entries.append(
                ZoneFile.Entry(
                    draft, at: .path(path),
                    rest: fields.members(ZoneField.unresolved).filter { !$0.value.isNull },
                    coordinates: geometry.path, isMultiPolygon: geometry.isMultiPolygon))
            note(fields.unknown, fields)
        } catch {
            throw FileError(error)
        }
    }

    private mutating func note(_ names: [String], _ fields: Fields) {
        for name in names where unknown.insert(name).inserted {
            guard unknown.count <= FileLimits.notesMax + 1 else { return }
            file.notes.append(
                FileNote(at: .path(fields.path(name)), "this property is unknown and ignored"))
        }
    }

    /// A radius or width in centimetres, greater than 0.
    private func size(_ name: String, _ fields: Fields) throws(FieldError) -> Int32? {
        let size = try fields.centimetres(name)
        guard size.map({ $0 > 0 }) ?? true else {
            throw .must("be greater than 0", at: fields.path(name), .range, hint: "use metres")
        }
        return size
    }

    /// Half-width of a corridor in centimetres, also from its width.
    private func halfWidth(_ fields: Fields) throws(FieldError) -> Int32? {
        let half = try size("halfWidth", fields)
        guard let width = try size("width", fields) else { return half }
        guard half == nil else {
            throw FieldError(
                .duplicate, at: fields.path("width"), "both width and halfWidth are given",
                hint: "remove one of them")
        }
        return max(1, (width + 1) / 2)
    }
}
