import Geometry
import Model
import Runtime
import Shapes
import ZoneFiles

/// `jaga evaluate`: runs the evaluator offline on a recorded track.
enum Evaluate: Command {
    static let syntax = Syntax(
        name: "evaluate",
        summary: "show what evaluators decide about a recorded track and zones, offline",
        details: """
            Applies the evaluators' rules to a track without a running suite and without notifying
            anybody, to find out why a zone fired or to tune a zone. Deadlines expire at the track's
            own times, up to its last fix. Decisions after the last fix, such as an exit that waits
            for another fix, are not shown.

            Zones come from GeoJSON, PAD, KML or GPX (--radius for points without one), the track
            from GPX or CSV with a header (lat,lon,time and, if known, accuracy,speed,course). A
            track may be compressed with gzip.

            --all also shows suppressed changes, first decisions and changes that notify nobody.
            --fixes shows for each fix how the zones within 1 km evaluated it, and why it changed
            nothing. 'jaga explain' shows decisions of a running suite in the same words.

            Schedules, absentBy and time zones of GeoJSON apply. Offsets come from this machine's
            time zone database (/usr/share/zoneinfo).
            """,
        options: [
            .init(name: "--zones", value: "FILE", help: "zones as GeoJSON, PAD, KML or GPX"),
            .init(name: "--track", value: "FILE", help: "track as GPX or CSV, also .gz"),
            .init(
                name: "--accuracy", value: "METRES",
                help: "accuracy of fixes without one (default: unknown, 50 m assumed)"),
            .init(
                name: "--radius", value: "METRES",
                help: "radius of points without one (default 100)"),
            .init(
                name: "--kind", value: "KIND",
                help: "kind of zones without one: safe or alert (default safe)"),
            .init(name: "--user", value: "UID", help: "person in a CSV with several people"),
            .init(name: "--limit", value: "N", help: "only the first N points"),
            .init(name: "--disarmed", value: nil, help: "disarm alert zones"),
            .init(
                name: "--all", value: nil, help: "include suppressed changes and first decisions"),
            .init(name: "--fixes", value: nil, help: "show how zones evaluated each fix, and why"),
            .init(
                name: "--zone", value: "NAME", help: "with --fixes: only this zone, at any distance"
            ),
            .init(
                name: "--plain", value: nil,
                help: "also count crossings by containment without margin"),
            .init(name: "--json", value: nil, help: "print CloudEvents JSON, one line each"),
        ])

    static func run(_ call: Call) throws -> Int32 {
        let track = try EvaluateFiles.track(call)
        let accuracy = try call.number("--accuracy", default: 0, in: 0...100_000)
        let limit = try call.number("--limit", default: .max, in: 1...Int.max)
        var fixes = Array(track.compactMap(\.fix).prefix(limit))
        guard let start = fixes.first?.time else {
            throw CommandError(
                "the track has no times", hint: "add a time to each point")
        }
        for index in fixes.indices where fixes[index].accuracyCentimetres == 0 {
            fixes[index].accuracyCentimetres = Int32(accuracy * 100)
        }
        let zones = try EvaluateFiles.zones(call, around: start)
        var run = WhatIf(zones: zones, armed: !call.has("--disarmed"), start: start)
        var plain = PlainContainment(zones: call.has("--plain") ? zones : [])
        let report = EvaluateReport(
            zones: zones, showsAll: call.has("--all"), asJSON: call.has("--json"))
        let fixReport = try FixReport(call, zones: zones)
        for (number, fix) in fixes.enumerated() {
            let looks = run.apply(fix, explains: fixReport != nil)
            fixReport?.print(looks, fix, number: number + 1)
            plain.apply(fix, number: number)
            for event in run.popEvents() { try report.print(event) }
        }
        if call.has("--plain") { report.compare(plain, fixes: fixes.count) }
        return 0
    }
}

/// The files of the command.
enum EvaluateFiles {
    static func track(_ call: Call) throws -> [TrackPoint] {
        guard let path = call.value("--track") else {
            throw CommandError.usage("--track FILE is required", call.syntax)
        }
        let points = try TrackFile.read(path, user: call.value("--user")).points
        let usable = EvaluateFiles.usable(points)
        if usable.count < points.count {
            Console.printError(
                "jaga evaluate: \(path): skipped points without a position (0 degrees)"
                    + ": \(points.count - usable.count)")
        }
        return usable
    }

    /// The points that ingest would accept. Trackers write 0 for an unknown latitude or longitude.
    static func usable(_ points: [TrackPoint]) -> [TrackPoint] {
        points.filter { !$0.position.hasZero }
    }

    /// - Parameter start: start of the track; the zones' clocks begin a year before it
    static func zones(_ call: Call, around start: Timestamp) throws -> [ConfiguredZone] {
        guard let path = call.value("--zones") else {
            throw CommandError.usage("--zones FILE is required", call.syntax)
        }
        guard let format = FileFormat(fileName: path) else {
            throw CommandError(
                "\(path): unknown file extension",
                hint: "use .geojson, .pad, .kml or .gpx")
        }
        let radius = try call.number("--radius", default: 100, in: 1...250_000)
        guard let kind = ZoneKind(rawValue: call.value("--kind") ?? "safe") else {
            let kinds = ZoneKind.allCases.map(\.rawValue).joined(separator: " or ")
            throw CommandError.usage("--kind must be \(kinds)", call.syntax)
        }
        let options = ReadingOptions(pointRadiusCentimetres: Int32(radius * 100), kind: kind)
        do {
            let file = try ZoneFile.read(try bytes(of: path), as: format, options)
            for note in file.notes { Console.printError("jaga evaluate: \(path): \(note)") }
            for entry in file.entries {
                let names = entry.rest.map(\.key).filter { !ZoneTimes.names.contains($0) }
                guard !names.isEmpty else { continue }
                let list = names.joined(separator: ", ")
                Console.printError("jaga evaluate: \(path): \(entry.location): ignored \(list)")
            }
            let clocks = ZoneClocks(now: start)
            return try file.entries.enumerated().map {
                try zone($1, number: $0, in: path, clocks)
            }
        } catch let error as FileError {
            throw CommandError("\(path): \(error)", hint: error.hint)
        }
    }

    private static func zone(
        _ entry: ZoneFile.Entry, number: Int, in path: String, _ clocks: ZoneClocks
    ) throws -> ConfiguredZone {
        let draft = entry.draft
        let times = try entry.times()
        let clock: ZoneClock?
        do {
            clock = try times.clock(clocks.clock, nearest: clocks.folder.nearest)
        } catch {
            throw FileError(error, "read times")
        }
        if clock == nil, times.schedule != nil || times.absentByMinute != nil {
            throw CommandError(
                "\(path): \(entry.location): \(draft.name): a time zone is required",
                hint: "set timeZone, such as Asia/Kuala_Lumpur")
        }
        let prepared: PreparedGeometry
        do {
            prepared = try prepareChecked(draft.shape, insetCentimetres: draft.insetCentimetres)
        } catch {
            // The file belongs to the user, so the error may contain positions.
            let place = error.coordinate.map {
                " (at longitude \($0.longitude), latitude \($0.latitude))"
            }
            throw CommandError(
                "\(path): \(entry.location(of: error)): \(draft.name): \(error.description)"
                    + (place ?? ""), hint: error.hint)
        }
        let id = ZoneID(ID128(high: 4, low: UInt64(number)))
        return ConfiguredZone(
            draft.zone(
                id, of: .circle(WhatIf.circle), prepared: prepared, clock: clock, times))
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try TrackFile.contents(path)
    }
}

extension ZoneFile.Entry {
    /// Location of an invalid shape in the file.
    fileprivate func location(of problem: GeometryProblem) -> FileLocation {
        switch problem {
        case .radiusTooSmall, .radiusTooLarge: location(of: "radius")
        case .halfWidthTooSmall, .halfWidthTooLarge: location(of: "halfWidth")
        case .insetTooLarge: location(of: "inset")
        case .tooFewPoints(_, let polygon, let ring, _): location(polygon: polygon, ring: ring)
        default:
            problem.position.map {
                location(polygon: $0.polygon, ring: $0.ring, vertex: $0.vertex)
            } ?? location
        }
    }
}
