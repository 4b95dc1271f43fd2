import Foundation
import Model
import Parsing
import Testing
import ZoneFiles

@testable import JagaCLI

private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(
        latitudeE7: Int32((latitude * 1e7).rounded()),
        longitudeE7: Int32((longitude * 1e7).rounded()))
}

@Suite struct `A track` {
    private func read(_ text: String, _ name: String = "track", user: String? = nil) throws -> Track
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return try TrackFile.read(file.path, user: user)
    }

    @Test(arguments: ["1.0", "1.1"])
    func `comes from GPX`(version: String) throws {
        let track = try read(
            """
            <?xml version="1.0"?>
            <gpx version="\(version)" xmlns="http://www.topografix.com/GPX/\(version)">
            <time>2001-01-01T00:00:00Z</time><wpt lat="1" lon="1"><name>no</name></wpt>
            <trk><trkseg><trkpt lat="3.5" lon="-101.25"><ele> 12.5 </ele>
            <time>2026-11-20T10:00:00.2073437Z</time></trkpt></trkseg>
            <trkseg><trkpt lat="3.6" lon="-101.26"><extensions><a:speed xmlns:a="x">3</a:speed>
            </extensions></trkpt></trkseg></trk></gpx>
            """)
        #expect(
            track.points == [
                TrackPoint(
                    position: place(3.5, -101.25),
                    time: Timestamp("2026-11-20T10:00:00.207343Z"), altitudeCentimetres: 1250),
                TrackPoint(position: place(3.6, -101.26), speedCentimetresPerSecond: 300),
            ])
    }

    @Test func `comes from CSV`() throws {
        let text = "lat,lng,datetime,uid\r\n39.9,116.3,2008-10-23 05:53:05,001\r\n"
        let track = try read(text)
        let time = try #require(Timestamp("2008-10-23T05:53:05Z"))
        #expect(
            track.points == [TrackPoint(position: place(39.9, 116.3), time: time, owner: "001")])
    }

    @Test func `of one person is selected from a CSV of several`() throws {
        let text = "uid,time,lat,lon\na,2026-11-20T10:00:00Z,1,2\nb,2026-11-20T10:00:01Z,3,4\n"
        #expect(throws: CommandError.self) { try read(text) }
        #expect(try read(text, user: "b").points.map(\.position) == [place(3, 4)])
    }

    @Test(arguments: [
        "<gpx><trk><trkseg><trkpt lat=\"91\" lon=\"0\"/></trkseg></trk></gpx>",
        "<gpx><trk><trkseg><trkpt lat=\"1\"/></trkseg></trk></gpx>", "<gpx><trk>", "<gpx/>",
        "lat,lng\n1,181\n", "a,b\n1,2\n", "lat,lng\n", "lat,lng\n1\n", "",
    ])
    func `is refused with the file and the fault`(text: String) throws {
        do {
            _ = try read(text, "broken.txt")
            Issue.record("\(text) is no track")
        } catch let error as CommandError {
            #expect(error.message.contains("broken.txt"))
        }
    }

    @Test func `is read compressed`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.csv")
        try "lat,lng\n1,2\n".write(to: file, atomically: true, encoding: .utf8)
        let gzip = try Process.run(URL(filePath: "/usr/bin/env"), arguments: ["gzip", file.path])
        gzip.waitUntilExit()
        #expect(try TrackFile.read(file.path + ".gz").points.count == 1)
        try Data([0x1F, 0x8B, 1, 2]).write(to: folder.appending(path: "b.gz"))
        #expect(throws: CommandError.self) {
            try TrackFile.read(folder.appending(path: "b.gz").path)
        }
    }

    @Test func `has recorded times, and walking speed where they are unusable`() {
        let noon = Timestamp(seconds: 1_000_000)
        func point(_ east: Double, _ time: Timestamp?) -> TrackPoint {
            TrackPoint(position: place(0, east), time: time)
        }
        let track = Track(points: [
            point(0, noon), point(0.0001, noon + .seconds(5)), point(0.0002, noon + .seconds(5)),
            point(0.0003, nil), point(0.0003, noon + .seconds(9000)),
            point(0.0004, noon + .seconds(18_000)),
        ])
        let offsets = track.offsets(gapSecondsMax: 600)
        let walked = 11.12 / 1.4
        for (offset, wanted) in zip(offsets, [0, 5, 5 + walked, 5 + 2 * walked]) {
            #expect(abs(offset - wanted) < 0.1)
        }
        #expect(abs(offsets[4] - offsets[3] - 1) < 1e-9)
        #expect(abs(offsets[5] - offsets[4] - 600) < 1e-9)
        #expect(!track.isTimed)
        #expect(Track(points: Array(track.points.prefix(2))).isTimed)
    }
}

@Suite struct `A replay` {
    private func plan(_ options: String...) throws -> ReplayPlan { try plan(options) }

    private func plan(_ options: [String]) throws -> ReplayPlan {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.csv").path
        let text = """
            lat,lng,datetime
            1.5,2.25,2008-10-23 05:00:00
            1.6,2.35,2008-10-23 05:02:00
            1.7,2.45,2008-10-23 05:03:00
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try ReplayPlan(Call([file] + options, of: Replay.syntax, environment: [:]))
    }

    private let now = Timestamp(seconds: 2_000_000)

    @Test func `is faster by a factor`() throws {
        #expect(try plan().sendAt == [0, 120, 180])
        #expect(try plan("--speed", "60").sendAt == [0, 2, 3])
        #expect(try plan("--speed", "60", "--gap", "60").sendAt == [0, 1, 2])
        #expect(try plan("--limit", "2").sendAt == [0, 120])
        #expect(throws: CommandError.self) { try plan("--speed", "0") }
        #expect(throws: CommandError.self) { try plan("--speed", "fast") }
    }

    @Test func `sends every point as of now`() throws {
        let plan = try plan("--speed", "60")
        for index in 0..<3 { #expect(plan.time(of: index, sentAt: now) == now) }
    }

    @Test func `keeps time differences on request, and its last point is now`() throws {
        let plan = try plan("--speed", "60", "--keep-times")
        let times = (0..<3).map { index in
            plan.time(of: index, sentAt: now + .seconds([0, 2, 3][index]))
        }
        #expect(times[2] == now + .seconds(3))
        #expect(times[2] - times[0] == .seconds(180))
        #expect(times[2] - times[1] == .seconds(60))
    }

    @Test func `has the app's request bodies`() throws {
        let plan = try plan("--accuracy", "25")
        let body = plan.body(of: 1, id: "9f3a01bc", sentAt: now)
        #expect(body["_type"]?.string == "location")
        #expect(body["_id"]?.string == "9f3a01bc")
        #expect(body["lat"]?.double == 1.6)
        #expect(body["lon"]?.double == 2.35)
        #expect(body["tst"]?.int == 2_000_000)
        #expect(body["acc"]?.int == 25)
        #expect(body["alt"] == nil)
    }

    @Test func `has the velocity of the sent points`() throws {
        // 15.7 km in 2 min.
        for options in [[], ["--speed", "60", "--keep-times"]] {
            let plan = try plan(options)
            #expect(plan.body(of: 0, id: "a", sentAt: now)["vel"] == nil)
            #expect(plan.body(of: 1, id: "b", sentAt: now)["vel"]?.int == 472)
        }
        #expect(try plan(["--speed", "2"]).body(of: 1, id: "b", sentAt: now)["vel"]?.int == 943)
    }

    @Test func `shows its progress in any width`() {
        let bar = ProgressBar(total: 200, at: now)
        let line = bar.line(50, left: 61.2, at: now + .seconds(10), columns: 80)
        #expect(line.hasSuffix(" 25 %  50/200  5/s  1:02 left"))
        #expect(line.hasPrefix("[==========>"))
        for columns in 20...200 {
            for done in [0, 1, 100, 199, 200] {
                let text = bar.line(done, left: 5, at: now + .seconds(10), columns: columns)
                #expect(text.count <= max(columns, 45))
                #expect(text.contains("] "))
            }
        }
    }
}
