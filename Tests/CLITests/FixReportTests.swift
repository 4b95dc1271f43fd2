import EvaluatorCore
import Foundation
import Model
import Shapes
import TestSupport
import Testing

@testable import JagaCLI

/// Explanations of fixes without effect, and schedules of files.
struct FixReportTests {
    private static let middle = Coordinate(latitudeE7: 31_400_000, longitudeE7: 1_016_900_000)
    private static let start = Timestamp(milliseconds: 1_795_188_000_000)

    private func zone(_ number: Int, north metres: Double, kind: ZoneKind) throws -> ConfiguredZone
    {
        let shape = ZoneShape.circle(center: place(metres), radiusCentimetres: 20_000)
        return ConfiguredZone(
            Zone(
                id: ZoneID(ID128(high: 0, low: UInt64(number))), owner: .circle(WhatIf.circle),
                name: "Zone \(number)", kind: kind, shape: shape,
                prepared: try prepareChecked(shape),
                alertDistanceMetres: number % 2 == 0 ? 100 : 0))
    }

    private func place(_ north: Double) -> Coordinate {
        Coordinate(
            latitudeE7: Self.middle.latitudeE7 + Int32(north * 90.43),
            longitudeE7: Self.middle.longitudeE7)
    }

    private func fix(_ north: Double, after seconds: Int64, accuracy: Int32 = 30) -> Fix {
        Fix(
            time: Self.start + .seconds(seconds), position: place(north),
            accuracyCentimetres: accuracy * 100)
    }

    /// Lines about the only zone.
    private func lines(_ fixes: [(north: Double, after: Int64)]) throws -> [String] {
        var run = WhatIf(zones: [try zone(1, north: 0, kind: .safe)], start: Self.start)
        return fixes.map { north, after in
            let fix = fix(north, after: after)
            return run.apply(fix, explains: true).map { FixReport.line($0, fix) }.joined()
        }
    }

    @Test func `each fix is explained, even without effect`() throws {
        let lines = try lines([
            (500, 0), (190, 60), (100, 120), (100, 180), (250, 240), (290, 300), (290, 360),
            (9000, 361), (280, 420), (270, 300),
        ])
        let emitted = [
            "unknown → outside: 300 m outside, the first decision",
            "stays outside: 10 m inside (± 30 m), but in a zone so small only more than 50 m would",
            "outside → inside: 100 m inside; in a zone so small more than 50 m counts",
            "stays inside: 100 m inside, no change",
            "stays inside: 50 m outside, but with an accuracy of 30 m only more than 60 m would",
            "stays inside: 90 m outside, but with an accuracy of 30 m one fix is enough only",
            "inside → outside: 90 m outside; with an accuracy of 30 m more than 60 m counts",
            "stays outside: 8799",
            "stays outside: 80 m outside, no change",
            "stays outside: the fix is older than the newest one, and changes nothing",
        ]
        #expect(lines.count == emitted.count)
        #expect(lines[7].contains("by a fix too far from the previous one; the next fix decides"))
        for (line, words) in zip(lines, emitted) {
            #expect(line.hasPrefix("Zone 1: " + words), "\(line)")
        }
    }

    @Test func `explanations match decisions`() throws {
        let zones = try (0..<6).map {
            try zone($0, north: Double($0) * 250, kind: $0 % 3 == 0 ? .alert : .safe)
        }
        var changes = 0
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var run = WhatIf(zones: zones, start: Self.start)
            _ = run.popEvents()
            for number in 0..<150 {
                // Some late, some impossibly far.
                let leap = Int.random(in: 0..<12, using: &random) == 0 ? 60_000.0 : 0
                let late: Int64 = Int.random(in: 0..<12, using: &random) == 0 ? -90 : 0
                let fix = fix(
                    .random(in: -400...1600, using: &random) + leap,
                    after: Int64(number) * 60 + late,
                    accuracy: .random(in: 0...60, using: &random))
                let looks = run.apply(fix, explains: true)
                let decided = run.popEvents().compactMap { change($0, of: fix) }
                let explained = looks.filter {
                    $0.before != $0.after && ($0.before, $0.after) != (.unknown, .outside)
                }
                #expect(
                    decided
                        == explained.map {
                            Change(
                                zone: $0.zone, before: $0.before, after: $0.after,
                                reason: $0.reason, centimetres: $0.distanceCentimetres,
                                margin: $0.marginCentimetres)
                        }, "seed \(seed), fix \(number)")
                changes += decided.count
            }
        }
        #expect(changes > 1000)
    }

    private struct Change: Hashable {
        var zone: ZoneID
        var before: Presence
        var after: Presence
        var reason: CrossingReason
        var centimetres: Int32
        var margin: Int32
    }

    private func change(_ event: Event, of fix: Fix) -> Change? {
        switch event.body {
        case .zoneEntered(let it), .zoneExited(let it), .zonePresenceEstablished(let it),
            .zoneApproached(let it), .zoneLeftVicinity(let it):
            guard it.fix == fix else { return nil }
            return Change(
                zone: it.zone, before: it.before, after: it.after, reason: it.reason,
                centimetres: it.distanceCentimetres, margin: it.marginCentimetres)
        default: return nil
        }
    }

    // MARK: Files

    /// Events of a school that is open on Fridays from 16:00 to 17:00, in the time zone, with a fix
    /// inside at 08:30Z and one at 09:30Z of such a Friday.
    private func emitted(_ timeZone: String) throws -> [Event] {
        let folder = try TemporaryFolder()
        let path = folder.file("zones.geojson")
        let zones = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"School"\
            ,"radius":200,"timeZone":"\(timeZone)","absentBy":"17:20","schedule":{"windows":[\
            {"days":["fri"],"from":"16:00","to":"17:00"}]}},\
            "geometry":{"type":"Point","coordinates":[101.69,3.14]}}]}
            """
        try zones.write(toFile: path, atomically: true, encoding: .utf8)
        let call = try Call(["--zones", path, "--track", "none"], of: Evaluate.syntax)
        let start = try #require(Timestamp("2026-11-20T07:00:00Z"))
        let placed = try EvaluateFiles.zones(call, around: start)
        #expect(placed[0].transitions == [.enter, .exit, .absent])
        var run = WhatIf(zones: placed, start: start)
        for text in ["2026-11-20T08:30:00Z", "2026-11-20T09:30:00Z"] {
            run.apply(Fix(time: try #require(Timestamp(text)), position: Self.middle))
        }
        return run.popEvents().filter { $0.kind != .policyChanged }
    }

    @Test func `schedules, absentBy and time zones of files count`() throws {
        // At 17:20 the last fix is 50 min old, so presence is unknown.
        let emitted = try emitted("Asia/Kuala_Lumpur")
        #expect(
            emitted.map(\.kind) == [.zonePresenceEstablished, .zonePresenceCleared, .zoneAbsent])
        guard case .zoneAbsent(let absence) = emitted.last?.body else {
            Issue.record("an absence is missing")
            return
        }
        #expect(!absence.hasContact)
        // It is 08:30 there, and the zone is closed.
        #expect(try self.emitted("UTC").map(\.kind) == [])
    }

    @Test func `an unknown time zone in a file is rejected with field, location and fix`() throws {
        do {
            _ = try emitted("Asia/Kuala_Lumpor")
            Issue.record("it must be refused")
        } catch let error as CommandError {
            #expect(
                error.message.contains("features[0].properties.timeZone: unknown time zone"))
            #expect(error.hint == "Did you mean Asia/Kuala_Lumpur?")
        }
    }
}
