import Geometry
import Model
import Runtime
import Shapes
import ZoneFiles

/// `jaga evaluate`: what would have been decided about a track.
enum Evaluate: Command {
    static let syntax = Syntax(
        name: "evaluate",
        summary: "what evaluators decide about a recorded track and zones, offline",
        details: """
            Runs the evaluators' own rules over a track, with nothing running and nothing told to
            anybody: for finding out why a zone fired, and for tuning one before it is used. Clocks
            ring as they would, by the track's own times, until its last fix: what only time would
            bring after that, such as an exit that waits for one more fix, is not told.

            Zones come from GeoJSON, PAD, KML or GPX (--radius for points without one), the track
            from GPX or CSV with a head line (lat,lon,time and, where known, accuracy,speed,course);
            a track may be packed by gzip.

            Changes of which nobody is told, what was held back, and first decisions are shown with
            --all. --fixes says of every fix how the zones within 1 km of it saw it, and why that
            changed nothing where it did not. 'jaga explain' says in the same words what a running
            suite decided.

            Schedules, absentBy and time zones of GeoJSON count; the clocks are those of this
            machine's time zones (/usr/share/zoneinfo).
            """,
        options: [
            .init(name: "--zones", value: "FILE", help: "GeoJSON, PAD, KML or GPX"),
            .init(name: "--track", value: "FILE", help: "GPX or CSV, also .gz"),
            .init(
                name: "--accuracy", value: "METRES",
                help: "of fixes that tell none (default: unknown, 50 m are assumed)"),
            .init(
                name: "--radius", value: "METRES",
                help: "of points that tell none (default 100)"),
            .init(
                name: "--kind", value: "KIND",
                help: "safe or alert, of zones that tell none (default safe)"),
            .init(name: "--user", value: "UID", help: "whose points, of a CSV with several people"),
            .init(name: "--limit", value: "N", help: "only the first N points"),
            .init(name: "--disarmed", value: nil, help: "alert zones do not alarm"),
            .init(name: "--all", value: nil, help: "also what was held back, and first decisions"),
            .init(name: "--fixes", value: nil, help: "how zones saw each fix, and why"),
            .init(
                name: "--zone", value: "NAME", help: "with --fixes: this zone alone, however far"),
            .init(
                name: "--plain", value: nil,
                help: "count what containment without margin would have told"),
            .init(name: "--json", value: nil, help: "one line of CloudEvents JSON each"),
        ])

    static func run(_ call: Call) throws -> Int32 {
        let track = try EvaluateFiles.track(call)
        let accuracy = try call.number("--accuracy", default: 0, in: 0...100_000)
        let limit = try call.number("--limit", default: .max, in: 1...Int.max)
        var fixes = Array(track.compactMap(\.fix).prefix(limit))
        guard let start = fixes.first?.time else {
            throw CommandError(
                "the track tells no times", hint: "dwelling and clocks need them: a time a point")
        }
        for index in fixes.indices where fixes[index].accuracyCentimetres == 0 {
            fixes[index].accuracyCentimetres = Int32(accuracy * 100)
        }
        let zones = try EvaluateFiles.zones(call, around: start)
        var run = WhatIf(zones: zones, armed: !call.has("--disarmed"), start: start)
        var plain = PlainContainment(zones: call.has("--plain") ? zones : [])
        let report = EvaluateReport(
            zones: zones, showsAll: call.has("--all"), asJSON: call.has("--json"))
        let looking = try FixReport(call, zones: zones)
        for (number, fix) in fixes.enumerated() {
            let looks = run.take(fix, isLookedAt: looking != nil)
            looking?.say(looks, fix, number: number + 1)
            plain.take(fix, number: number)
            for event in run.takeEvents() { try report.say(event) }
        }
        if call.has("--plain") { report.compare(plain, fixes: fixes.count) }
        return 0
    }
}

/// The files of the command.
enum EvaluateFiles {
    static func track(_ call: Call) throws -> [TrackPoint] {
        guard let path = call.value("--track") else {
            throw CommandError.usage("missing: --track FILE", call.syntax)
        }
        let points = try TrackFile.read(path, user: call.value("--user")).points
        let usable = EvaluateFiles.usable(points)
        if usable.count < points.count {
            Console.complain(
                "jaga evaluate: \(path): points without a position (latitude or longitude 0) left "
                    + "out: \(points.count - usable.count)")
        }
        return usable
    }

    /// The points that ingest would accept: trackers write 0 for a latitude or longitude that they
    /// do not have.
    static func usable(_ points: [TrackPoint]) -> [TrackPoint] {
        points.filter { !$0.position.hasZero }
    }

    /// - Parameter start: of the track: the zones' clocks are right from the year before it on
    static func zones(_ call: Call, around start: Timestamp) throws -> [PlacedZone] {
        guard let path = call.value("--zones") else {
            throw CommandError.usage("missing: --zones FILE", call.syntax)
        }
        guard let format = FileFormat(fileName: path) else {
            throw CommandError(
                "\(path): of which kind it is cannot be told from its name",
                hint: "let it end with .geojson, .pad, .kml or .gpx")
        }
        let radius = try call.number("--radius", default: 100, in: 1...250_000)
        guard let kind = ZoneKind(rawValue: call.value("--kind") ?? "safe") else {
            throw CommandError.usage("--kind must be safe or alert", call.syntax)
        }
        let options = ReadingOptions(pointRadiusCentimetres: Int32(radius * 100), kind: kind)
        do {
            let file = try ZoneFile.read(try bytes(of: path), as: format, options)
            for note in file.notes { Console.complain("jaga evaluate: \(path): \(note)") }
            for entry in file.entries {
                let names = entry.rest.map(\.key).filter { !ZoneTimes.names.contains($0) }
                guard !names.isEmpty else { continue }
                let list = names.joined(separator: ", ")
                Console.complain("jaga evaluate: \(path): \(entry.place): without \(list)")
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
    ) throws -> PlacedZone {
        let draft = entry.draft
        let times = try entry.times()
        let clock = try times.clock(clocks.clock, nearest: clocks.folder.nearest)
        if clock == nil, times.schedule != nil || times.absentByMinute != nil {
            throw CommandError(
                "\(path): \(entry.place): \(draft.name): whose clock is meant is not said",
                hint: "give its timeZone, such as Asia/Kuala_Lumpur")
        }
        let prepared: PreparedGeometry
        do {
            prepared = try prepareChecked(draft.shape, insetCentimetres: draft.insetCentimetres)
        } catch {
            // The file is the reader's own: where on earth it is wrong may be said.
            let place = error.place.map {
                " (at longitude \($0.longitude), latitude \($0.latitude))"
            }
            throw CommandError(
                "\(path): \(entry.place(of: error)): \(draft.name): \(error.description)"
                    + (place ?? ""), hint: error.hint)
        }
        let id = ZoneID(ID128(high: 4, low: UInt64(number)))
        return PlacedZone(
            Zone(
                id: id, owner: .circle(WhatIf.circle), name: draft.name, kind: draft.kind,
                category: draft.category, active: draft.active, priority: draft.priority,
                shape: draft.shape, prepared: prepared, hysteresisMetres: draft.hysteresisMetres,
                transitions: draft.transitionsInForce(times),
                alertDistanceMetres: draft.alertDistanceMetres,
                dwellSeconds: draft.dwellSeconds, clock: clock, schedule: times.schedule,
                absentByMinute: times.absentByMinute, alarm: draft.alarm))
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try TrackFile.contents(path)
    }
}

extension ZoneFile.Entry {
    /// Where in the file a shape is wrong.
    fileprivate func place(of problem: GeometryProblem) -> FilePlace {
        switch problem {
        case .radiusTooSmall, .radiusTooLarge: place(of: "radius")
        case .halfWidthTooSmall, .halfWidthTooLarge: place(of: "halfWidth")
        case .insetTooLarge: place(of: "inset")
        case .tooFewPoints(_, let polygon, let ring, _): place(polygon: polygon, ring: ring)
        default:
            problem.position.map {
                place(polygon: $0.polygon, ring: $0.ring, vertex: $0.vertex)
            } ?? place
        }
    }
}
