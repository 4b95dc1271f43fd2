import Model
import Testing
import ZoneFiles

private let radius = ReadingOptions(pointRadiusCentimetres: 10_000)

/// A KML file with placemarks.
private func kml(_ placemarks: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <kml xmlns="http://www.opengis.net/kml/2.2"><Document>\(placemarks)</Document></kml>
    """
}

private let boundary = "<LinearRing><coordinates>0,0 1,0,5\n\t1,1 0,0</coordinates></LinearRing>"
private let polygon = "<Polygon><outerBoundaryIs>\(boundary)</outerBoundaryIs></Polygon>"
private let ring = [coordinate(0, 0), coordinate(0, 1), coordinate(1, 1)]

@Suite struct `Waypoints of a GPX file` {
    private let text = """
        <?xml version="1.0"?>
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"
          xmlns:x="http://www.garmin.com/xmlschemas/GpxExtensions/v3">
        <metadata><name>Not a zone</name></metadata>
        <wpt lat="45.5" lon=" 14.25 "><ele>3</ele><name>Well &amp; <![CDATA[<tree>]]></name>
          <type>Water</type></wpt>
        <!-- <wpt lat="1" lon="1"/> -->
        <wpt lat="-1" lon="-2"><extensions><x:WaypointExtension><x:Proximity>55.5</x:Proximity>
          </x:WaypointExtension></extensions></wpt>
        <trk><name>Way</name><trkseg><trkpt lat="1" lon="1"/></trkseg></trk>
        </gpx>
        """

    @Test func `become circles`() throws {
        let file = try read(text, as: .gpx, radius)
        #expect(
            file.drafts == [
                ZoneDraft(
                    name: "Well & <tree>", category: "Water",
                    shape: .circle(center: coordinate(45.5, 14.25), radiusCentimetres: 10_000)),
                ZoneDraft(
                    name: "Zone 2",
                    shape: .circle(center: coordinate(-1, -2), radiusCentimetres: 5550)),
            ])
        #expect(file.entries.map(\.location) == [.line(5), .line(8)])
        #expect(file.notes.count == 1)
    }

    @Test func `need a radius`() {
        let error = rejection(of: text, as: .gpx)
        #expect(error?.code == .missing)
        #expect(error?.location == .line(5))
    }

    @Test(arguments: [
        (#"lat="45.5" lon=" 14.25 ""#, #"lat="91" lon="1""#, FileError.Code.range),
        (#"lat="45.5" lon=" 14.25 ""#, #"lat="1""#, .value),
        (#"lat="45.5" lon=" 14.25 ""#, #"lat="1,5" lon="2""#, .value),
    ])
    func `need a position`(good: String, bad: String, code: FileError.Code) {
        let error = rejection(of: text.replacing(good, with: bad), as: .gpx, radius)
        #expect(error?.code == code)
        #expect(error?.location == .line(5))
    }
}

@Suite struct `Polygons of a KML file` {
    @Test func `become zones, with holes and islands`() throws {
        let inner = "<innerBoundaryIs>\(boundary)</innerBoundaryIs>"
        let holed = polygon.replacing("</Polygon>", with: inner + "</Polygon>")
        let file = try read(
            kml(
                "<name>Folder</name><Placemark><name> A </name>\(polygon)</Placemark>\n"
                    + "<Placemark><MultiGeometry>\(holed)\(polygon)</MultiGeometry></Placemark>"),
            as: .kml, ReadingOptions(kind: .alert))
        #expect(
            file.drafts == [
                ZoneDraft(name: "A", kind: .alert, shape: .polygons([Polygon(outer: ring)])),
                ZoneDraft(
                    name: "Zone 2", kind: .alert,
                    shape: .polygons([Polygon(outer: ring, holes: [ring]), Polygon(outer: ring)])),
            ])
        #expect(file.notes.isEmpty)
    }

    @Test func `other placemarks are ignored and reported`() throws {
        let point = "<Placemark><Point><coordinates>2,1</coordinates></Point></Placemark>"
        let line =
            "<Placemark><LineString><coordinates>2,1 3,1</coordinates></LineString></Placemark>"
        let text = kml(point + "\n" + line)
        let file = try read(text, as: .kml)
        #expect(file.entries.isEmpty)
        #expect(file.notes.map(\.location) == [.line(2), .line(3)])
        #expect(
            try read(text, as: .kml, radius).drafts.map(\.shape) == [
                .circle(center: coordinate(1, 2), radiusCentimetres: 10_000)
            ])
    }

    @Test(arguments: [
        ("1,1 0,0<", "1,1 0,5<", "not closed"),
        ("1,0,5\n\t1,1", "1,0", "at least four points"),
        ("1,0,5", "1, 0,5", "point 2 of the coordinates is not a position"),
        ("1,0,5", "x,0,5", "point 2 of the coordinates is not a position"),
        ("1,0,5", "1,0,5,6", "point 2 of the coordinates is not a position"),
        ("1,0,5", "3,101", "point 2 of the coordinates: the latitude"),
        ("outerBoundaryIs>", "innerBoundaryIs>", "no outer boundary"),
    ])
    func `an invalid ring is rejected with its line`(good: String, bad: String, words: String) {
        let text = kml("<Placemark>\n\(polygon.replacing(good, with: bad))</Placemark>")
        let error = rejection(of: text, as: .kml)
        #expect(error?.location == .line(words.contains("outer") && !bad.contains("x,0") ? 4 : 3))
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "none")")
    }

    @Test func `KMZ is rejected with a hint`() {
        #expect(rejection(of: "PK\u{3}\u{4}...", as: .kml)?.hint.contains("Unpack") == true)
    }
}

@Suite struct `Errors in XML` {
    private let bomb = """
        <?xml version="1.0"?>
        <!DOCTYPE kml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
        <kml>&b;</kml>
        """

    @Test func `document types are rejected, so no entity expands or is fetched`() {
        let error = rejection(of: bomb, as: .kml)
        #expect(error?.code == .unsupported)
        #expect(error?.location == .line(2))
        let outside = bomb.replacing("[<!ENTITY", with: "SYSTEM \"file:///etc/passwd\" [<!ENTITY")
        #expect(rejection(of: outside, as: .kml)?.code == .unsupported)
    }

    @Test(arguments: [
        ("", 1), ("<kml>", 1), ("<kml>\n</gpx>", 2), ("<kml>\n&nbsp;</kml>", 2),
        ("<kml a='1' a='2'/>", 1), ("<kml/>\n<kml/>", 2), ("<kml>\n\u{1}</kml>", 2),
        ("<?xml version='1.0' encoding='EBCDIC'?>\n<kml/>", 1), ("text", 1),
    ])
    func `malformed XML is rejected with its line`(text: String, line: Int) {
        let error = rejection(of: text, as: .kml)
        #expect(error?.code == .malformed)
        #expect(error?.location == .line(line))
    }

    @Test func `nesting of elements is limited`() {
        let text =
            String(repeating: "<kml>\n", count: 5000) + String(repeating: "</kml>", count: 5000)
        let error = rejection(of: text, as: .kml)
        #expect(error?.code == .tooMuch)
        #expect(error?.location == .line(FileLimits.depthMax + 1))
    }

    @Test(arguments: [(FileFormat.gpx, "<kml/>"), (.kml, "<gpx/>"), (.kml, "<html/>")])
    func `other XML is rejected`(format: FileFormat, text: String) {
        #expect(rejection(of: text, as: format, radius)?.code == .malformed)
    }
}

@Suite struct `A zone file` {
    @Test(arguments: [
        ("a.pad", FileFormat.pad), ("A.PAD", .pad), ("x.y.geojson", .geojson), ("x.json", .geojson),
        ("w.gpx", .gpx), ("k.kml", .kml),
    ])
    func `has a format by its name`(name: String, format: FileFormat) {
        #expect(FileFormat(fileName: name) == format)
    }

    @Test(arguments: ["pad", "x.txt", "", "x."]) func `has no format for an unknown name`(
        name: String
    ) {
        #expect(FileFormat(fileName: name) == nil)
    }

    @Test(arguments: FileFormat.allCases) func `that is too large is rejected`(format: FileFormat) {
        let bytes = [UInt8](repeating: 32, count: FileLimits.bytesMax + 1)
        #expect {
            try ZoneFile.read(bytes, as: format)
        } throws: {
            ($0 as? FileError)?.code == .tooMuch
        }
    }

    @Test func `has a limited number of notes`() throws {
        let row = "X,1\n"
        let zone =
            "AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1\n" + row + row + "AlertZoneEnd\n"
        let file = try read(String(repeating: zone, count: 60))
        #expect(file.notes.count == FileLimits.notesMax + 1)
        #expect(file.notes.last?.text == "and 20 more notes")
    }
}
