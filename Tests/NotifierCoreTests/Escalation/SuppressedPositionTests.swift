import Directory
import Geometry
import Model
import NotifierCore
import Testing

/// What recipients read if the position is not, or not exactly, shared with them. Aisha fell, which
/// is not an own call.
struct SuppressedPositionTests {
    private func texts(
        sharing: Sharing = .on, precision: Precision = .zone, radiusMetres: Int32 = 150,
        accuracyMetres: Int32 = 12, trigger: EmergencyTrigger = .fall, hasFix: Bool = true,
        metresNorth: Double = 0
    ) throws -> [String] {
        var world = World()
        var family = Town.family
        for index in family.members.indices where family.members[index].person == Town.aisha.id {
            family.members[index].sharing = sharing
            family.members[index].precision = precision
        }
        world.change(.circleChanged(family))
        var home = Town.zone(3, "Home", radiusMetres: radiusMetres)
        home.prepared = try prepare(home.shape)
        world.change(.zoneChanged(home))
        var news = Town.change(trigger: trigger)
        let position = Coordinate(
            latitude: Town.place.latitude + metresNorth / 111_000,
            longitude: Town.place.longitude)
        news.fix = Fix(
            time: World.start, position: try #require(position),
            accuracyCentimetres: accuracyMetres * 100)
        if !hasFix { news.fix = nil }
        world.receive(.emergencyOpened(news))
        return world.sent.map(\.text)
    }

    @Test func `a shared zone is named`() throws {
        let texts = try texts()
        #expect(!texts.isEmpty)
        #expect(texts.allSatisfy { $0.contains("At Home, 02:20") && !$0.contains("osm.org") })
    }

    @Test func `a position that is not shared is not called unknown`() throws {
        for texts in [
            try texts(radiusMetres: 99), try texts(metresNorth: 200),
            try texts(accuracyMetres: 151), try texts(sharing: .off),
            try texts(sharing: .off, precision: .exact),
            try texts(sharing: .pausedUntil(World.start + .seconds(60))),
        ] {
            #expect(!texts.isEmpty)
            #expect(texts.allSatisfy { $0.contains("Position not shared.") })
            #expect(!texts.contains { $0.contains("osm.org") || $0.contains("Home") })
        }
    }

    @Test func `an unknown position is called unknown`() throws {
        #expect(try texts(hasFix: false).allSatisfy { $0.contains("No position known.") })
    }

    @Test func `exact sharing, and the person's own call, show the position`() throws {
        #expect(try texts(precision: .exact).allSatisfy { $0.contains("osm.org") })
        #expect(try texts(sharing: .off, trigger: .panic).allSatisfy { $0.contains("osm.org") })
    }

    @Test(arguments: [
        (Language.english, "Position not shared.", "At Home, 02:18."),
        (.malay, "Kedudukan tidak dikongsi.", "Di Home, 02:18."),
        (.indonesian, "Posisi tidak dibagikan.", "Di Home, 02:18."),
    ])
    func `in three languages`(language: Language, notShared: String, inZone: String) {
        let reader = Reader(
            language: language, who: "Aisha", reference: "4711", now: World.start,
            offsetSeconds: 0)
        let zone = SuppressedPlace.zone("Home", taken: World.start - .seconds(120))
        for (suppressed, sentence) in [(SuppressedPlace.notShared, notShared), (zone, inZone)] {
            let alarm = Alarm(trigger: .fall, raised: World.start, suppressed: suppressed)
            let text = Composer(reader).render(.alarm(alarm, .first), on: .sms).text
            #expect(text.contains(sentence), "\(text)")
            let long = Alarm(
                trigger: .fall, raised: World.start,
                suppressed: .zone(String(repeating: "Long Name ", count: 9), taken: World.start))
            let rendered = Composer(reader).render(.alarm(long, .first), on: .sms)
            #expect(SMSText(rendered.text).segments == 1)
        }
    }
}
