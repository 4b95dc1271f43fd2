import Foundation
import Model
import Shapes
import TestSupport
import Testing

@testable import JagaCLI

/// What evaluators decide about a track, offline.
struct EvaluateTests {
    private static let middle = Coordinate(latitudeE7: 31_400_000, longitudeE7: 1_016_900_000)
    private static let start = Timestamp(milliseconds: 1_795_188_000_000)

    private func zone(
        _ number: UInt64 = 1, name: String = "School", kind: ZoneKind = .safe,
        radiusMetres: Int32 = 200, dwellSeconds: Int = 0
    ) throws -> ConfiguredZone {
        let shape = ZoneShape.circle(
            center: Self.middle, radiusCentimetres: radiusMetres * 100)
        return ConfiguredZone(
            Zone(
                id: ZoneID(ID128(high: 0, low: number)), owner: .circle(WhatIf.circle), name: name,
                kind: kind, shape: shape, prepared: try prepareChecked(shape),
                dwellSeconds: dwellSeconds))
    }

    /// A fix some metres north of the zones' centre.
    private func fix(_ metres: Double, after seconds: Int64, accuracy: Int32 = 10) -> Fix {
        Fix(
            time: Self.start + .seconds(seconds),
            position: Coordinate(
                latitudeE7: Self.middle.latitudeE7 + Int32(metres * 90.43),
                longitudeE7: Self.middle.longitudeE7),
            accuracyCentimetres: accuracy * 100)
    }

    private func words(_ events: [Event]) -> [String] { events.compactMap(EventText.line) }

    @Test func `shows entries and exits with their distance to the edge`() throws {
        var run = WhatIf(zones: [try zone()], start: Self.start)
        for (number, metres) in [600.0, 400, 100, 0, 150, 400, 600].enumerated() {
            run.apply(fix(metres, after: Int64(number) * 60))
        }
        let decisions = words(run.popEvents()).filter {
            $0.hasPrefix("entered") || $0.hasPrefix("left")
        }
        #expect(decisions.count == 2)
        #expect(
            decisions.first?.hasPrefix("entered School (outside → inside): 100 m inside; ") == true)
        #expect(
            decisions.last
                == "left School (inside → outside): 400 m outside; with an accuracy of 10 m "
                + "more than 20 m counts")
    }

    @Test func `has only real crossings, where plain containment has many`() throws {
        let zones = [try zone()]
        var run = WhatIf(zones: zones, start: Self.start)
        var plain = PlainContainment(zones: zones)
        var random = SeededGenerator(seed: 7)
        for number in 0..<500 {
            let noise = Double(Int.random(in: -30...30, using: &random))
            let fix = fix(205 + noise, after: Int64(number) * 10, accuracy: 20)
            run.apply(fix)
            plain.apply(fix, number: number)
        }
        let crossings = run.popEvents().filter {
            $0.kind == .zoneEntered || $0.kind == .zoneExited
        }
        #expect(crossings.isEmpty)
        #expect(plain.crossings.count > 100)
    }

    @Test func `shows no crossing for the first presence`() throws {
        var run = WhatIf(zones: [try zone()], start: Self.start)
        run.apply(fix(0, after: 0))
        run.apply(fix(10, after: 60))
        #expect(run.popEvents().map(\.kind) == [.zonePresenceEstablished, .policyChanged])
        #expect(run.popEvents().isEmpty)
    }

    @Test func `reads zones and a track, and reports errors in them`() throws {
        let folder = try TemporaryFolder()
        let zones = folder.file("zones.geojson")
        let track = folder.file("track.csv")
        try """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"School",\
        "radius":200},"geometry":{"type":"Point","coordinates":[101.69,3.14]}}]}
        """.write(toFile: zones, atomically: true, encoding: .utf8)
        try """
        lat,lon,time,accuracy
        3.146,101.69,2026-11-20T08:00:00Z,10
        3.140,101.69,2026-11-20T08:05:00Z,10
        """.write(toFile: track, atomically: true, encoding: .utf8)
        #expect(Main.run(["evaluate", "--zones", zones, "--track", track, "--plain"]) == 0)
        #expect(Main.run(["evaluate", "--zones", zones]) == 2)
        #expect(Main.run(["evaluate", "--zones", track, "--track", track]) == 1)
        let call = try Call(["--zones", zones, "--track", track], of: Evaluate.syntax)
        #expect(try EvaluateFiles.zones(call, around: Self.start).map(\.name) == ["School"])
        #expect(try EvaluateFiles.track(call).count == 2)
        try """
        lat,lon,time,accuracy
        0,0,2026-11-20T07:59:00Z,10
        3.146,101.69,2026-11-20T08:00:00Z,10
        0,101.69,2026-11-20T08:01:00Z,10
        3.140,101.69,2026-11-20T08:05:00Z,10
        """.write(toFile: track, atomically: true, encoding: .utf8)
        #expect(try EvaluateFiles.track(call).count == 2, "0 is no position")
        try "lat,lon,time\n3.1,201.69,x\n".write(toFile: track, atomically: true, encoding: .utf8)
        #expect(throws: CommandError.self) { try EvaluateFiles.track(call) }
    }
}
