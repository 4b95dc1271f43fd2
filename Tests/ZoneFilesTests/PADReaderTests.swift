import Model
import Testing
import ZoneFiles

private let example = """
    AlertZoneStart,,,
    AlertZoneName,A name,,
    AlertZoneActive, 1
    AlertZoneSize,60.0,,
    Location,1,10.5,123.4
    AlertZoneEnd,,,

    """

@Suite struct `Zones of a PAD file` {
    @Test func `one location is a circle, and missing rows have defaults`() throws {
        let file = try read(example)
        let circle = ZoneShape.circle(center: coordinate(10.5, 123.4), radiusCentimetres: 6000)
        #expect(file.drafts == [ZoneDraft(name: "A name", kind: .alert, shape: circle)])
        #expect(file.entries.map(\.location) == [.line(1)])
        #expect(file.notes.isEmpty)
        let draft = file.drafts[0]
        #expect(draft.active && draft.alarm.vibrates && draft.alarm.sound.isEmpty)
        #expect(draft.priority == 100 && draft.alarm.sleepSeconds == 600)
        #expect(draft.insetCentimetres == 0 && draft.alertDistanceMetres == 0)
    }

    @Test func `every row is read, in any order`() throws {
        let file = try read(
            """
            AlertZoneStart
            Location,7,-3.5,101.25
            AlertZoneSoundName,Klaxon Loud
            AlertDistance,250
            AlertZoneInset,-30
            AlertZoneSize,0.5
            AlertZoneSleepTime,90
            AlertZonePriority,-3
            AlertZoneVibrate,0
            AlertZoneActive,0
            AlertZoneCategory,Rocks
            AlertZoneName,Reef
            AlertZoneEnd
            """)
        #expect(
            file.drafts == [
                ZoneDraft(
                    name: "Reef", kind: .alert, category: "Rocks", active: false, priority: -3,
                    shape: .circle(center: coordinate(-3.5, 101.25), radiusCentimetres: 50),
                    insetCentimetres: -3000, alertDistanceMetres: 250,
                    alarm: ZoneAlarm(vibrates: false, sound: "Klaxon Loud", sleepSeconds: 90))
            ])
    }

    @Test func `two locations are a corridor in the order of their indexes`() throws {
        let file = try read(
            "AlertZoneStart\nLocation,2,1,2\nLocation,-1,3,4\nAlertZoneSize,20\nAlertZoneEnd")
        #expect(
            file.drafts.map(\.shape) == [
                .corridor(line: [coordinate(3, 4), coordinate(1, 2)], halfWidthCentimetres: 2000)
            ])
    }

    @Test(arguments: ["", "AlertZoneSize,60\n"])
    func `three locations are a polygon without a size`(size: String) throws {
        let file = try read(
            "AlertZoneStart\n\(size)Location,30,0,1\nLocation,10,0,0\nLocation,20,1,1\nAlertZoneEnd"
        )
        #expect(
            file.drafts.map(\.shape) == [
                .polygons([Polygon(outer: [coordinate(0, 0), coordinate(1, 1), coordinate(0, 1)])])
            ])
    }

    @Test func `zones without a name are numbered`() throws {
        let zone = "AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1\nAlertZoneEnd\n"
        let named = zone.replacing("\nL", with: "\nAlertZoneName,Second\nL")
        let blank = zone.replacing("\nL", with: "\nAlertZoneName,  ,,\nL")
        let file = try read(zone + named + "\n,,,\n" + zone + blank)
        #expect(file.drafts.map(\.name) == ["Zone 1", "Second", "Zone 3", "Zone 4"])
        #expect(file.entries.map(\.location) == [1, 5, 12, 16].map(FileLocation.line))
    }

    @Test func `empty values count as missing`() throws {
        let rows = ["Name", "Category", "Active", "Vibrate", "Priority", "SleepTime", "Inset"]
        let empty = rows.map { "AlertZone\($0), ,\n" }.joined()
        let full = example.replacing("Location", with: empty + "AlertDistance\nLocation")
            .replacing("AlertZoneName,A name,,\n", with: "")
            .replacing("AlertZoneActive, 1\n", with: "")
        let draft = try read(full).drafts[0]
        var wanted = try read(example).drafts[0]
        wanted.name = "Zone 1"
        #expect(draft == wanted)
    }

    @Test func `trailing blanks, tabs and commas are ignored`() throws {
        let loose = example.replacing(
            "Location,1,10.5,123.4", with: " \tLocation , 1,\t10.5 ,123.4 , ,,"
        )
        .replacing("AlertZoneEnd,,,", with: "  AlertZoneEnd ,")
        #expect(try read(loose).drafts == read(example).drafts)
    }

    @Test(arguments: ["\r\n", "\r"]) func `every line ending is accepted`(end: String) throws {
        #expect(try read(example.replacing("\n", with: end)) == read(example))
    }

    @Test func `an empty file has no zones`() throws {
        #expect(try read("").entries.isEmpty)
        #expect(try read("\u{FEFF}\r\n ,,\r\n").entries.isEmpty)
    }

    @Test func `a comma separates even inside quotes, and ignored values are reported`() throws {
        let file = try read(example.replacing("A name,,", with: "\"Smith, John\""))
        #expect(file.drafts[0].name == "\"Smith")
        #expect(file.notes.map(\.location) == [.line(2)])
    }

    @Test func `unknown rows are kept in order and reported`() throws {
        let file = try read(
            example.replacing("Location", with: "Colour , red,, dark,\nalertzonesize,5\nLocation"))
        #expect(file.drafts[0].extra == ["Colour,red,,dark", "alertzonesize,5"])
        #expect(file.notes.map(\.location) == [.line(5), .line(6)])
    }

    @Test func `integral fields are rounded up`() throws {
        let file = try read(
            example.replacing(
                "Location", with: "AlertDistance,10.2\nAlertZoneSleepTime,0.5\nLocation"))
        #expect(file.drafts[0].alertDistanceMetres == 11)
        #expect(file.drafts[0].alarm.sleepSeconds == 1)
    }
}

@Suite struct `Encodings of a PAD file` {
    private let text = example.replacing("A name", with: "Café “Ä” €5")

    private func name(_ bytes: [UInt8]) throws -> String {
        try ZoneFile.read(bytes, as: .pad).drafts[0].name
    }

    @Test(arguments: [[], [0xEF, 0xBB, 0xBF] as [UInt8]]) func `UTF-8`(mark: [UInt8]) throws {
        #expect(try name(mark + Array(text.utf8)) == "Café “Ä” €5")
    }

    @Test func `UTF-16 in both byte orders`() throws {
        let units = Array(text.replacing("€5", with: "€5 🏝️").utf16)
        var little: [UInt8] = [0xFF, 0xFE]
        var big: [UInt8] = [0xFE, 0xFF]
        for unit in units {
            little += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            big += [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
        #expect(try name(little) == "Café “Ä” €5 🏝️")
        #expect(try name(big) == "Café “Ä” €5 🏝️")
    }

    @Test func `Windows-1252 if the bytes are not UTF-8`() throws {
        let known: [Character: UInt8] = ["é": 0xE9, "“": 0x93, "Ä": 0xC4, "”": 0x94, "€": 0x80]
        #expect(try name(text.map { known[$0] ?? $0.asciiValue! }) == "Café “Ä” €5")
    }

    @Test(arguments: [
        ("half a character of UTF-16", [0xFF, 0xFE, 0x41], 1),
        ("a lone surrogate", [0xFE, 0xFF, 0, 10, 0xDC, 0, 0, 65], 2),
        ("a surrogate at the end", [0xFF, 0xFE, 10, 0, 0x00, 0xD8], 2),
        ("two lead surrogates", [0xFE, 0xFF, 0xD8, 0, 0xD8, 0], 1),
        ("a byte that Windows-1252 does not define", [10, 10, 0xE9, 0x81], 3),
        ("UTF-16 without a byte order mark", [65, 0, 10, 0], 1),
    ])
    func `invalid text`(what: String, bytes: [UInt8], line: Int) {
        #expect {
            try ZoneFile.read(bytes, as: .pad)
        } throws: {
            let error = $0 as? FileError
            return error?.code == .malformed && error?.location == .line(line)
        }
    }

    @Test func `a wrong byte order mark`() {
        #expect(throws: FileError.self) {
            try ZoneFile.read([0xEF, 0xBB, 0xBF, 0xE9, 0x41], as: .pad)
        }
    }
}
