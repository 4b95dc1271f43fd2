import Model
import Parsing
import Testing

@testable import MembershipDaemon

/// Invalid shapes are rejected with field, point and hint.
@Suite struct ShapeFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        var type = "Polygon"
        var coordinates: String
        var properties = ""
        var field: String
        /// Part of the detail, and of the hint.
        var words: String
        var hint: String

        var testDescription: String { "\(words) \(properties)" }
    }

    private static let square = "[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3.01], [101, 3]]"

    private static func hole(_ low: Double, _ high: Double) -> String {
        let (west, east, south, north) = (101 + low, 101 + high, 3 + low, 3 + high)
        return "[[\(west), \(south)], [\(west), \(north)], [\(east), \(north)], "
            + "[\(east), \(south)], [\(west), \(south)]]"
    }

    static let outlines = [
        Fault(
            coordinates: "[\(square), \(hole(0.002, 0.008)), \(hole(0.004, 0.005))]",
            field: "geometry.coordinates[2][0]", words: "hole 2 of polygon 0 and hole 1 overlap",
            hint: "Merge"),
        Fault(
            coordinates: "[\(square), \(square)]", field: "geometry.coordinates[1][0]",
            words: "covers all of it", hint: "Remove the polygon"),
        Fault(
            coordinates: "[\(square), \(hole(0.005, 0.05))]",
            field: "geometry.coordinates[0][2]", words: "crosses the edge", hint: "touch"),
        Fault(
            coordinates: "[[[101, 3], [101.01, 3], [101, 3], [101.01, 3], [101, 3]]]",
            field: "geometry.coordinates[0]", words: "2 distinct points", hint: "three"),
        Fault(
            type: "MultiPolygon", coordinates: "[[\(square)], [\(hole(0.002, 0.003))]]",
            field: "geometry.coordinates[1][0][0]", words: "polygons 1 and 0 overlap",
            hint: "Merge"),
        Fault(
            type: "MultiPolygon", coordinates: "[[\(square)], [\(square)]]",
            field: "geometry.coordinates[0][0][0]", words: "polygons 0 and 1 overlap",
            hint: "Merge"),
        Fault(
            coordinates: "[[[101, 3], [108, 3], [108, 9], [101, 3]]]",
            field: "geometry.coordinates", words: "from its centre", hint: "several zones"),
        Fault(
            coordinates: "[[[10, 89.9], [-170, 89.9], [100, 89.8], [10, 89.9]]]",
            field: "geometry.coordinates[0][0]", words: "crosses a pole", hint: "Add a point"),
    ]

    static let lines = [
        Fault(
            coordinates: "[[101, 3], [101.01, 3]]", field: "properties.halfWidth",
            words: "needs a halfWidth", hint: "metres"),
        Fault(
            coordinates: "[[101, 3], [101.01, 3]]", properties: ", 'halfWidth': 0",
            field: "properties.halfWidth", words: "0 m is less than 1 m", hint: "metres"),
        Fault(
            coordinates: "[[101, 3], [101.01, 3]]", properties: ", 'halfWidth': -20",
            field: "properties.halfWidth", words: "-20 m is less than 1 m", hint: "metres"),
        Fault(
            coordinates: "[[101, 3], [101.01, 3]]", properties: ", 'halfWidth': 300000",
            field: "properties.halfWidth", words: "more than 250000 m", hint: "metres"),
        Fault(
            coordinates: "[[101, 3]]", properties: ", 'halfWidth': 20",
            field: "geometry.coordinates", words: "1 points; a corridor needs 2", hint: "two"),
        Fault(
            coordinates: "[[101, 3], [101.01, 3], [101.01, 3]]", properties: ", 'halfWidth': 20",
            field: "geometry.coordinates[2]",
            words: "point 2 of the line repeats the point before it (at longitude 101.01",
            hint: "Remove"),
        Fault(
            coordinates: "[[101, 3], [107, 3]]", properties: ", 'halfWidth': 20",
            field: "geometry.coordinates", words: "from its centre", hint: "several zones"),
        Fault(
            coordinates: "[[101, 3], [101.01, 3]]", properties: ", 'halfWidth': 20, 'inset': 30",
            field: "properties.inset", words: "30 m leaves nothing", hint: "Use at most"),
    ]

    static let insets = [
        Fault(
            coordinates: "[\(square)]", properties: ", 'inset': 600", field: "properties.inset",
            words: "600 m leaves nothing", hint: "Use at most"),
        Fault(
            coordinates: "[\(square)]", properties: ", 'inset': 'wide'", field: "properties.inset",
            words: "must be a number of metres", hint: "such as"),
        Fault(
            coordinates: "[\(square)]", properties: ", 'inset': 1e300", field: "properties.inset",
            words: "must be a number of metres", hint: "such as"),
        Fault(
            type: "Point", coordinates: "[101, 3]", properties: ", 'radius': 50, 'inset': 49.5",
            field: "properties.inset", words: "49.50 m leaves nothing",
            hint: "at most 49 m"),
        Fault(
            type: "Point", coordinates: "[101, 3]", properties: ", 'radius': 1, 'inset': 0.5",
            field: "properties.inset", words: "leaves nothing", hint: "too narrow for any"),
    ]

    private func check(_ fault: Fault, type: String) throws {
        let body = try json(
            """
            {'type': 'Feature', 'properties': {'name': 'Z'\(fault.properties)},
             'geometry': {'type': '\(type)', 'coordinates': \(fault.coordinates)}}
            """)
        let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
        #expect(problem.field == fault.field)
        #expect(problem.detail.contains(fault.words), "\(problem.detail)")
        #expect(problem.hint?.contains(fault.hint) == true, "\(problem.hint ?? "")")
    }

    @Test(arguments: outlines)
    func `a fault of an outline`(_ fault: Fault) throws { try check(fault, type: fault.type) }

    @Test(arguments: lines)
    func `a fault of a corridor`(_ fault: Fault) throws { try check(fault, type: "LineString") }

    @Test(arguments: insets)
    func `a fault of an inset`(_ fault: Fault) throws { try check(fault, type: fault.type) }
}
