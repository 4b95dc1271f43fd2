import EvaluatorCore
import Foundation
import Model
import Shapes
import TestSupport
import Testing
import ZoneFiles

@testable import JagaCLI

/// Runs the evaluators' core on a real track with random zones.
@Suite(
    .enabled(
        if: RealTrack.file != nil,
        "geolife_001.csv.gz is neither in ../shared/data nor where TEST_DATA says"
    ))
struct RealTrackTests {
    /// The first 20,000 fixes; all of them with LONG_TESTS in the environment.
    private static let fixesMax =
        ProcessInfo.processInfo.environment["LONG_TESTS"] == nil ? 20_000 : Int.max

    @Test func `1,000 zones are entered and left in turn, and no more often than by containment`()
        throws
    {
        let fixes = try RealTrack.fixes(max: Self.fixesMax)
        let zones = try RealTrack.zones(1000, along: fixes, seed: 2008)
        let start = try #require(fixes.first?.time)
        var run = WhatIf(zones: zones, start: start)
        // Without the fast path, decisions are the same.
        var twin = WhatIf(zones: zones, start: start, usesFastPath: false)
        var plain = PlainContainment(zones: zones)
        var observer = CrossingObserver()
        for (number, fix) in fixes.enumerated() {
            run.apply(fix)
            twin.apply(fix)
            plain.apply(fix, number: number)
            let events = run.popEvents()
            var isSame = events == twin.popEvents()
            for event in events { observer.apply(event) }
            if number % 100 == 99 {
                isSame = isSame && run.state.stateHash == twin.state.stateHash
            }
            try #require(isSame, "fix \(number)")
        }
        #expect(observer.faults.isEmpty, "\(observer.faults.prefix(10))")
        var met: [ZoneID: Int] = [:]
        for crossing in plain.crossings { met[zones[crossing.zone].id, default: 0] += 1 }
        for (zone, count) in observer.crossings {
            #expect(count <= met[zone, default: 0], "\(zone): \(count)")
        }
        let crossings = observer.crossings.values.reduce(0, +)
        print(
            "\(fixes.count) fixes, \(zones.count) zones: Jaga crosses \(crossings) times, "
                + "\(observer.interpolated) more between two fixes; plain containment "
                + "\(plain.crossings.count) times, in \(met.count) zones")
        #expect(crossings > 100 && crossings < plain.crossings.count)
    }
}

/// Entries and exits of one person, zone by zone.
private struct CrossingObserver {
    /// Those decided by a fix.
    private(set) var crossings: [ZoneID: Int] = [:]
    /// Those decided by the path between two fixes.
    private(set) var interpolated = 0
    /// Events that contradict earlier ones.
    private(set) var faults: [String] = []
    private var inside: Set<ZoneID> = []

    mutating func apply(_ event: Event) {
        switch event.body {
        case .zonePresenceEstablished(let crossing):
            if crossing.after == .inside { inside.insert(crossing.zone) }
        case .zoneEntered(let crossing):
            check(inside.insert(crossing.zone).inserted && crossing.after == .inside, event)
            count(crossing)
        case .zoneExited(let crossing):
            let wasInside = inside.remove(crossing.zone) != nil
            check(wasInside && crossing.before == .inside && crossing.after != .inside, event)
            count(crossing)
        default: break
        }
    }

    private mutating func count(_ crossing: ZoneCrossing) {
        if crossing.interpolated {
            interpolated += 1
        } else {
            crossings[crossing.zone, default: 0] += 1
        }
    }

    private mutating func check(_ holds: Bool, _ event: Event) {
        if !holds { faults.append("\(event.time) \(EventText.line(of: event) ?? "")") }
    }
}

/// A GeoLife track of one person in Beijing in 2008, and zones there.
private enum RealTrack {
    /// Nil if the track is not available.
    static let file: String? = {
        let folder =
            ProcessInfo.processInfo.environment["TEST_DATA"]
            ?? Programs.top.appending(path: "../shared/data").path
        let file = folder + "/geolife_001.csv.gz"
        return FileManager.default.isReadableFile(atPath: file) ? file : nil
    }()

    static func fixes(max count: Int) throws -> [Fix] {
        Array(try TrackFile.read(try #require(file)).points.prefix(count).compactMap(\.fix))
    }

    /// Circles and polygons of 50 to 500 m: most where the track leads, the others anywhere in the
    /// city; safe and alert ones, some with an alert distance, a dwell time or ways through them.
    static func zones(_ count: Int, along fixes: [Fix], seed: UInt64) throws -> [ConfiguredZone] {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { number in
            var middle = Coordinate(
                latitudeE7: .random(in: 398_000_000...401_000_000, using: &random),
                longitudeE7: .random(in: 1_162_000_000...1_166_000_000, using: &random))
            if number % 5 < 3, let fix = fixes.randomElement(using: &random) {
                middle = moved(
                    fix.position, metres: .random(in: 0...300, using: &random),
                    turn: .random(in: 0..<2 * .pi, using: &random))
            }
            let radius = Double.random(in: 50...500, using: &random)
            let shape =
                number % 2 == 0
                ? ZoneShape.circle(center: middle, radiusCentimetres: Int32(radius * 100))
                : polygon(around: middle, radius: radius, &random)
            let kind: ZoneKind = number % 3 == 0 ? .alert : .safe
            return ConfiguredZone(
                Zone(
                    id: ZoneID(ID128(high: 4, low: UInt64(number))),
                    owner: .circle(WhatIf.circle), name: "Zone \(number)", kind: kind,
                    shape: shape, prepared: try prepareChecked(shape),
                    transitions: number % 7 == 0 ? [.enter, .exit, .cross] : [.enter, .exit],
                    alertDistanceMetres: number % 6 == 0 ? 150 : 0,
                    dwellSeconds: number % 4 == 0 ? 600 : 0))
        }
    }

    private static func polygon(
        around middle: Coordinate, radius: Double, _ random: inout SeededGenerator
    ) -> ZoneShape {
        let corners = Int.random(in: 4...12, using: &random)
        let ring = (0..<corners).map { corner in
            moved(
                middle, metres: radius * .random(in: 0.5...1, using: &random),
                turn: 2 * .pi * Double(corner) / Double(corners))
        }
        return .polygons([Polygon(outer: ring)])
    }

    private static func moved(_ place: Coordinate, metres: Double, turn: Double) -> Coordinate {
        Coordinate(
            latitudeE7: place.latitudeE7 + Int32(metres * sin(turn) * 90),
            longitudeE7: place.longitudeE7 + Int32(metres * cos(turn) * 117))
    }
}
