import Model
import Testing
import ZoneFiles

private func track(_ text: String) throws(FileError) -> Track {
    try Track.read(Array(text.utf8))
}

private func rejection(of text: String) -> FileError? {
    do throws(FileError) {
        _ = try track(text)
        return nil
    } catch {
        return error
    }
}

private let time = Timestamp("2026-11-20T10:20:00Z")!

@Suite struct `Tracks of a CSV file` {
    @Test(arguments: [
        "2026-11-20T10:20:00Z", "2026-11-20T18:20:00.000+08:00", "2026-11-20 10:20:00",
        "1795170000", "1795170000.0", "1795170000000", "\"2026-11-20 10:20:00\"",
    ])
    func `times may have several formats`(text: String) throws {
        #expect(try track("lat,lon,time\n1,2,\(text)\n").points.map(\.time) == [time])
    }

    @Test func `columns are found by name, in any order`() throws {
        let point = TrackPoint(
            position: coordinate(3.5, 101.25), time: time, accuracyCentimetres: 450,
            altitudeCentimetres: 1200, speedCentimetresPerSecond: 150, courseDegrees: 359,
            owner: "7")
        let texts = [
            "\u{FEFF}Longitude, Latitude ,timestamp,ACC,Speed,bearing,alt,uid,other\r\n"
                + "101.25,3.5,1795170000,4.5,1.5,359,12,7,x\r\n",
            "uid;course;speed;accuracy;datetime;altitude;lng;lat\n"
                + "7;359;1.5;4.5;2026-11-20 10:20:00;12;101.25;3.5\n\n;;;\n",
            "\"lon\"\t\"lat\"\ttime\taccuracy\tspeed\theading\tele\tuser\n"
                + "101.25\t3.5\t1795170000\t4.5\t1.5\t359\t12\t7",
        ]
        for text in texts { #expect(try track(text).points == [point]) }
    }

    @Test func `GeoLife's format is supported`() throws {
        let found = try track(
            "lat,lng,datetime,uid\n39.984094,116.319236,2008-10-23 05:53:05,001\n"
                + "39.984198,116.319322,2008-10-23 05:53:06,002\n")
        #expect(
            found.points.map(\.time) == ["05", "06"].map { Timestamp("2008-10-23T05:53:\($0)Z") })
        #expect(found.owners == ["001", "002"])
        #expect(found.points[0].fix?.position == coordinate(39.984094, 116.319236))
    }

    @Test func `missing values are unknown`() throws {
        let found = try track("lat,lon,time,speed,acc\n1,2\n1,2,,-1,0\n").points
        #expect(found == Array(repeating: TrackPoint(position: coordinate(1, 2)), count: 2))
        #expect(found[0].fix == nil)
    }

    @Test(arguments: [
        ("x,2,1795170000,5", FileError.Code.value, "latitude is not a number"),
        ("1,nan,1795170000,5", .value, "longitude is not a number"),
        ("1,2,soon,5", .value, "time is malformed"),
        ("1,2,2026-02-30 10:00:00,5", .value, "time is malformed"),
        ("1,2,1e300,5", .value, "time is malformed"),
        ("1,2,1795170000,5 m", .value, "accuracy is not a number"),
        (",2,1795170000,5", .missing, "latitude or longitude is missing"),
        ("1", .missing, "latitude or longitude is missing"),
        ("91,2,1795170000,5", .range, "latitude is not between"),
        ("1,-181,1795170000,5", .range, "longitude is not between"),
    ])
    func `an invalid line is rejected with its number`(
        line: String, code: FileError.Code, words: String
    ) {
        let error = rejection(of: "lat,lon,time,accuracy\n1,2,1795170000,5\n\n\(line)\n")
        #expect(error?.code == code)
        #expect(error?.location == .line(4))
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "none")")
    }

    @Test(arguments: ["", "\n\n", "1,2,3\n4,5,6", "lat,time\n1,2", "lat,lat,lon\n1,1,1"])
    func `columns must be named`(text: String) {
        #expect(rejection(of: text) != nil)
    }
}

@Suite struct `Tracks of a GPX file` {
    private func gpx(_ inner: String) -> String {
        "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\">"
            + "<metadata><time>2020-01-01T00:00:00Z</time></metadata>\(inner)</gpx>"
    }

    @Test func `points of all segments are read with their values`() throws {
        let found = try track(
            gpx(
                "<wpt lat=\"9\" lon=\"9\"/><rte><rtept lat=\"8\" lon=\"8\"/></rte><trk><trkseg>"
                    + "<trkpt lat=\"3.5\" lon=\"101.25\"><ele>12</ele><time>2026-11-20T10:20:00Z"
                    + "</time><speed>1.5</speed><course>360</course><hdop>1.2</hdop></trkpt>"
                    + "</trkseg></trk><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><extensions>"
                    + "<e:TrackPointExtension xmlns:e=\"urn:e\"><e:speed>2</e:speed>"
                    + "</e:TrackPointExtension></extensions></trkpt></trkseg></trk>"))
        #expect(
            found.points == [
                TrackPoint(
                    position: coordinate(3.5, 101.25), time: time, altitudeCentimetres: 1200,
                    speedCentimetresPerSecond: 150, courseDegrees: 0, hdop: 1.2),
                TrackPoint(position: coordinate(1, 2), speedCentimetresPerSecond: 200),
            ])
    }

    @Test func `a route is read if there is no track`() throws {
        let found = try track(gpx("<rte><rtept lat=\"8\" lon=\"7\"/></rte>"))
        #expect(found.points == [TrackPoint(position: coordinate(8, 7))])
    }

    @Test func `an invalid point is rejected with its line`() {
        let point = gpx(
            "<trk><trkseg>\n<trkpt lat=\"1\" lon=\"2\">\n<time>x</time></trkpt></trkseg></trk>")
        #expect(rejection(of: point)?.location == .line(4))
        #expect(
            rejection(of: point.replacing("lat=\"1\"", with: "lat=\"100\""))?.location == .line(3))
    }
}
