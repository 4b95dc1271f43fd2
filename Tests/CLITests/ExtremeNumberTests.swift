import Foundation
import Hosting
import Model
import Parsing
import Runtime
import TestSupport
import Testing
import Wire
import ZoneFiles

@testable import JagaCLI

/// Integer overflow stops the process: no number of an argument, a backup or a track may cause one.
@Suite struct `Extreme numbers` {
    private let folder: TemporaryFolder
    private let track: String

    init() throws {
        folder = try TemporaryFolder()
        track = folder.file("track.gpx")
        try Files.write(
            Array(
                """
                <gpx version="1.1"><trk><trkseg>
                <trkpt lat="3.1" lon="101.7"><time>2026-11-20T10:00:00Z</time></trkpt>
                <trkpt lat="3.2" lon="101.8"><time>2026-11-20T10:10:00Z</time></trkpt>
                </trkseg></trk></gpx>
                """.utf8), to: track)
    }

    // MARK: Arguments

    /// Placeholders of options with a number, or a time.
    private static let placeholders: Set = [
        "N", "METRES", "SECONDS", "TIME", "WHEN", "DATE", "evaluator=N",
    ]

    /// A call of each command with such options: the verbs that read them.
    private var calls: [String: [[String]]] {
        [
            "up": [[]], "live": [[]], "tail": [["--person", Self.person]],
            "streams": [["skip", "sos"]],
            "replay": [[track]],
            "evaluate": [["--track", track, "--zones", zones]],
            "ward": [["add", "Cara", "--person", Self.person]],
            "credential": [["create", "script", "--person", Self.person]],
            "emergency": [["list"], ["unprocessed"]], "quarantine": [["list"]], "outbox": [[]],
            "journey": [["export", Self.person, "jny_" + Self.sevens]],
            "invitation": [["add", "cir_" + Self.sevens]],
            "person": [["invite", "--circle", "cir_" + Self.sevens]], "explain": [[Self.person]],
            "gateway": [["test", "sms", "+15550000100"]],
            "link": [["create", "Aunt", "--person", Self.person]],
            "drill": [["schedule", "cir_" + Self.sevens]],
            "device": [["log", "dev_" + Self.sevens]], "access": [[Self.person]],
            "zone": [["import", zones, "--circle", "cir_" + Self.sevens]],
            "set": [["import", "set_" + Self.sevens, zones]],
            "trace": [["emg_" + Self.sevens]], "status": [[]],
        ]
    }

    private static let sevens = String(repeating: "7", count: 26)
    private static let person = "per_" + sevens
    private var zones: String { folder.file("zones.geojson") }

    private static let texts =
        ExtremeValues.texts + [
            "9223372036854775807d", "-1d", "99999999999999h", "9007199254740991", "1e-300",
            "5e-324", "9999-12-31T23:59:59Z", "evaluator=9223372036854775807", "evaluator=-1",
        ]

    @Test func `stop no command, in any option with a number`() throws {
        try Files.write(
            Array(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","properties":
                {"name":"Home"},"geometry":{"type":"Point","coordinates":[101.7,3.1]}}]}
                """.utf8), to: zones)
        var untried: [String] = []
        var tried = 0
        for command in Main.commands {
            let name = command.syntax.name
            let options = command.syntax.options.filter {
                $0.value.map(Self.placeholders.contains) ?? false
            }
            // The base of ports is a setting, which is checked as one.
            for option in options where option.name != "--port-base" {
                guard let calls = calls[name] else {
                    untried.append("\(name) \(option.name)")
                    continue
                }
                for call in calls {
                    for text in Self.texts {
                        tried += 1
                        try run(command, call + ["\(option.name)=\(text)"])
                    }
                }
            }
        }
        #expect(untried == [], "each command with such an option needs a call")
        #expect(tried > 500)
    }

    /// Runs a command up to its first request, which nobody answers.
    private func run(_ command: any Command.Type, _ words: [String]) throws {
        let call = try Call(
            words, of: command.syntax,
            environment: [
                "JAGA_URL": "http://127.0.0.1:1", "JAGA_HOME": folder.path, "JAGA_TOKEN": "x",
                "PATH": "/usr/bin:/bin",
            ])
        switch command.syntax.name {
        // They would go on: up starts programs, replay repeats its requests.
        case "up": _ = try? UpPlan(call)
        case "replay":
            guard let plan = try? ReplayPlan(call) else { return }
            for index in plan.track.points.indices {
                _ = plan.body(of: index, id: "1", sentAt: Timestamp(seconds: 1_760_000_000))
            }
        default: _ = try? command.run(call)
        }
    }

    // MARK: Tracks

    @Test func `stop no replay, in any number of a track`() throws {
        let text = try Files.read(track)
        var read = 0
        for variant in ExtremeValues.variants(ofText: text) {
            try Files.write(variant, to: track)
            for option in [[], ["--keep-times"], ["--speed", "5e-324"], ["--gap", "1000000"]] {
                let call = try Call([track] + option, of: Replay.syntax, environment: [:])
                guard let plan = try? ReplayPlan(call) else { continue }
                read += 1
                for index in plan.track.points.indices {
                    _ = plan.body(of: index, id: "1", sentAt: Timestamp(seconds: 1_760_000_000))
                }
            }
        }
        #expect(read > 20)
    }

    // MARK: Backups

    @Test func `stop neither verification nor restore, in any field of a manifest`() throws {
        let life = String(repeating: "7", count: 26)
        let manifest = """
            {"format":1,"jaga":"0.1.0","began":"2026-11-20T10:00:00.000Z",
            "ended":"2026-11-20T10:00:01.000Z","secrets":"none","secretFiles":[],
            "files":[{"path":"ingest/photos/1","bytes":12,"sha256":"00"},
            {"path":"ingest/photos/2","bytes":34,"sha256":"00"}],
            "stores":[{"service":"timer","file":{"path":"timer/store.sqlite","bytes":56,
            "sha256":"00"},"created":"2026-11-20T10:00:00.000Z","layout":{"timer":1,"bus":2},
            "streams":[{"stream":"deadlines","life":"\(life)","base":1,"baseHash":"ab","head":9,
            "headHash":"cd"}],"cursors":[{"stream":"deadlines","life":"\(life)","sequence":7,
            "hash":"ef"}]}]}
            """
        let copy = folder.file("copy")
        try Files.makeFolder(copy)
        let check = BackupCheck(folder: copy, secrets: nil)
        var read = 0
        for variant in ExtremeValues.variants(ofText: Array(manifest.utf8)) {
            try Files.write(variant, to: copy + "/" + Manifest.name)
            guard let found = try? check.manifest() else { continue }
            read += 1
            #expect(try Manifest(found.json) == found)
            _ = try check.findings(of: found)
            let restorer = Restorer(
                home: folder.file("home"), check: check, manifest: found, services: [.timer],
                isWhole: true, isForced: true, erased: nil)
            #expect(throws: (any Error).self) { try restorer.restore() }
        }
        #expect(read > 5)
    }
}
