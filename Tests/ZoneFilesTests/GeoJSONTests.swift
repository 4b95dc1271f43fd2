import Model
import Parsing
import TestSupport
import Testing
import ZoneFiles

/// A Feature with this geometry and these properties.
private func feature(_ geometry: String, _ properties: String = "{}") -> String {
    #"{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}"#
}

private func collection(_ features: String...) -> String {
    #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
}

private let square = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#
private let ring = [place(0, 0), place(0, 1), place(1, 1)]
private let point = #"{"type":"Point","coordinates":[101.7,3.1]}"#
private let line = #"{"type":"LineString","coordinates":[[0,0],[1,0,12]]}"#

@Suite struct `Zones of a GeoJSON file` {
    @Test func `every geometry of a zone is read`() throws {
        let islands =
            #"{"type":"MultiPolygon","coordinates":["#
            + "[[[0,0],[1,0],[1,1],[0,0]],[[0.2,0.1],[0.3,0.1],[0.3,0.2],[0.2,0.1]]],"
            + "[[[0,0],[1,0],[1,1],[0,0]]]]}"
        let file = try read(
            collection(
                feature(square), feature(point, #"{"radius":150.5}"#),
                feature(line, #"{"halfWidth":20}"#), feature(line, #"{"width":40.01}"#),
                feature(islands, "null")), as: .geojson)
        let hole = [place(0.1, 0.2), place(0.1, 0.3), place(0.2, 0.3)]
        #expect(
            file.drafts.map(\.shape) == [
                .polygons([Polygon(outer: ring)]),
                .circle(center: place(3.1, 101.7), radiusCentimetres: 15_050),
                .corridor(line: [place(0, 0), place(0, 1)], halfWidthCentimetres: 2000),
                .corridor(line: [place(0, 0), place(0, 1)], halfWidthCentimetres: 2001),
                .polygons([Polygon(outer: ring, holes: [hole]), Polygon(outer: ring)]),
            ])
        #expect(file.drafts.map(\.name) == (1...5).map { "Zone \($0)" })
        #expect(file.entries[4].place == .path("features[4]"))
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
                    shape: .circle(center: place(3.1, 101.7), radiusCentimetres: 100),
                    hysteresisMetres: 5, transitions: [.exit, .enter], insetCentimetres: -50,
                    alertDistanceMetres: 9, dwellSeconds: 60,
                    alarm: ZoneAlarm(
                        vibrates: false, sound: "S", cycleSeconds: 30, sleepSeconds: 120),
                    extra: ["a,b"])
            ])
        #expect(file.notes.isEmpty)
    }

    @Test func `fields that take more than the file are handed on as they are`() throws {
        let rest = #""timeZone":"Asia/Kuala_Lumpur","absentBy":"08:00""#
        let file = try read(
            feature(square, #"{\#(rest),"schedule":null,"messages":["msg_1"]}"#), as: .geojson)
        #expect(file.entries[0].rest.map(\.key) == ["timeZone", "absentBy"])
        #expect(file.entries[0].feature["properties"]?["absentBy"] == "08:00")
        #expect(file.entries[0].feature["properties"]?["name"] == "Zone 1")
        #expect(file.notes.map(\.place) == [.path("properties.messages")])
    }

    @Test func `times of a zone are read, and written as they were`() throws {
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

    @Test func `an unknown time zone is refused with its place`() throws {
        let zones = collection(
            feature(square), feature(square, #"{"timeZone":"Asia/Tokio","absentBy":"08:00"}"#))
        let times = try read(zones, as: .geojson).entries[1].times()
        do throws(FileError) {
            _ = try times.clock({ _ in nil }, nearest: { _ in "Asia/Tokyo" })
            Issue.record("a time zone that nobody knows must be refused")
        } catch {
            #expect(error.place == .path("features[1].properties.timeZone"))
            #expect(error.hint == "did you mean Asia/Tokyo?")
        }
    }

    @Test func `properties of others are left out, and told once`() throws {
        let foreign = feature(square, #"{"fid":7,"name":null}"#)
        let file = try read(collection(foreign, foreign), as: .geojson)
        #expect(file.drafts.count == 2)
        #expect(file.notes.map(\.place) == [.path("features[0].properties.fid")])
    }

    @Test func `a caller may give points a radius`() throws {
        let options = ReadingOptions(pointRadiusCentimetres: 700)
        let shape = try read(point, as: .geojson, options).drafts[0].shape
        #expect(shape == .circle(center: place(3.1, 101.7), radiusCentimetres: 700))
    }

    @Test(arguments: ["urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4326"])
    func `a file that names WGS 84 is read`(name: String) throws {
        let crs = #""crs":{"type":"name","properties":{"name":"\#(name)"}},"features""#
        let text = collection(feature(square)).replacing(#""features""#, with: crs)
        #expect(try read(text, as: .geojson).drafts.count == 1)
        let other = text.replacing(name, with: "urn:ogc:def:crs:EPSG::3857")
        #expect(refusal(of: other, as: .geojson)?.place == .path("crs"))
    }

    @Test func `in, out and in again: equal zones`() throws {
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

/// A second feature that is wrong.
private struct Fault: CustomTestStringConvertible {
    let feature: String
    /// Below `features[1].`
    let path: String
    let words: String
    var testDescription: String { path + ": " + words }

    init(_ feature: String, _ path: String, _ words: String) {
        self.feature = feature
        self.path = path
        self.words = words
    }

    /// A polygon of these rings.
    init(rings: String, _ path: String, _ words: String) {
        self.init(
            ZoneFilesTests.feature(#"{"type":"Polygon","coordinates":\#(rings)}"#),
            "geometry.coordinates" + path, words)
    }
}

private let faults: [Fault] = [
    Fault(rings: "[]", "", "outer ring"),
    Fault(rings: "5", "", "no list"),
    Fault(rings: "[7]", "[0]", "no list"),
    Fault(rings: "[[[0,0],[1,0],[0,0]]]", "[0]", "at least four positions, this one 3"),
    Fault(rings: "[[[0,0],[1,0],[1,1],[0,1]]]", "[0][3]", "not closed"),
    Fault(rings: "[[[0,0],[1,0],[1],[0,0]]]", "[0][2]", "no position"),
    Fault(rings: "[[[0,0],[1,0],[1,\"a\"],[0,0]]]", "[0][2]", "no position"),
    Fault(rings: "[[[3.1,101.7],[1,0],[1,1],[3.1,101.7]]]", "[0][0][1]", "latitude"),
    Fault(rings: "[[[181,1],[1,0],[1,1],[181,1]]]", "[0][0][0]", "longitude"),
    Fault(feature(point), "properties.radius", "needs a radius"),
    Fault(feature(point, #"{"radius":0}"#), "properties.radius", "more than 0"),
    Fault(feature(point, #"{"radius":-5}"#), "properties.radius", "more than 0"),
    Fault(feature(point, #"{"radius":"5"}"#), "properties.radius", "no number of metres"),
    Fault(feature(point, #"{"radius":1e300}"#), "properties.radius", "no number of metres"),
    Fault(feature(square, #"{"radius":5}"#), "properties.radius", "only a Point"),
    Fault(feature(square, #"{"width":5}"#), "properties.halfWidth", "only a LineString"),
    Fault(feature(line), "properties.halfWidth", "needs a halfWidth"),
    Fault(feature(line, #"{"width":5,"halfWidth":2}"#), "properties.width", "both"),
    Fault(
        feature(#"{"type":"LineString","coordinates":[[1,1]]}"#, #"{"width":5}"#),
        "geometry.coordinates", "at least two"),
    Fault(feature(square, #"{"kind":"danger"}"#), "properties.kind", "none of the words"),
    Fault(feature(square, #"{"transitions":["in"]}"#), "properties.transitions[0]", "none of"),
    Fault(feature(square, #"{"name":5}"#), "properties.name", "no text"),
    Fault(feature(square, #"{"active":1}"#), "properties.active", "neither true nor false"),
    Fault(feature(square, #"{"dwell":-1}"#), "properties.dwell", "whole number"),
    Fault(feature(square, #"{"dwell":1.5}"#), "properties.dwell", "whole number"),
    Fault(feature(square, #"{"dwell":1,"dwell":2}"#), "properties.dwell", "there twice"),
    Fault(feature(square, #"{"extra":[1]}"#), "properties.extra[0]", "no text"),
    Fault(feature(square, #"{"alarm":{"cycle":"x"}}"#), "properties.alarm.cycle", "whole number"),
    Fault(feature(square, #"{"alarm":5}"#), "properties.alarm", "no object"),
    Fault(feature(square, "[]"), "properties", "no object"),
    Fault(feature("null"), "geometry", "no geometry"),
    Fault(
        feature(#"{"type":"GeometryCollection","geometries":[]}"#), "geometry.type",
        "GeometryCollection is no zone"),
    Fault(feature(#"{"type":"MultiPoint"}"#), "geometry.type", "MultiPoint is no zone"),
    Fault(feature(#"{"type":"Circle"}"#), "geometry.type", "no geometry of GeoJSON"),
]

@Suite struct `Faults of a GeoJSON file` {
    @Test(arguments: faults) private func `a wrong feature is refused with its place`(
        fault: Fault
    ) {
        let error = refusal(of: collection(feature(square), fault.feature), as: .geojson)
        #expect(error?.place == .path("features[1]." + fault.path))
        #expect(error?.message.contains(fault.words) == true, "\(error?.message ?? "none")")
        #expect(error?.hint.isEmpty == false)
    }

    @Test func `swapped positions are guessed`() {
        let swapped = #"{"type":"Point","coordinates":[3.1,101.7]}"#
        let error = refusal(of: feature(swapped, #"{"radius":5}"#), as: .geojson)
        #expect(error?.place == .path("geometry.coordinates[1]"))
        #expect(error?.hint.contains("swapped") == true)
    }

    @Test func `what is no JSON is told with its line`() {
        let error = refusal(of: "{\n\"type\":\n]}", as: .geojson)
        #expect(error?.code == .malformed)
        #expect(refusal(of: "", as: .geojson)?.code == .malformed)
    }

    @Test(arguments: ["[]", "{}", "7", #"{"type":"FeatureCollection"}"#, #"{"type":"Topology"}"#])
    func `other JSON is refused`(text: String) {
        #expect(refusal(of: text, as: .geojson) != nil)
    }

    @Test func `more zones than a file may have are refused`() {
        let many = Array(repeating: "0", count: FileLimits.zonesMax + 1).joined(separator: ",")
        let text = #"{"type":"FeatureCollection","features":[\#(many)]}"#
        #expect(refusal(of: text, as: .geojson)?.code == .tooMuch)
    }
}
