import Directory
import Geometry
import Model
import NotifierCore
import Testing

/// What recipients read of the position where it is not, or not exactly, theirs to know. Aisha
/// fell: that is no call of her own.
struct WhereaboutsTests {
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
        var news = Town.news(trigger: trigger)
        let position = Coordinate(
            latitude: Town.place.latitude + metresNorth / 111_000,
            longitude: Town.place.longitude)
        news.fix = Fix(
            time: World.start, position: try #require(position),
            accuracyCentimetres: accuracyMetres * 100)
        if !hasFix { news.fix = nil }
        world.tell(.emergencyOpened(news))
        return world.sent.map(\.text)
    }

    @Test func `a zone that is shared is named`() throws {
        let texts = try texts()
        #expect(!texts.isEmpty)
        #expect(texts.allSatisfy { $0.contains("At Home, 02:20") && !$0.contains("osm.org") })
    }

    @Test func `a position that is known and not shared is not called unknown`() throws {
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

    @Test func `a position that nobody knows is called so`() throws {
        #expect(try texts(hasFix: false).allSatisfy { $0.contains("No position known.") })
    }

    @Test func `exact sharing, and the person's own call, show the place`() throws {
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
        let zone = WithheldPlace.zone("Home", taken: World.start - .seconds(120))
        for (withheld, sentence) in [(WithheldPlace.notShared, notShared), (zone, inZone)] {
            let alarm = Alarm(trigger: .fall, raised: World.start, withheld: withheld)
            let text = Composer(reader).words(for: .alarm(alarm, .first), on: .sms).text
            #expect(text.contains(sentence), "\(text)")
            let long = Alarm(
                trigger: .fall, raised: World.start,
                withheld: .zone(String(repeating: "Long Name ", count: 9), taken: World.start))
            let words = Composer(reader).words(for: .alarm(long, .first), on: .sms)
            #expect(SMSText(words.text).segments == 1)
        }
    }
}
