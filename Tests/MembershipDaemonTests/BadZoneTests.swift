import Parsing
import TestSupport
import Testing

/// Everything that can be wrong with a zone names its field, its place and what to do, by
/// the real daemon: of a zone in a request, and of one in a file, of which then nothing is made.
@Suite(.serialized) struct BadZoneTests {
    private struct Bad {
        let what: String
        var type = "Polygon"
        let coordinates: String
        var properties = ""
        /// Nil for invalid JSON.
        var field: String?
        let says: String
        let hint: String
        /// The detail for a file, if it differs.
        var fileSays: String?
        var fileHint: String?
    }

    private static let square = "[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3.01], [101, 3]]"
    private static let away = "[[102, 3], [102.01, 3], [102.01, 3.01], [102, 3]]"
    private static let radius = "properties.radius"

    private static let all = [
        Bad(
            what: "not a number", type: "Point", coordinates: "[NaN, 3]",
            properties: ", 'radius': 50", says: "NaN is not allowed in JSON at byte",
            hint: "finite", fileSays: "line 2: this is not JSON: NaN is not allowed"),
        Bad(
            what: "infinite", type: "Point", coordinates: "[101, 1e999]",
            properties: ", 'radius': 50", says: "a number exceeds the range of a double at byte",
            hint: "finite", fileSays: "line 2: this is not JSON: a number exceeds"),
        Bad(
            what: "swapped", type: "Point", coordinates: "[3.1, 101.7]",
            properties: ", 'radius': 50", field: "geometry.coordinates[1]", says: "latitude",
            hint: "swapped"),
        Bad(
            what: "out of range", coordinates: "[[[101, 3], [181, 3], [101, 3.01], [101, 3]]]",
            field: "geometry.coordinates[0][1][0]", says: "longitude",
            hint: "180.01 is -179.99", fileSays: "longitude from -180 to 180"),
        Bad(
            what: "100,000 points",
            coordinates: "[[" + String(repeating: "[1,2],", count: 100_000) + "[1,2]]]",
            field: "geometry.coordinates", says: "100000 points; at most 10000",
            hint: "Simplify"),
        Bad(
            what: "without area", coordinates: "[[[101, 3], [101.01, 3], [101.02, 3], [101, 3]]]",
            field: "geometry.coordinates[0][0]", says: "no area", hint: "one line"),
        Bad(
            what: "repeated point",
            coordinates: "[[[101, 3], [101.01, 3], [101.01, 3], [101.01, 3.01], [101, 3]]]",
            field: "geometry.coordinates[0][2]", says: "repeats the point before it",
            hint: "Remove"),
        Bad(
            what: "crossing itself",
            coordinates: "[[[101, 3], [101.01, 3.01], [101.01, 3], [101, 3.01], [101, 3]]]",
            field: "geometry.coordinates[0][0]", says: "meets the edge",
            hint: "in the order"),
        Bad(
            what: "hole outside", coordinates: "[\(square), \(away)]",
            field: "geometry.coordinates[1][0]", says: "outside its outer ring", hint: "inside"),
        Bad(
            what: "no radius", type: "Point", coordinates: "[101, 3]",
            properties: ", 'radius': 0", field: radius, says: "less than 1 m",
            hint: "metres", fileSays: "greater than 0"),
        Bad(
            what: "negative radius", type: "Point", coordinates: "[101, 3]",
            properties: ", 'radius': -5", field: radius, says: "less than 1 m",
            hint: "metres", fileSays: "greater than 0"),
        Bad(
            what: "inset beyond the radius", type: "Point", coordinates: "[101, 3]",
            properties: ", 'radius': 50, 'inset': 60", field: "properties.inset",
            says: "leaves nothing", hint: "at most 49 m"),
        Bad(
            what: "unknown time zone", coordinates: "[\(square)]",
            properties: ", 'schedule': {'timeZone': 'Asia/Kuala_Lumpor', 'windows': "
                + "[{'days': ['mon'], 'from': '08:00', 'to': '09:00'}]}",
            field: "properties.schedule.timeZone", says: "unknown time zone",
            hint: "Asia/Kuala_Lumpur?"),
    ]

    private let jaga: RunningMembership
    private let zones: String

    init() async throws {
        jaga = try await RunningMembership()
        let made = try jaga.ask("POST", "/v1/circles", "{'name': 'Family'}")
        zones = try "/v1/circles/" + made.text("id") + "/zones"
    }

    private func feature(_ bad: Bad) -> String {
        """
        {'type': 'Feature', 'properties': {'name': 'Z'\(bad.properties)},
         'geometry': {'type': '\(bad.type)', 'coordinates': \(bad.coordinates)}}
        """
    }

    private func check(
        _ answer: PlainHTTP.Answer, _ bad: Bad, says: String, hint: String, below place: String = ""
    ) {
        #expect(answer.status == 400, "\(bad.what)")
        #expect(answer.field == bad.field.map { place + $0 }, "\(bad.what): \(answer.text)")
        #expect(answer.json["detail"]?.string?.contains(says) == true, "\(answer.text)")
        #expect(answer.json["hint"]?.string?.contains(hint) == true, "\(answer.text)")
    }

    @Test func `a request is rejected with field, location and fix`() throws {
        for bad in Self.all {
            check(try jaga.ask("POST", zones, feature(bad)), bad, says: bad.says, hint: bad.hint)
        }
        #expect(try jaga.ask("GET", zones).json["items"] == [])
    }

    @Test func `a file is rejected as a whole`() throws {
        let good =
            "{'type': 'Feature', 'properties': {'name': 'Good'}, 'geometry': "
            + "{'type': 'Polygon', 'coordinates': [\(Self.square)]}}"
        for bad in Self.all {
            let file = "{'type': 'FeatureCollection', 'features': [\(good), \(feature(bad))]}"
            let answer = try jaga.ask("POST", zones + "/import?format=geojson", file)
            check(
                answer, bad, says: bad.fileSays ?? bad.says, hint: bad.fileHint ?? bad.hint,
                below: "features[1].")
        }
        #expect(try jaga.ask("GET", zones).json["items"] == [])
    }
}
