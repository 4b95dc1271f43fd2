import Geometry
import Model
import Parsing
import Web

/// Reads a GeoJSON geometry, and knows the JSON path of each of its parts.
struct GeometryReader {
    static let path = "geometry.coordinates"

    private enum Kind: String, CaseIterable {
        case point = "Point"
        case line = "LineString"
        case polygon = "Polygon"
        case multiPolygon = "MultiPolygon"
    }

    private let kind: Kind
    private let coordinates: JSON

    init(_ json: JSON) throws(Problem) {
        let fields = try Fields(
            json, at: "geometry", known: ["type", "coordinates"], readOnly: ["bbox"])
        guard let kind = try fields.choice("type", Kind.self) else {
            throw fields.missing("type", "one of Point, LineString, Polygon, MultiPolygon")
        }
        guard let coordinates = fields.value("coordinates") else {
            throw fields.missing("coordinates")
        }
        self.kind = kind
        self.coordinates = coordinates
    }

    /// JSON path of a polygon, ring or vertex, such as `geometry.coordinates[0][3]`.
    func path(polygon: Int, ring: Int? = nil, vertex: Int? = nil) -> String {
        let indexes: [Int?]
        switch kind {
        case .point: indexes = []
        case .line: indexes = [vertex]
        case .polygon: indexes = [ring, vertex]
        case .multiPolygon: indexes = [polygon, ring, vertex]
        }
        return GeometryReader.path + indexes.compactMap { $0 }.map { "[\($0)]" }.joined()
    }

    /// Reads the shape without checking whether it is a valid zone.
    ///
    /// - Parameters:
    ///   - radiusCentimetres: for a Point only
    ///   - halfWidthCentimetres: for a LineString only
    func shape(
        radiusCentimetres: Int32?, halfWidthCentimetres: Int32? = nil
    ) throws(Problem) -> ZoneShape {
        let radius = try size(radiusCentimetres, "radius", of: .point)
        let halfWidth = try size(halfWidthCentimetres, "halfWidth", of: .line)
        switch kind {
        case .point:
            return .circle(
                center: try position(coordinates, at: GeometryReader.path),
                radiusCentimetres: radius)
        case .line:
            let values = try list(coordinates, at: GeometryReader.path)
            try check(count: values.count)
            var line: [Coordinate] = []
            for (index, value) in values.enumerated() {
                line.append(try position(value, at: path(polygon: 0, vertex: index)))
            }
            return .corridor(line: line, halfWidthCentimetres: halfWidth)
        case .polygon:
            try check(count: GeometryReader.countPoints(coordinates))
            return .polygons([try polygon(coordinates, number: 0)])
        case .multiPolygon:
            let values = try list(coordinates, at: GeometryReader.path)
            try check(count: values.reduce(0) { $0 + GeometryReader.countPoints($1) })
            var polygons: [Polygon] = []
            for (number, value) in values.enumerated() {
                polygons.append(try polygon(value, number: number))
            }
            return .polygons(polygons)
        }
    }

    /// A size that this kind of geometry requires; 0 for other kinds.
    private func size(
        _ centimetres: Int32?, _ name: String, of owner: Kind
    ) throws(Problem) -> Int32 {
        if kind == owner, centimetres == nil {
            throw .invalid(
                "a \(owner.rawValue) requires a \(name)", field: "properties.\(name)",
                hint: "use metres")
        }
        if kind != owner, centimetres != nil {
            throw .invalid(
                "only a \(owner.rawValue) has a \(name)", field: "properties.\(name)",
                hint: "leave it out")
        }
        return centimetres ?? 0
    }

    /// Rejects too many vertices before any of them is read.
    private func check(count: Int) throws(Problem) {
        guard count > GeometryLimits.verticesMax else { return }
        let problem = GeometryProblem.tooManyPoints(count: count)
        throw .invalid(problem.description, field: GeometryReader.path, hint: problem.hint)
    }

    /// Vertices of all rings of a polygon; each ring's last position repeats the first.
    private static func countPoints(_ polygon: JSON) -> Int {
        (polygon.array ?? []).reduce(0) { $0 + max(0, ($1.array?.count ?? 0) - 1) }
    }

    private func polygon(_ json: JSON, number: Int) throws(Problem) -> Polygon {
        var rings: [[Coordinate]] = []
        for (index, value) in try list(json, at: path(polygon: number)).enumerated() {
            rings.append(try ring(value, polygon: number, number: index))
        }
        guard let outer = rings.first else {
            throw .invalid(
                "a polygon requires an outer ring", field: path(polygon: number),
                hint: "use a list of rings, each a list of positions")
        }
        return Polygon(outer: outer, holes: Array(rings.dropFirst()))
    }

    /// Reads a ring without its last position, which repeats the first.
    private func ring(
        _ json: JSON, polygon: Int, number: Int
    ) throws(Problem) -> [Coordinate] {
        let ringPath = path(polygon: polygon, ring: number)
        var ring: [Coordinate] = []
        for (index, value) in try list(json, at: ringPath).enumerated() {
            ring.append(
                try position(value, at: path(polygon: polygon, ring: number, vertex: index)))
        }
        guard ring.count >= 4 else {
            throw .invalid(
                "a ring requires at least four positions; this one has \(ring.count)",
                field: ringPath,
                hint: "use three distinct positions and repeat the first")
        }
        guard ring.first == ring.last else {
            throw .invalid(
                "the ring is not closed",
                field: path(polygon: polygon, ring: number, vertex: ring.count - 1),
                hint: "end it with its first position")
        }
        return ring.dropLast()
    }

    /// Reads longitude and latitude; an altitude after them is ignored.
    private func position(_ json: JSON, at path: String) throws(Problem) -> Coordinate {
        guard let values = json.array, values.count >= 2, let longitude = values[0].double,
            let latitude = values[1].double
        else {
            throw .invalid(
                "not a position", field: path,
                hint: "use [longitude, latitude] in degrees")
        }
        guard abs(longitude) <= 180 else {
            throw .invalid(
                "\(longitude) is not a longitude", field: path + "[0]",
                hint: "use -180 to 180 degrees, longitude first; subtract 360 above 180, "
                    + "so 180.01 is -179.99: an edge takes the short way, even across the "
                    + "antimeridian")
        }
        guard abs(latitude) <= 90,
            let position = Coordinate(latitude: latitude, longitude: longitude)
        else {
            let mayBeSwapped = abs(latitude) <= 180 && abs(longitude) <= 90
            throw .invalid(
                "\(latitude) is not a latitude", field: path + "[1]",
                hint: mayBeSwapped
                    ? "longitude and latitude may be swapped: GeoJSON has the longitude first"
                    : "use -90 to 90 degrees, after the longitude")
        }
        return position
    }

    private func list(_ json: JSON, at path: String) throws(Problem) -> [JSON] {
        guard let values = json.array else {
            throw .invalid("not a list", field: path, hint: "see RFC 7946, section 3.1")
        }
        return values
    }
}
