import Model
import Parsing

/// A GeoJSON geometry and its path.
struct GeoJSONGeometry {
    private let json: JSON
    private let path: String
    /// Path of the geometry's coordinates.
    let coordinates: String

    init(_ json: JSON, at path: String) {
        self.json = json
        self.path = path
        coordinates = path.isEmpty ? "coordinates" : path + ".coordinates"
    }

    var isMultiPolygon: Bool { json["type"]?.string == "MultiPolygon" }

    /// The shape, with its size taken from the properties.
    func shape(
        _ properties: GeoJSONProperties, _ options: ReadingOptions
    ) throws(FileError) -> ZoneShape {
        let type = json["type"]?.string ?? ""
        let radius = try properties.size("radius")
        let halfWidth = try properties.halfWidth()
        if radius != nil, type != "Point" { throw properties.fault(.misplaced, "radius") }
        if halfWidth != nil, type != "LineString" {
            throw properties.fault(.misplaced, "halfWidth")
        }
        switch type {
        case "Point":
            guard let radius = radius ?? options.pointRadiusCentimetres else {
                throw GeoJSONReader.fault(
                    .missing, properties.path("radius"), "a Point needs a radius",
                    hint: "Give it in metres.")
            }
            let center = try position(json["coordinates"], at: coordinates)
            return .circle(center: center, radiusCentimetres: radius)
        case "LineString":
            guard let halfWidth else {
                throw GeoJSONReader.fault(
                    .missing, properties.path("halfWidth"), "a LineString needs a halfWidth",
                    hint: "Give it in metres.")
            }
            return .corridor(line: try line(), halfWidthCentimetres: halfWidth)
        case "Polygon": return .polygons([try polygon(json["coordinates"], at: coordinates)])
        case "MultiPolygon":
            var polygons: [Polygon] = []
            for (index, value) in try list(json["coordinates"], at: coordinates).enumerated() {
                polygons.append(try polygon(value, at: "\(coordinates)[\(index)]"))
            }
            return .polygons(polygons)
        default: throw unsupported(type)
        }
    }

    private func unsupported(_ type: String) -> FileError {
        let field = path.isEmpty ? "type" : path + ".type"
        switch type {
        case "GeometryCollection":
            return GeoJSONReader.fault(
                .unsupported, field, "a GeometryCollection is not a zone",
                hint: "Make each geometry a Feature, or one MultiPolygon of its polygons.")
        case "MultiPoint", "MultiLineString":
            return GeoJSONReader.fault(
                .unsupported, field, "a \(type) is not a zone",
                hint: "Make each \(type == "MultiPoint" ? "Point" : "LineString") a Feature.")
        default:
            return GeoJSONReader.fault(
                .unsupported, field, "this type is not a supported GeoJSON geometry",
                hint: "Use Point, LineString, Polygon or MultiPolygon.")
        }
    }

    private func line() throws(FileError) -> [Coordinate] {
        var line: [Coordinate] = []
        for (index, value) in try list(json["coordinates"], at: coordinates).enumerated() {
            line.append(try position(value, at: "\(coordinates)[\(index)]"))
        }
        guard line.count >= 2 else {
            throw GeoJSONReader.fault(
                .value, coordinates, "a LineString needs at least two positions",
                hint: "Use a Point with a radius for a single position.")
        }
        return line
    }

    private func polygon(_ json: JSON?, at path: String) throws(FileError) -> Polygon {
        var rings: [[Coordinate]] = []
        for (index, value) in try list(json, at: path).enumerated() {
            rings.append(try ring(value, at: "\(path)[\(index)]"))
        }
        guard let outer = rings.first else {
            throw GeoJSONReader.fault(
                .missing, path, "a polygon needs an outer ring",
                hint: "Give a list of rings, each a list of positions.")
        }
        return Polygon(outer: outer, holes: Array(rings.dropFirst()))
    }

    /// Reads a ring and drops its last position, which repeats the first.
    private func ring(_ json: JSON, at path: String) throws(FileError) -> [Coordinate] {
        var ring: [Coordinate] = []
        for (index, value) in try list(json, at: path).enumerated() {
            ring.append(try position(value, at: "\(path)[\(index)]"))
        }
        guard ring.count >= 4 else {
            throw GeoJSONReader.fault(
                .value, path, "a ring needs at least four positions, this one has \(ring.count)",
                hint: "Give three different positions and repeat the first.")
        }
        guard ring.first == ring.last else {
            throw GeoJSONReader.fault(
                .value, "\(path)[\(ring.count - 1)]", "the ring is not closed",
                hint: "End it with its first position.")
        }
        return ring.dropLast()
    }

    /// Reads longitude and latitude. An altitude is ignored.
    private func position(_ json: JSON?, at path: String) throws(FileError) -> Coordinate {
        guard let values = json?.array, values.count >= 2, let longitude = values[0].double,
            let latitude = values[1].double
        else {
            throw GeoJSONReader.fault(
                .value, path, "this is not a position",
                hint: "Use [longitude, latitude] in degrees.")
        }
        do {
            return try Degrees.position(
                latitude: latitude, longitude: longitude,
                order: "GeoJSON has longitude first, then latitude")
        } catch {
            throw GeoJSONReader.fault(
                .range, path + (error.isLatitude ? "[1]" : "[0]"), error.message, hint: error.hint)
        }
    }

    private func list(_ json: JSON?, at path: String) throws(FileError) -> [JSON] {
        guard let values = json?.array else {
            throw GeoJSONReader.fault(
                .value, path, "this is not a list", hint: "See RFC 7946, section 3.1.")
        }
        return values
    }
}
