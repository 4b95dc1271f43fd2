import Geometry
import Model
import Parsing
import Shapes
import Testing
import Web
import ZoneFiles

@testable import MembershipDaemon

@Suite struct GeometryReaderTests {
    private func reader(_ type: String, _ coordinates: String) throws -> GeoJSONGeometry {
        try GeoJSONGeometry(json("{'type': '\(type)', 'coordinates': \(coordinates)}"))
    }

    private func shape(
        _ type: String, _ coordinates: String, radius: Int32? = nil, halfWidth: Int32?
    ) throws -> ZoneShape {
        let reader = try reader(type, coordinates)
        do throws(FieldError) {
            return try reader.shape(radiusCentimetres: radius, halfWidthCentimetres: halfWidth)
        } catch {
            throw Problem(error)
        }
    }

    private func line(_ coordinates: String, halfWidth: Int32? = 5000) throws -> ZoneShape {
        try shape("LineString", coordinates, halfWidth: halfWidth)
    }

    @Test func `a LineString with a half-width is a corridor`() throws {
        let shape = try line("[[101, 3], [101.01, 3.01, 55]]")
        #expect(
            shape
                == .corridor(
                    line: [
                        Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000),
                        Coordinate(latitudeE7: 30_100_000, longitudeE7: 1_010_100_000),
                    ], halfWidthCentimetres: 5000))
        #expect(try prepareChecked(shape).polygons.count == 1)
    }

    /// Geometry type, coordinates, field, a word of the detail and one of the hint.
    static let faults: [(String, String, String, String, String)] = [
        ("LineString", "5", "geometry.coordinates", "list", "RFC 7946"),
        ("LineString", "[5]", "geometry.coordinates[0]", "position", "longitude"),
        ("LineString", "[[101, 3], [101]]", "geometry.coordinates[1]", "position", "longitude"),
        ("LineString", "[[101, 3], [3, 101]]", "geometry.coordinates[1][1]", "101", "swapped"),
        ("LineString", "[[101, 3], [181, 3]]", "geometry.coordinates[1][0]", "181", "-180 to 180"),
        ("LineString", "[[101, 3], [null, 3]]", "geometry.coordinates[1]", "position", "use"),
        ("LineString", "[[101, 3], ['NaN', 3]]", "geometry.coordinates[1]", "position", "use"),
        ("Polygon", "[[[101, 3], [3.1, 101]]]", "geometry.coordinates[0][1][1]", "101", "swapped"),
        ("Polygon", "[[]]", "geometry.coordinates[0]", "at least four", "three distinct"),
        ("MultiPolygon", "[[]]", "geometry.coordinates[0]", "outer", "list of rings"),
        ("MultiPolygon", "[[[]]]", "geometry.coordinates[0][0]", "at least four", "three"),
    ]

    @Test(arguments: faults.indices)
    func `each fault names its place and what to do`(index: Int) throws {
        let (type, coordinates, field, words, hint) = GeometryReaderTests.faults[index]
        let halfWidth: Int32? = type == "LineString" ? 5000 : nil
        let problem = problem {
            _ = try shape(type, coordinates, halfWidth: halfWidth)
        }
        #expect(problem.field == field)
        #expect(problem.detail.contains(words), "\(problem.detail)")
        #expect(problem.hint?.contains(hint) == true, "\(problem.hint ?? "")")
    }

    @Test
    func `a coordinate that is not a number is rejected by the JSON parser and by the reader`()
        throws
    {
        for number in ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"] {
            let error = #expect(throws: ParseError.self) {
                _ = try reader("LineString", "[[101, 3], [\(number), 3]]")
            }
            #expect(error?.offset == 50)
        }
        for number in [Double.nan, .infinity, -.infinity] {
            let coordinates: JSON = [[101, 3], [101, .number(number)], [.number(number), 3]]
            let reader = try GeoJSONGeometry(
                ["type": "LineString", "coordinates": coordinates])
            let error = #expect(throws: FieldError.self) {
                _ = try reader.shape(radiusCentimetres: nil, halfWidthCentimetres: 5000)
            }
            #expect(error?.path == "geometry.coordinates[1][1]")
            #expect(error?.message.hasSuffix("must be a latitude from -90 to 90") == true)
            #expect(error?.hint?.contains("-90 to 90") == true)
        }
    }

    @Test func `each size is accepted for one kind of geometry only`() throws {
        let square = "[[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3]]]"
        for (type, coordinates, radius, halfWidth, field) in [
            ("LineString", "[[101, 3], [102, 3]]", nil, nil, "properties.halfWidth"),
            ("LineString", "[[101, 3], [102, 3]]", 100, 100, "properties.radius"),
            ("Point", "[101, 3]", nil, nil, "properties.radius"),
            ("Point", "[101, 3]", 100, 100, "properties.halfWidth"),
            ("Polygon", square, nil, 100, "properties.halfWidth"),
            ("MultiPolygon", "[\(square)]", 100, nil, "properties.radius"),
        ] as [(String, String, Int32?, Int32?, String)] {
            let problem = problem {
                _ = try shape(type, coordinates, radius: radius, halfWidth: halfWidth)
            }
            #expect(problem.field == field)
            #expect(problem.hint?.isEmpty == false)
        }
    }

    @Test func `too many points are rejected before the first is read`() throws {
        // None of them is a valid position.
        let points = Array(repeating: "5", count: 10_002).joined(separator: ",")
        for (type, coordinates, count) in [
            ("LineString", "[\(points)]", 10_002), ("Polygon", "[[\(points)]]", 10_001),
            ("MultiPolygon", "[[[\(points)]], [[\(points)]]]", 20_002),
        ] {
            let halfWidth = type == "LineString" ? ", 'halfWidth': 50" : ""
            let body = try json(
                """
                {'type': 'Feature', 'properties': {'name': 'Z'\(halfWidth)},
                 'geometry': {'type': '\(type)', 'coordinates': \(coordinates)}}
                """)
            let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
            #expect(problem.field == "geometry.coordinates")
            #expect(problem.detail == "the shape has \(count) points; at most 10000 are allowed")
            #expect(problem.hint?.contains("Simplify") == true)
        }
    }

    @Test func `faults found later have a JSON path, too`() throws {
        #expect(
            try reader("LineString", "[]").path(polygon: 0, vertex: 3)
                == "geometry.coordinates[3]")
        #expect(
            try reader("Polygon", "[]").path(polygon: 0, ring: 1, vertex: 3)
                == "geometry.coordinates[1][3]")
    }
}
