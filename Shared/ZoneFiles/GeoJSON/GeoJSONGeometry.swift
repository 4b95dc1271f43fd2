import Model
import Parsing

/// Reads a GeoJSON geometry, and knows the JSON path of each of its parts.
public struct GeoJSONGeometry: Sendable {
    private enum Kind: String, CaseIterable {
        case point = "Point"
        case line = "LineString"
        case polygon = "Polygon"
        case multiPolygon = "MultiPolygon"
    }

    /// Path of the coordinates.
    public let path: String
    private let kind: Kind
    private let coordinates: JSON
    private let properties: String

    /// - Parameter properties: path of the properties with the size
    public init(
        _ json: JSON, at path: String = "geometry", properties: String = "properties",
        from source: Fields.Source = .request
    ) throws(FieldError) {
        let fields = try Fields(
            json, at: path, known: ["type", "coordinates"], readOnly: ["bbox"], from: source)
        switch fields.value("type")?.string {
        case "GeometryCollection":
            throw FieldError(
                .unsupported, at: fields.path("type"), "a GeometryCollection is not a zone",
                hint: "make each geometry a Feature, or one MultiPolygon of its polygons")
        case "MultiPoint", "MultiLineString":
            let type = fields.value("type")?.string ?? ""
            throw FieldError(
                .unsupported, at: fields.path("type"), "a \(type) is not a zone",
                hint: "make each \(type.dropFirst(5)) a Feature")
        default: break
        }
        guard let kind = try fields.choice("type", Kind.self) else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .missing(fields.path("type"), hint: "use one of \(kinds)")
        }
        guard let coordinates = fields.value("coordinates") else {
            throw .missing(fields.path("coordinates"), hint: "see RFC 7946, section 3.1")
        }
        self.path = fields.path("coordinates")
        self.kind = kind
        self.coordinates = coordinates
        self.properties = properties
    }

    var isPoint: Bool { kind == .point }
    var isMultiPolygon: Bool { kind == .multiPolygon }

    /// JSON path of a polygon, ring or vertex, such as `geometry.coordinates[0][3]`.
    public func path(polygon: Int, ring: Int? = nil, vertex: Int? = nil) -> String {
        let indexes: [Int?]
        switch kind {
        case .point: indexes = []
        case .line: indexes = [vertex]
        case .polygon: indexes = [ring, vertex]
        case .multiPolygon: indexes = [polygon, ring, vertex]
        }
        return path + indexes.compactMap { $0 }.map { "[\($0)]" }.joined()
    }

    /// Number of vertices, counted without reading them.
    public var vertexCount: Int {
        func count(_ polygon: JSON) -> Int {
            // Each ring's last position repeats the first.
            (polygon.array ?? []).reduce(0) { $0 + max(0, ($1.array?.count ?? 0) - 1) }
        }
        switch kind {
        case .point: return 1
        case .line: return coordinates.array?.count ?? 0
        case .polygon: return count(coordinates)
        case .multiPolygon: return (coordinates.array ?? []).reduce(0) { $0 + count($1) }
        }
    }

    /// Reads the shape without checking whether it is a valid zone.
    ///
    /// - Parameters:
    ///   - radiusCentimetres: for a Point only
    ///   - halfWidthCentimetres: for a LineString only
    public func shape(
        radiusCentimetres: Int32?, halfWidthCentimetres: Int32? = nil
    ) throws(FieldError) -> ZoneShape {
        let radius = try size(radiusCentimetres, "radius", of: .point)
        let halfWidth = try size(halfWidthCentimetres, "halfWidth", of: .line)
        switch kind {
        case .point:
            return .circle(
                center: try position(coordinates, at: path), radiusCentimetres: radius)
        case .line: return .corridor(line: try line(), halfWidthCentimetres: halfWidth)
        case .polygon: return .polygons([try polygon(coordinates, number: 0)])
        case .multiPolygon:
            var polygons: [Polygon] = []
            for (number, value) in try list(coordinates, at: path).enumerated() {
                polygons.append(try polygon(value, number: number))
            }
            return .polygons(polygons)
        }
    }

    /// A size that this kind of geometry requires; 0 for other kinds.
    private func size(
        _ centimetres: Int32?, _ name: String, of owner: Kind
    ) throws(FieldError) -> Int32 {
        if kind == owner, centimetres == nil {
            throw FieldError(
                .missing, at: "\(properties).\(name)", "a \(owner.rawValue) needs a \(name)",
                hint: "give it in metres")
        }
        if kind != owner, centimetres != nil {
            throw FieldError(
                .misplaced, at: "\(properties).\(name)",
                "only a \(owner.rawValue) has a \(name)", hint: "remove it")
        }
        return centimetres ?? 0
    }

    private func line() throws(FieldError) -> [Coordinate] {
        var line: [Coordinate] = []
        for (index, value) in try list(coordinates, at: path).enumerated() {
            line.append(try position(value, at: path(polygon: 0, vertex: index)))
        }
        return line
    }

    private func polygon(_ json: JSON, number: Int) throws(FieldError) -> Polygon {
        var rings: [[Coordinate]] = []
        for (index, value) in try list(json, at: path(polygon: number)).enumerated() {
            rings.append(try ring(value, polygon: number, number: index))
        }
        guard let outer = rings.first else {
            throw FieldError(
                .missing, at: path(polygon: number), "a polygon needs an outer ring",
                hint: "use a list of rings, each a list of positions")
        }
        return Polygon(outer: outer, holes: Array(rings.dropFirst()))
    }

    /// Reads a ring without its last position, which repeats the first.
    private func ring(
        _ json: JSON, polygon: Int, number: Int
    ) throws(FieldError) -> [Coordinate] {
        let ringPath = path(polygon: polygon, ring: number)
        var ring: [Coordinate] = []
        for (index, value) in try list(json, at: ringPath).enumerated() {
            ring.append(
                try position(value, at: path(polygon: polygon, ring: number, vertex: index)))
        }
        guard ring.count >= 4 else {
            throw FieldError(
                .value, at: ringPath,
                "a ring needs at least four positions, this one has \(ring.count)",
                hint: "use three distinct positions and repeat the first")
        }
        guard ring.first == ring.last else {
            throw FieldError(
                .value, at: path(polygon: polygon, ring: number, vertex: ring.count - 1),
                "the ring is not closed", hint: "end it with its first position")
        }
        return ring.dropLast()
    }

    /// Reads longitude and latitude; an altitude after them is ignored.
    private func position(_ json: JSON, at path: String) throws(FieldError) -> Coordinate {
        guard let values = json.array, values.count >= 2, let longitude = values[0].double,
            let latitude = values[1].double
        else {
            throw .must(
                "be a position", at: path, not: json,
                hint: "use [longitude, latitude] in degrees")
        }
        do {
            return try Degrees.position(
                latitude: latitude, longitude: longitude,
                order: "GeoJSON has longitude first, then latitude")
        } catch {
            throw .must(
                error.isLatitude
                    ? "be a latitude from -90 to 90" : "be a longitude from -180 to 180",
                at: path + (error.isLatitude ? "[1]" : "[0]"),
                not: values[error.isLatitude ? 1 : 0], .range, hint: error.hint)
        }
    }

    private func list(_ json: JSON, at path: String) throws(FieldError) -> [JSON] {
        guard let values = json.array else {
            throw .must("be a list", at: path, not: json, hint: "see RFC 7946, section 3.1")
        }
        return values
    }
}
