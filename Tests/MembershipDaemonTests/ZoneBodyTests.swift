import DirectoryViews
import MembershipCore
import Model
import Parsing
import Runtime
import Testing

@testable import MembershipDaemon

/// In the year 2027.
let clocks = ZoneClocks(now: Timestamp(seconds: 1_800_000_000))

@Suite struct ZoneBodyTests {
    private func feature(
        _ type: String, _ coordinates: String, _ properties: String = "'name': 'Home'"
    ) throws -> JSON {
        try json(
            """
            {'type': 'Feature', 'properties': {\(properties)},
             'geometry': {'type': '\(type)', 'coordinates': \(coordinates)}}
            """)
    }

    private let square = "[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3.01], [101, 3]]"

    @Test func `a Point with a radius in metres is a circle`() throws {
        let body = try feature(
            "Point", "[101.7, 3.1, 55]",
            "'name': 'Home', 'radius': 150.5, 'kind': 'alert', 'priority': 5, 'hysteresis': 30, "
                + "'transitions': ['exit', 'exit'], 'active': false, 'category': ''")
        let patch = try ZoneBody.read(body, isNew: true, clocks: clocks)
        let center = Coordinate(latitudeE7: 31_000_000, longitudeE7: 1_017_000_000)
        #expect(
            patch.drawing?.shape == .circle(center: center, radiusCentimetres: 15_050))
        #expect(patch.drawing?.prepared.radiusCentimetres == 15_050)
        #expect(patch.kind == .alert)
        #expect(patch.transitions == [.exit])
        #expect(patch.hysteresisMetres == 30)
        #expect(patch.active == false)
    }

    @Test func `a Polygon with a hole, either way round, is a zone`() throws {
        let hole = "[[101.002, 3.002], [101.004, 3.002], [101.004, 3.004], [101.002, 3.002]]"
        let reversed = "[[101.002, 3.002], [101.004, 3.004], [101.004, 3.002], [101.002, 3.002]]"
        for inner in [hole, reversed] {
            let patch = try ZoneBody.read(
                try feature("Polygon", "[\(square), \(inner)]"), isNew: true, clocks: clocks)
            guard case .polygons(let polygons)? = patch.drawing?.shape else {
                Issue.record("no polygon")
                return
            }
            #expect(polygons.count == 1)
            #expect(polygons[0].outer.count == 4)
            #expect(polygons[0].holes.map(\.count) == [3])
        }
    }

    @Test func `a written zone is read back unchanged`() throws {
        let island = "[[[110, 3], [110.01, 3], [110.01, 3.01], [110, 3]]]"
        for body in [
            try feature("Point", "[101.7, 3.1]", "'name': 'Home', 'radius': 150.25"),
            try feature("Polygon", "[\(square)]"),
            try feature("MultiPolygon", "[[\(square)], \(island.replacing("110", with: "102"))]"),
        ] {
            let drawing = try #require(try ZoneBody.read(body, isNew: true, clocks: clocks).drawing)
            let zone = Zone(
                id: ZoneID(.zero), owner: .circle(CircleID(.zero)), name: "Home",
                shape: drawing.shape, prepared: drawing.prepared)
            let view = try JSON.parse(View.zone(zone).serialized())
            let again = try ZoneBody.read(view, isNew: false, clocks: clocks)
            #expect(again.drawing == drawing)
            #expect(again.name == "Home")
        }
    }

    /// Geometry type, coordinates, field and a word of the detail.
    static let faults: [(String, String, String, String)] = [
        ("Circle", "[1, 2]", "geometry.type", "allowed value"),
        ("Point", "[101, 91]", "geometry.coordinates[1]", "91"),
        ("Point", "[181, 1]", "geometry.coordinates[0]", "181"),
        ("Point", "[101]", "geometry.coordinates", "position"),
        ("Point", "'here'", "geometry.coordinates", "position"),
        ("Polygon", "[]", "geometry.coordinates", "outer"),
        ("Polygon", "[[[0, 0], [1, 1], [0, 0]]]", "geometry.coordinates[0]", "four"),
        (
            "Polygon", "[[[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]]]", "geometry.coordinates[0][3]",
            "closed"
        ),
        (
            "Polygon", "[[[0, 0], [0.1, 0], [0.1, 91], [0, 0]]]",
            "geometry.coordinates[0][2][1]", "latitude"
        ),
        (
            "Polygon", "[[[0, 0], [0.1, 0.1], [0.1, 0], [0, 0.1], [0, 0]]]",
            "geometry.coordinates[0][0]", "longitude 0.05, latitude 0.05"
        ),
        (
            "Polygon",
            "[[[0, 0], [0.1, 0], [0.1, 0.1], [0, 0]], [[1, 1], [1.1, 1], [1.1, 1.1], [1, 1]]]",
            "geometry.coordinates[1][0]", "outside"
        ),
        (
            "MultiPolygon",
            "[[[[0, 0], [0.1, 0], [0.1, 0.1], [0, 0]]], [[[1, 1], [1, 1], [1.1, 1], [1, 1]]]]",
            "geometry.coordinates[1][0][1]", "repeats"
        ),
        ("MultiPolygon", "[]", "geometry.coordinates", "no polygon"),
        ("Point", "['NaN', 3]", "geometry.coordinates", "position"),
        ("Point", "[null, 3]", "geometry.coordinates", "position"),
        ("Point", "[3.1, 101.7]", "geometry.coordinates[1]", "101.7"),
        (
            "Polygon", "[[[101, 3], [101, 3.1], [101, 3.2], [101, 3]]]",
            "geometry.coordinates[0][0]", "no area"
        ),
        (
            "Polygon", "[[[0, 0], [0, 0.1], [0, 0.1], [0.1, 0], [0, 0]]]",
            "geometry.coordinates[0][2]", "repeats"
        ),
        (
            "Polygon",
            "[[[0, 0], [1, 0], [1, 1], [0, 0]], [[0.1, 0.9], [0.1, 0.8], [0.2, 0.9], [0.1, 0.9]]]",
            "geometry.coordinates[1][0]", "hole 1 of polygon 0 is outside"
        ),
        ("Polygon", "[5]", "geometry.coordinates[0]", "list"),
        ("Polygon", "[[5]]", "geometry.coordinates[0][0]", "position"),
    ]

    @Test(arguments: faults.indices)
    func `each fault of a shape names its place`(index: Int) throws {
        let (type, coordinates, field, words) = ZoneBodyTests.faults[index]
        let radius = type == "Point" ? ", 'radius': 100" : ""
        let body = try feature(type, coordinates, "'name': 'Z'" + radius)
        let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
        #expect(problem.field == field)
        #expect(problem.detail.contains(words), "\(problem.detail)")
        #expect(problem.hint?.isEmpty == false)
    }

    @Test func `an outline of 100,000 points is rejected before it is read`() throws {
        let points = (0..<100_000).map { "[\($0 % 180),\($0 % 90)]" } + ["[0,0]"]
        let body = try feature("Polygon", "[[" + points.joined(separator: ",") + "]]")
        let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
        #expect(problem.field == "geometry.coordinates")
        #expect(problem.detail.contains("100000 points; at most 10000"))
        #expect(problem.hint?.contains("Simplify") == true)
    }

    @Test func `swapped coordinates are recognised`() throws {
        let body = try feature("Point", "[3.139, 101.69]", "'name': 'Z', 'radius': 100")
        #expect(
            problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }.hint?.contains(
                "swapped") == true)
    }

    @Test func `a radius requires a Point and has limits`() throws {
        for (type, coordinates, properties, field) in [
            ("Point", "[1, 2]", "'name': 'Z'", "properties.radius"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 'big'", "properties.radius"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 0.2", "properties.radius"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 0", "properties.radius"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': -50", "properties.radius"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 1e300", "properties.radius"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 1000000", "properties.radius"),
            ("Polygon", "[\(square)]", "'name': 'Z', 'radius': 5", "properties.radius"),
            ("Point", "[1, 2]", "'radius': 5", "properties.name"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 5, 'size': 5", "properties.size"),
            ("Point", "[1, 2]", "'name': 'Z', 'radius': 5, 'kind': 'x'", "properties.kind"),
            (
                "Point", "[1, 2]", "'name': 'Z', 'radius': 5, 'transitions': ['leave']",
                "properties.transitions[0]"
            ),
        ] {
            let body = try feature(type, coordinates, properties)
            #expect(
                problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }.field
                    == field)
        }
    }

    @Test func `a change may omit the shape, a new zone may not`() throws {
        let body = try json("{'type': 'Feature', 'properties': {'active': false}}")
        #expect(try ZoneBody.read(body, isNew: false, clocks: clocks).drawing == nil)
        let new = try json("{'type': 'Feature', 'properties': {'name': 'Z'}}")
        #expect(
            problem { _ = try ZoneBody.read(new, isNew: true, clocks: clocks) }.field
                == "geometry")
        let radius = try json("{'type': 'Feature', 'properties': {'radius': 5}}")
        #expect(
            problem { _ = try ZoneBody.read(radius, isNew: false, clocks: clocks) }.field
                == "properties.radius")
        let point = try json("{'type': 'Point', 'coordinates': [1, 2]}")
        #expect(
            problem { _ = try ZoneBody.read(point, isNew: true, clocks: clocks) }.field
                == "coordinates")
    }
}
