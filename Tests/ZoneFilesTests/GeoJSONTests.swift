import Model
import Parsing
import TestSupport
import Testing
import ZoneFiles

/// A Feature with a geometry and properties.
private func feature(_ geometry: String, _ properties: String = "{}") -> String {
    #"{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}"#
}

private func collection(_ features: String...) -> String {
    #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
}

private let square = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#
private let ring = [coordinate(0, 0), coordinate(0, 1), coordinate(1, 1)]
private let point = #"{"type":"Point","coordinates":[101.7,3.1]}"#
private let line = #"{"type":"LineString","coordinates":[[0,0],[1,0,12]]}"#

@Suite struct `Zones of a GeoJSON file` {
    @Test func `every geometry of a zone is supported`() throws {
        let islands =
            #"{"type":"MultiPolygon","coordinates":["#
            + "[[[0,0],[1,0],[1,1],[0,0]],[[0.2,0.1],[0.3,0.1],[0.3,0.2],[0.2,0.1]]],"
            + "[[[0,0],[1,0],[1,1],[0,0]]]]}"
        let file = try read(
            collection(
                feature(square), feature(point, #"{"radius":150.5}"#),
                feature(line, #"{"halfWidth":20}"#), feature(line, #"{"width":40.01}"#),
                feature(islands, "null")), as: .geojson)
        let hole = [coordinate(0.1, 0.2), coordinate(0.1, 0.3), coordinate(0.2, 0.3)]
        #expect(
            file.drafts.map(\.shape) == [
                .polygons([Polygon(outer: ring)]),
                .circle(center: coordinate(3.1, 101.7), radiusCentimetres: 15_050),
                .corridor(line: [coordinate(0, 0), coordinate(0, 1)], halfWidthCentimetres: 2000),
                .corridor(line: [coordinate(0, 0), coordinate(0, 1)], halfWidthCentimetres: 2001),
                .polygons([Polygon(outer: ring, holes: [hole]), Polygon(outer: ring)]),
            ])
        #expect(file.drafts.map(\.name) == (1...5).map { "Zone \($0)" })
        #expect(file.entries[4].location == .path("features[4]"))
    }

    @Test(arguments: [feature(square), square, "\u{FEFF}" + square])
    func `a bare Feature and a bare geometry are read`(text: String) throws {
        let options = ReadingOptions(kind: .alert)
        let wanted = ZoneDraft(
            name: "Zone 1", kind: .alert, shape: .polygons([Polygon(outer: ring)]))
        #expect(try read(text, as: .geojson, options).drafts == [wanted])
    }

    @Test func `properties are the fields of a zone`() throws {
        let file = try read(
            feature(
                point,
                #"{"name":" Home ","kind":"alert","category":"c","active":false,"priority":3,"#
                    + #""radius":1,"hysteresis":5,"transitions":["exit","enter","exit"],"#
                    + #""inset":-0.5,"alertDistance":9,"dwell":60,"#
                    + #""alarm":{"vibrate":false,"sound":"S","cycle":30,"sleep":120},"#
                    + #""extra":["a,b"],"version":4,"circle":"x"}"#
            ),
            as: .geojson)
        #expect(
            file.drafts == [
                ZoneDraft(
                    name: "Home", kind: .alert, category: "c", active: false, priority: 3,
                    shape: .circle(center: coordinate(3.1, 101.7), radiusCentimetres: 100),
                    hysteresisMetres: 5, transitions: [.exit, .enter], insetCentimetres: -50,
                    alertDistanceMetres: 9, dwellSeconds: 60,
                    alarm: ZoneAlarm(
                        vibrates: false, sound: "S", cycleSeconds: 30, sleepSeconds: 120),
                    extra: ["a,b"])
            ])
        #expect(file.notes.isEmpty)
    }

    @Test func `fields that need other data are passed on unchanged`() throws {
        let rest = #""timeZone":"Asia/Kuala_Lumpur","absentBy":"08:00""#
        let file = try read(
            feature(square, #"{\#(rest),"schedule":null,"messages":["msg_1"]}"#), as: .geojson)
        #expect(file.entries[0].rest.map(\.key) == ["timeZone", "absentBy"])
        #expect(file.entries[0].feature["properties"]?["absentBy"] == "08:00")
        #expect(file.entries[0].feature["properties"]?["name"] == "Zone 1")
        #expect(file.notes.map(\.location) == [.path("properties.messages")])
    }

    @Test func `schedules survive a round trip`() throws {
        let schedule =
            #"{"timeZone":"Asia/Tokyo","windows":[{"days":["mon","tue"],"from":"08:00","#
            + #""to":"15:00"},{"days":["sun"],"from":"22:00","to":"06:00"}],"#
            + #""except":["2026-12-25"]}"#
        let file = try read(
            feature(square, #"{"schedule":\#(schedule),"absentBy":"08:30"}"#), as: .geojson)
        let times = try file.entries[0].times()
        #expect(times.timeZone == "Asia/Tokyo" && times.absentByMinute == 510)
        let windows = times.schedule?.windows.map { [$0.start, $0.end] }
        #expect(windows == [[480, 900], [1920, 2340], [9960, 10_440]])
        let written = ZoneTimes.json(of: try #require(times.schedule), timeZone: "Asia/Tokyo")
        #expect(written == (try JSON.parse(schedule)))
    }

    @Test func `an unknown time zone is rejected with its location`() throws {
        let zones = collection(
            feature(square), feature(square, #"{"timeZone":"Asia/Tokio","absentBy":"08:00"}"#))
        let times = try read(zones, as: .geojson).entries[1].times()
        do throws(FieldError) {
            _ = try times.clock({ _ in nil }, nearest: { _ in "Asia/Tokyo" })
            Issue.record("an unknown time zone must be rejected")
        } catch {
            #expect(error.path == "features[1].properties.timeZone")
            #expect(error.hint == "Did you mean Asia/Tokyo?")
        }
    }

    @Test func `unknown properties are ignored and reported once`() throws {
        let foreign = feature(square, #"{"fid":7,"name":null}"#)
        let file = try read(collection(foreign, foreign), as: .geojson)
        #expect(file.drafts.count == 2)
        #expect(file.notes.map(\.location) == [.path("features[0].properties.fid")])
    }

    @Test func `options can specify the radius of points`() throws {
        let options = ReadingOptions(pointRadiusCentimetres: 700)
        let shape = try read(point, as: .geojson, options).drafts[0].shape
        #expect(shape == .circle(center: coordinate(3.1, 101.7), radiusCentimetres: 700))
    }

    @Test(arguments: ["urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4326"])
    func `a file that names WGS 84 is accepted`(name: String) throws {
        let crs = #""crs":{"type":"name","properties":{"name":"\#(name)"}},"features""#
        let text = collection(feature(square)).replacing(#""features""#, with: crs)
        #expect(try read(text, as: .geojson).drafts.count == 1)
        let other = text.replacing(name, with: "urn:ogc:def:crs:EPSG::3857")
        #expect(rejection(of: other, as: .geojson)?.location == .path("crs"))
    }

    @Test func `zones survive a round trip`() throws {
        for seed in 0..<UInt64(1000) {
            var random = SeededGenerator(seed: seed)
            let drafts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                RandomDraft.any(using: &random)
            }
            let written = try #require(ZoneFile.write(drafts, as: .geojson))
            #expect(try ZoneFile.read(written.bytes, as: .geojson).drafts == drafts)
        }
    }
}

/// An invalid second feature.
private struct Fault: CustomTestStringConvertible {
    let feature: String
    /// Path below `features[1].`
    let path: String
    let words: String
    var testDescription: String { path + ": " + words }

    init(_ feature: String, _ path: String, _ words: String) {
        self.feature = feature
        self.path = path
        self.words = words
    }

    /// A polygon with these rings.
    init(rings: String, _ path: String, _ words: String) {
        self.init(
            ZoneFilesTests.feature(#"{"type":"Polygon","coordinates":\#(rings)}"#),
            "geometry.coordinates" + path, words)
    }
}

private let faults: [Fault] = [
    Fault(rings: "[]", "", "outer ring"),
    Fault(rings: "5", "", "be a list"),
    Fault(rings: "[7]", "[0]", "be a list"),
    Fault(rings: "[[[0,0],[1,0],[0,0]]]", "[0]", "at least four positions, this one has 3"),
    Fault(rings: "[[[0,0],[1,0],[1,1],[0,1]]]", "[0][3]", "not closed"),
    Fault(rings: "[[[0,0],[1,0],[1],[0,0]]]", "[0][2]", "be a position"),
    Fault(rings: "[[[0,0],[1,0],[1,\"a\"],[0,0]]]", "[0][2]", "be a position"),
    Fault(rings: "[[[3.1,101.7],[1,0],[1,1],[3.1,101.7]]]", "[0][0][1]", "latitude"),
    Fault(rings: "[[[181,1],[1,0],[1,1],[181,1]]]", "[0][0][0]", "longitude"),
    Fault(feature(point), "properties.radius", "needs a radius"),
    Fault(feature(point, #"{"radius":0}"#), "properties.radius", "greater than 0"),
    Fault(feature(point, #"{"radius":-5}"#), "properties.radius", "greater than 0"),
    Fault(feature(point, #"{"radius":"5"}"#), "properties.radius", "be a number of metres"),
    Fault(feature(point, #"{"radius":1e300}"#), "properties.radius", "be a number of metres"),
    Fault(feature(square, #"{"radius":5}"#), "properties.radius", "only a Point"),
    Fault(feature(square, #"{"width":5}"#), "properties.halfWidth", "only a LineString"),
    Fault(feature(line), "properties.halfWidth", "needs a halfWidth"),
    Fault(feature(line, #"{"width":5,"halfWidth":2}"#), "properties.width", "both"),
    Fault(
        feature(#"{"type":"LineString","coordinates":[[1,1]]}"#, #"{"width":5}"#),
        "geometry.coordinates", "at least two"),
    Fault(feature(square, #"{"kind":"danger"}"#), "properties.kind", "an allowed value"),
    Fault(
        feature(square, #"{"transitions":["in"]}"#), "properties.transitions[0]", "an allowed value"
    ),
    Fault(feature(square, #"{"name":5}"#), "properties.name", "name must be a string"),
    Fault(feature(square, #"{"active":1}"#), "properties.active", "be true or false"),
    Fault(feature(square, #"{"dwell":-1}"#), "properties.dwell", "be an integer"),
    Fault(feature(square, #"{"dwell":1.5}"#), "properties.dwell", "be an integer"),
    Fault(feature(square, #"{"dwell":1,"dwell":2}"#), "properties.dwell", "occurs twice"),
    Fault(feature(square, #"{"extra":[1]}"#), "properties.extra[0]", "be a row"),
    Fault(feature(square, #"{"alarm":{"cycle":"x"}}"#), "properties.alarm.cycle", "be an integer"),
    Fault(feature(square, #"{"alarm":5}"#), "properties.alarm", "be a JSON object"),
    Fault(feature(square, "[]"), "properties", "be a JSON object"),
    Fault(feature("null"), "geometry", "no geometry"),
    Fault(
        feature(#"{"type":"GeometryCollection","geometries":[]}"#), "geometry.type",
        "GeometryCollection is not a zone"),
    Fault(feature(#"{"type":"MultiPoint"}"#), "geometry.type", "MultiPoint is not a zone"),
    Fault(feature(#"{"type":"Circle"}"#), "geometry.type", "an allowed value"),
]

@Suite struct `Errors in a GeoJSON file` {
    @Test(arguments: faults) private func `an invalid feature is rejected with its location`(
        fault: Fault
    ) {
        let error = rejection(of: collection(feature(square), fault.feature), as: .geojson)
        #expect(error?.location == .path("features[1]." + fault.path))
        #expect(error?.message.contains(fault.words) == true, "\(error?.message ?? "none")")
        #expect(error?.hint.isEmpty == false)
    }

    @Test func `swapped positions are detected`() {
        let swapped = #"{"type":"Point","coordinates":[3.1,101.7]}"#
        let error = rejection(of: feature(swapped, #"{"radius":5}"#), as: .geojson)
        #expect(error?.location == .path("geometry.coordinates[1]"))
        #expect(error?.hint.contains("swapped") == true)
    }

    @Test func `malformed JSON is reported with its line`() {
        let error = rejection(of: "{\n\"type\":\n]}", as: .geojson)
        #expect(error?.code == .malformed)
        #expect(rejection(of: "", as: .geojson)?.code == .malformed)
    }

    @Test(arguments: ["[]", "{}", "7", #"{"type":"FeatureCollection"}"#, #"{"type":"Topology"}"#])
    func `other JSON is rejected`(text: String) {
        #expect(rejection(of: text, as: .geojson) != nil)
    }

    @Test func `a file with too many zones is rejected`() {
        let many = Array(repeating: "0", count: FileLimits.zonesMax + 1).joined(separator: ",")
        let text = #"{"type":"FeatureCollection","features":[\#(many)]}"#
        #expect(rejection(of: text, as: .geojson)?.code == .tooMuch)
    }
}
