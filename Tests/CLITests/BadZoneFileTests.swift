import Foundation
import Model
import TestSupport
import Testing

@testable import JagaCLI

/// `jaga evaluate` reports errors in zone files with location and hint.
@Suite struct BadZoneFileTests {
    private struct Bad {
        /// Content of the second zone.
        let geometry: String
        var properties = ""
        /// The location below that zone, and the message.
        let says: [String]
        let hint: String
    }

    private static let square = "[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3.01], [101, 3]]"

    private static func polygon(_ rings: String) -> String {
        "{'type': 'Polygon', 'coordinates': [\(rings)]}"
    }

    private static func point(_ coordinates: String) -> String {
        "{'type': 'Point', 'coordinates': \(coordinates)}"
    }

    private static let all = [
        Bad(
            geometry: point("[3.1, 101.7]"), properties: ", 'radius': 50",
            says: [".geometry.coordinates[1]", "latitude"], hint: "swapped"),
        Bad(
            geometry: polygon("[[101, 3], [181, 3], [101, 3.01], [101, 3]]"),
            says: [".geometry.coordinates[0][1][0]", "longitude from -180 to 180"],
            hint: "180.01 is -179.99"),
        Bad(
            geometry: polygon("[" + String(repeating: "[1,2],", count: 100_000) + "[1,2]]"),
            says: ["100000 points; at most 10000"], hint: "Simplify"),
        Bad(
            geometry: polygon("[[101, 3], [101.01, 3], [101.02, 3], [101, 3]]"),
            says: [
                ".geometry.coordinates[0][0]: ", "ring 0 of polygon 0 has no area",
                " (at longitude 101.0, latitude 3.0)",
            ], hint: "one line"),
        Bad(
            geometry: polygon("[[101, 3], [101.01, 3], [101.01, 3], [101.01, 3.01], [101, 3]]"),
            says: [
                ".geometry.coordinates[0][2]: ", "point 2 of ring 0 of polygon 0 repeats",
                " (at longitude 101.01, latitude 3.0)",
            ], hint: "Remove"),
        Bad(
            geometry: polygon("[[101, 3], [101.01, 3.01], [101.01, 3], [101, 3.01], [101, 3]]"),
            says: [
                ".geometry.coordinates[0][0]: ", "the edge from point 0",
                "meets the edge from point 2", " (at longitude 101.005, latitude 3.005",
            ], hint: "in the order"),
        Bad(
            geometry: "{'type': 'MultiPolygon', 'coordinates': [[\(square)], "
                + "[[[102, 3], [102.01, 3.01], [102.01, 3], [102, 3.01], [102, 3]]]]}",
            says: [".geometry.coordinates[1][0][2]: ", " (at longitude 102.005, latitude 3.005"],
            hint: "in the order"),
        Bad(
            geometry: polygon(square + ", [[102, 3], [102.01, 3], [102.01, 3.01], [102, 3]]"),
            says: [".geometry.coordinates[1][0]: ", "hole 1 of polygon 0 is outside"],
            hint: "inside"),
        Bad(
            geometry: point("[101, 3]"), properties: ", 'radius': 0",
            says: [".properties.radius", "greater than 0"], hint: "metres"),
        Bad(
            geometry: point("[101, 3]"), properties: ", 'radius': 50, 'inset': 60",
            says: [".properties.inset: ", "an inset of 60 m leaves nothing"],
            hint: "at most 49 m"),
        Bad(
            geometry: polygon(square),
            properties: ", 'schedule': {'timeZone': 'Asia/Kuala_Lumpor', 'windows': "
                + "[{'days': ['mon'], 'from': '08:00', 'to': '09:00'}]}",
            says: [".properties.schedule.timeZone", "unknown time zone"], hint: "Asia/Kuala_Lumpur?"
        ),
    ]

    private func refusal(of content: String, as name: String) throws -> CommandError? {
        let folder = try TemporaryFolder()
        let path = folder.file(name)
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        let call = try Call(["--zones", path, "--track", "none"], of: Evaluate.syntax)
        do {
            _ = try EvaluateFiles.zones(call, around: Timestamp(seconds: 1_800_000_000))
            return nil
        } catch let error as CommandError {
            return error
        }
    }

    @Test(arguments: all.indices)
    func `a zone of GeoJSON is refused with place and fix`(index: Int) throws {
        let bad = Self.all[index]
        func feature(_ geometry: String, _ properties: String) -> String {
            "{'type': 'Feature', 'properties': {'name': 'Z'\(properties)}, "
                + "'geometry': \(geometry)}"
        }
        let features = [
            feature(Self.polygon(Self.square), ""), feature(bad.geometry, bad.properties),
        ]
        let file =
            "{'type': 'FeatureCollection', 'features': "
            + "[\(features.joined(separator: ", "))]}"
        let error = try refusal(of: file.replacing("'", with: "\""), as: "zones.geojson")
        for words in ["features[1]"] + bad.says {
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "taken")")
        }
        #expect(error?.hint.contains(bad.hint) == true, "\(error?.hint ?? "none")")
    }

    @Test func `invalid numbers are reported with their line`() throws {
        let file =
            #"{"type": "Feature", "properties": {"name": "Z", "radius": 50},"#
            + "\n" + #" "geometry": {"type": "Point", "coordinates": [NaN, 3]}}"#
        let error = try refusal(of: file, as: "zones.geojson")
        #expect(error?.message.contains("line 2: this is not JSON: NaN is not allowed") == true)
        #expect(error?.hint == "Send a finite number.")
    }

    @Test(arguments: [
        ("Location,1,nan,101", "line 7", "not two numbers", "point"),
        ("Location,1,101.7,3.1", "line 7", "latitude", "swapped"),
        ("AlertZoneSize,0\nLocation,1,3,101", "line 7", "not greater than 0", "metres"),
        (
            "AlertZoneSize,50\nAlertZoneInset,60\nLocation,1,3,101", "line 5", "inset of 60 m",
            "49 m"
        ),
        (
            "Location,1,3,101\nLocation,2,3,101.01\nLocation,3,3,101.02", "line 5", "no area",
            "one line"
        ),
        (
            "Location,1,3,101\nLocation,2,3,101.01\nLocation,3,3,101.01\nLocation,4,3.01,101",
            "line 5", "point 2 of ring 0", "Remove"
        ),
    ])
    func `a zone of PAD is refused with line and fix`(
        rows: String, line: String, says: String, hint: String
    ) throws {
        let good = "AlertZoneStart\nAlertZoneSize,50\nLocation,1,3,101\nAlertZoneEnd\n"
        let file = good + "AlertZoneStart\nAlertZoneName,Z\n" + rows + "\nAlertZoneEnd\n"
        let error = try refusal(of: file, as: "zones.pad")
        for words in [line, says] {
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "taken")")
        }
        #expect(error?.hint.contains(hint) == true, "\(error?.hint ?? "none")")
    }
}
