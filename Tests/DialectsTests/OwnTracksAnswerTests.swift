import Model
import Parsing
import Testing

@testable import Dialects

@Suite struct OwnTracksAnswerTests {
    private let fix = Fix(
        time: Timestamp(seconds: 1_795_169_950),
        position: Coordinate(latitudeE7: 525_000_100, longitudeE7: -134_000_200),
        accuracyCentimetres: 2050, altitudeCentimetres: 3800, speedCentimetresPerSecond: 139,
        courseDegrees: 270)

    private func answer(_ friends: OwnTracks.Friend...) -> String {
        String(decoding: OwnTracks.answer(OwnTracks.AnswerContent(friends: friends)), as: UTF8.self)
    }

    @Test func `a friend is a card and a position`() {
        let text = answer(.init(trackerID: "BO", name: "Bob", fix: fix, battery: 40))
        #expect(
            text == #"[{"_type":"card","tid":"BO","name":"Bob"},"#
                + #"{"_type":"location","tid":"BO","topic":"owntracks/http/BO","#
                + #""lat":52.50001,"lon":-13.40002,"tst":1795169950,"acc":20,"alt":38,"#
                + #""vel":5,"cog":270,"batt":40}]"#)
    }

    @Test func `no friends are an empty array`() {
        #expect(answer() == "[]")
        #expect(OwnTracks.emptyAnswer == Array("[]".utf8))
    }

    @Test func `unknown values are omitted`() throws {
        let bare = Fix(
            time: Timestamp(seconds: 5), position: Coordinate(latitudeE7: 0, longitudeE7: 1))
        let json = try JSON.parse(answer(.init(trackerID: "A", name: "", fix: bare, battery: nil)))
        #expect(
            json[1]?.object?.map(\.key) == ["_type", "tid", "topic", "lat", "lon", "tst"])
        #expect(json[1]?["lat"]?.double == 0)
        #expect(json[1]?["lon"]?.double == 0.0000001)
    }

    @Test func `without a position or before 1970, only the card is sent`() throws {
        var early = fix
        early.time = .zero
        let json = try JSON.parse(
            answer(
                .init(trackerID: "A", name: "Ann", fix: nil, battery: 5),
                .init(trackerID: "B", name: "Ben", fix: early, battery: 5)))
        #expect(json.array?.compactMap { $0["_type"]?.string } == ["card", "card"])
    }

    @Test(arguments: ["Zoë \"Z\"", "back\\slash", "line\nbreak\u{1}", "名前", "🚲"])
    func `every name is escaped without loss`(name: String) throws {
        let json = try JSON.parse(answer(.init(trackerID: "X", name: name, fix: nil, battery: nil)))
        #expect(json[0]?["name"]?.string == name)
    }

    @Test func `an altitude has its accuracy if the friend's app sent it`() throws {
        var fix = fix
        let exact = OwnTracks.Friend(
            trackerID: "X", name: "X", fix: fix, battery: nil, altitudeAccuracyMetres: 4)
        #expect(try JSON.parse(answer(exact))[1]?["vac"]?.int == 4)
        let inexact = OwnTracks.Friend(trackerID: "X", name: "X", fix: fix, battery: nil)
        #expect(try JSON.parse(answer(inexact))[1]?["vac"] == nil)
        fix.altitudeCentimetres = nil
        let flat = OwnTracks.Friend(
            trackerID: "X", name: "X", fix: fix, battery: nil, altitudeAccuracyMetres: 4)
        #expect(try JSON.parse(answer(flat))[1]?["vac"] == nil)
    }

    /// Android drops the whole array if one element breaks these rules.
    @Test func `Android's parser accepts every element`() throws {
        let friends = (0..<20).map { number in
            OwnTracks.Friend(
                trackerID: "F\(number)", name: "Friend", fix: number % 3 == 0 ? nil : fix,
                battery: nil)
        }
        let elements = try #require(
            try JSON.parse(OwnTracks.answer(OwnTracks.AnswerContent(friends: friends))).array)
        #expect(elements.count == 20 + 13)
        for element in elements {
            switch element["_type"]?.string {
            case "card": #expect(element["tid"]?.string?.isEmpty == false)
            case "location":
                #expect(element["lat"]?.double != nil && element["lon"]?.double != nil)
                #expect((element["tst"]?.int ?? 0) > 0)
                #expect(element["tid"] != nil && element["topic"] != nil)
            default: Issue.record("an element of another type")
            }
        }
    }

    @Test(arguments: [Int32.min, -900_000_000, -1, 0, 1, 10, 123_456_789, 1_800_000_000, .max])
    func `degrees are written without loss`(value: Int32) throws {
        var text = JSONText(capacity: 16)
        text.degrees(value)
        let written = String(decoding: text.bytes, as: UTF8.self)
        let read = try #require(Double(written))
        #expect(Int64((read * 1e7).rounded()) == Int64(value))
        #expect(!written.contains(".") || written.last != "0")
    }
}
