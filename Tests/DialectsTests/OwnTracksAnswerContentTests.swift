import Hashing
import Model
import Parsing
import Testing

@testable import Dialects

/// Answers other than positions.
@Suite struct OwnTracksAnswerContentTests {
    private static let person = PersonID(ID128(high: 1, low: 1))

    private func policy(_ mode: ReportingMode, filter: Int32? = nil, interval: Int32 = 180)
        -> ReportingPolicy
    {
        ReportingPolicy(
            person: Self.person, device: DeviceID(ID128(high: 2, low: 1)), mode: mode,
            distanceFilterMetres: filter, intervalSeconds: interval, contactTimeoutSeconds: 1800)
    }

    private func text(_ content: OwnTracks.AnswerContent) -> String {
        String(decoding: OwnTracks.answer(content), as: UTF8.self)
    }

    private func configuration(_ policy: ReportingPolicy, _ app: OwnTracks.App) -> String {
        text(OwnTracks.AnswerContent(configuration: OwnTracks.Configuration(policy, for: app)))
    }

    @Test(
        arguments: [
            (ReportingMode.event, 60, nil, #""monitoring":2,"moveModeLocatorInterval":60"#),
            (
                .standard, 180, 280,
                #""monitoring":1,"locatorInterval":10,"locatorDisplacement":280"#
            ),
            (
                .standard, 180, nil,
                #""monitoring":1,"locatorInterval":10,"locatorDisplacement":50"#
            ),
            (
                .significant, 180, nil,
                #""monitoring":1,"locatorInterval":60,"locatorDisplacement":500"#
            ),
            (
                .region, 1800, nil,
                #""monitoring":1,"locatorInterval":60,"locatorDisplacement":500"#
            ),
        ] as [(ReportingMode, Int32, Int32?, String)])
    func `Android waits for interval and distance, so the interval is short`(
        mode: ReportingMode, interval: Int32, filter: Int32?, want: String
    ) {
        let policy = policy(mode, filter: filter, interval: interval)
        let command =
            #"[{"_type":"cmd","action":"setConfiguration","configuration":"#
            + #"{"_type":"configuration",\#(want)}}]"#
        #expect(configuration(policy, .android) == command)
        #expect(configuration(policy, .other) == command, "any phone may be as strict")
    }

    @Test(
        arguments: [
            (
                ReportingMode.event, 60, nil,
                #""monitoring":2,"locatorInterval":60,"locatorDisplacement":100"#
            ),
            (
                .standard, 180, 30,
                #""monitoring":2,"locatorInterval":180,"locatorDisplacement":30"#
            ),
            (.significant, 180, nil, #""monitoring":1"#), (.region, 1800, nil, #""monitoring":1"#),
        ] as [(ReportingMode, Int32, Int32?, String)])
    func `iOS uses whichever comes first, and only in move mode`(
        mode: ReportingMode, interval: Int32, filter: Int32?, want: String
    ) {
        let policy = policy(mode, filter: filter, interval: interval)
        #expect(configuration(policy, .iOS).contains("\"configuration\"," + want + "}"))
    }

    @Test func `a location request is a command that both apps know`() throws {
        let answer = try JSON.parse(text(OwnTracks.AnswerContent(requestsLocation: true)))
        #expect(answer == [["_type": "cmd", "action": "reportLocation"]])
    }

    @Test func `a card precedes the position, may have a face, and is omitted if unchanged`()
        throws
    {
        let fix = Fix(
            time: Timestamp(seconds: 1_795_170_000),
            position: Coordinate(latitudeE7: 10_000_000, longitudeE7: 20_000_000))
        func content(_ card: OwnTracks.Friend.ShownCard) -> OwnTracks.AnswerContent {
            let friend = OwnTracks.Friend(
                person: Self.person, trackerID: "AN", name: "Anna", fix: fix, battery: nil,
                card: card)
            return OwnTracks.AnswerContent(friends: [friend], avatars: [Self.person: [1, 2, 3]])
        }
        func types(_ content: OwnTracks.AnswerContent) throws -> [String?] {
            try JSON.parse(text(content)).array?.map { $0["_type"]?.string } ?? []
        }
        #expect(try types(content(.avatar)) == ["card", "location"])
        #expect(try types(content(.name)) == ["card", "location"])
        #expect(try types(content(.none)) == ["location"])
        #expect(text(content(.avatar)).contains(#""name":"Anna","face":"AQID"}"#))
        #expect(!text(content(.name)).contains("face"))
    }

    @Test func `Android knows every element of the fullest answer`() throws {
        let fix = Fix(
            time: Timestamp(seconds: 1_795_170_000),
            position: Coordinate(latitudeE7: 10_000_000, longitudeE7: 20_000_000))
        let friends = (0..<3).map { number in
            OwnTracks.Friend(
                person: Self.person, trackerID: "A\(number)", name: "\u{1}\"", fix: fix,
                battery: 5, card: .avatar)
        }
        let content = OwnTracks.AnswerContent(
            friends: friends,
            rings: [OwnTracks.Ring(zoneName: "Z", fix: fix, started: fix.time, rang: fix.time)],
            avatars: [Self.person: [9]], requestsLocation: true,
            configuration: OwnTracks.Configuration(policy(.standard), for: .android))
        let elements = try #require(try JSON.parse(text(content)).array)
        #expect(elements.count == 9)
        let known = ["reportLocation", "setConfiguration"]
        for element in elements {
            switch element["_type"]?.string {
            case "card": #expect(element["tid"] != nil && element["name"] != nil)
            case "location", "transition":
                for key in ["lat", "lon", "tst", "tid"] { #expect(element[key] != nil) }
            case "cmd": #expect(known.contains(element["action"]?.string ?? ""))
            case let other: Issue.record("Android does not know \(other ?? "nothing")")
            }
        }
    }

    @Test func `an encrypted answer is decrypted only with the passphrase`() throws {
        let key = try #require(OwnTracks.Key(passphrase: "correct horse"))
        let nonce = [UInt8](repeating: 7, count: 24)
        let sealed = OwnTracks.seal(Array("[]".utf8), key: key, nonce: nonce)
        let json = try JSON.parse(sealed)
        #expect(json["_type"] == "encrypted")
        let bytes = try #require(json["data"]?.string.flatMap { Base64.decode($0) })
        let padded = Array("correct horse".utf8) + [UInt8](repeating: 0, count: 19)
        #expect(SecretBox.open(bytes, key: padded) == Array("[]".utf8))
        #expect(Array(bytes[..<24]) == nonce)
    }

    @Test func `a passphrase has 1 to 32 bytes and is not in descriptions`() throws {
        #expect(OwnTracks.Key(passphrase: "") == nil)
        #expect(OwnTracks.Key(passphrase: String(repeating: "x", count: 33)) == nil)
        #expect(OwnTracks.Key(passphrase: String(repeating: "é", count: 17)) == nil)
        #expect(OwnTracks.Key(bytes: [1, 2, 3]) == nil)
        let key = try #require(OwnTracks.Key(passphrase: String(repeating: "x", count: 32)))
        #expect("\(key)" == "a key")
        #expect(OwnTracks.Key(bytes: key.bytes) == key)
    }

    @Test(arguments: [
        ("Owntracks-Android/gms/420500003", OwnTracks.App.android),
        ("OwnTracks/18.4.1 CFNetwork/1568.300.101 Darwin/24.2.0", .iOS),
        ("Overland/1.5.1 CFNetwork/1568.300.101 Darwin/24.2.0", .overland), ("curl/8.5.0", .other),
        ("", .other),
    ])
    func `an app is identified by its user agent`(name: String, app: OwnTracks.App) {
        #expect(OwnTracks.App(userAgent: name) == app)
    }
}
