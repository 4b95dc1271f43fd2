import Model
import TestSupport
import Testing
import ZoneFiles

private let circle = ZoneShape.circle(
    center: coordinate(10.5, -123.4567891), radiusCentimetres: 6025)

private func pad(_ drafts: [ZoneDraft]) throws -> (text: String, notes: [String]) {
    let written = try #require(ZoneFile.write(drafts, as: .pad))
    return (String(decoding: written.bytes, as: UTF8.self), written.notes.map(\.description))
}

@Suite struct `Zones as a PAD file` {
    @Test func `written files conform to the format`() throws {
        let draft = ZoneDraft(
            name: "Reef", kind: .alert, category: "Rocks", shape: circle, insetCentimetres: -50,
            alertDistanceMetres: 250, alarm: ZoneAlarm(sound: "Klaxon"), extra: ["Colour,red"])
        let written = try pad([draft])
        #expect(
            written.text == """
                AlertZoneStart,
                AlertZoneName,Reef
                AlertZoneCategory,Rocks
                AlertZoneActive,1
                AlertZoneVibrate,1
                AlertZonePriority,100
                AlertZoneSleepTime,600
                AlertZoneSize,60.25
                AlertZoneInset,-0.5
                AlertDistance,250
                AlertZoneSoundName,Klaxon
                Colour,red
                Location,1,10.5,-123.4567891
                AlertZoneEnd,

                """)
        #expect(written.notes.isEmpty)
    }

    @Test func `a comma or a line break in a name is replaced and reported`() throws {
        let drafts = ["Smith, John\r\nHome", "plain"].map {
            ZoneDraft(name: $0, kind: .alert, shape: circle)
        }
        let written = try pad(drafts)
        #expect(try read(written.text).drafts.map(\.name) == ["Smith; John  Home", "plain"])
        #expect(written.notes == ["zone 1: a comma or line break in its name was replaced"])
        let category = ZoneDraft(name: "n", kind: .alert, category: "a,b", shape: circle)
        #expect(try pad([category]).notes.count == 1)
    }

    @Test func `a name that is only a line break becomes a number`() throws {
        let written = try pad([ZoneDraft(name: "\n", kind: .alert, shape: circle)])
        #expect(try read(written.text).drafts[0].name == "Zone 1")
    }

    @Test func `no kept row can end the zone or conceal another row`() throws {
        let rows = ["AlertZoneEnd,", "a,b\nAlertZoneEnd", " x", "Name,A,", ",", "Good,1", "b\rc"]
        let written = try pad([ZoneDraft(name: "n", kind: .alert, shape: circle, extra: rows)])
        #expect(try read(written.text).drafts.map(\.extra) == [["Good,1"]])
        #expect(written.notes.contains { $0.contains("extra rows") })
    }

    @Test func `several parts become several zones, and losses are reported`() throws {
        let ring = [coordinate(0, 0), coordinate(0, 2), coordinate(2, 2)]
        let hole = [coordinate(0.5, 1), coordinate(0.5, 1.2), coordinate(0.6, 1.2)]
        let islands = ZoneShape.polygons([
            Polygon(outer: ring, holes: [hole]),
            Polygon(outer: ring.map { coordinate($0.latitude, -5) }),
        ])
        let bend = ZoneShape.corridor(line: ring, halfWidthCentimetres: 500)
        let written = try pad([
            ZoneDraft(name: "Isles", kind: .safe, shape: islands, dwellSeconds: 60),
            ZoneDraft(name: "Path", kind: .alert, shape: bend),
        ])
        let again = try read(written.text).drafts
        #expect(again.map(\.name) == ["Isles (1)", "Isles (2)", "Path (1)", "Path (2)"])
        #expect(again[0].shape == .polygons([Polygon(outer: ring)]))
        #expect(again[3].shape == .corridor(line: [ring[1], ring[2]], halfWidthCentimetres: 500))
        for text in ["safe zone", "holes", "dwell", "2 zones"] {
            #expect(written.notes.contains { $0.hasPrefix("zone 1") && $0.contains(text) })
        }
        #expect(written.notes.count == 5)
    }

    @Test func `zones survive a round trip`() throws {
        for seed in 0..<UInt64(2000) {
            var random = SeededGenerator(seed: seed)
            let drafts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                RandomDraft.alert(using: &random)
            }
            let written = try pad(drafts)
            #expect(written.notes.isEmpty)
            let once = try read(written.text)
            #expect(once.drafts == drafts)
            #expect(try pad(once.drafts).text == written.text)
        }
    }
}
