import Model
import Testing

@testable import Dialects

/// Messages of the OwnTracks apps with their peculiarities.
@Suite struct OwnTracksTests {
    static let received = Timestamp("2026-11-20T10:20:05.000Z")!

    static func read(_ body: String, sosWord: String = "SOS") -> Reading {
        OwnTracks.read(Array(body.utf8), received: received, sosWord: sosWord)
    }

    @Test func `Android's report has every field`() throws {
        let reading = Self.read(
            """
            {"_type":"location","_id":"9f3a01bc","lat":52.51631,"lon":13.37777,"tst":1795170000,
             "created_at":1795170004,"acc":12,"alt":38,"vac":4,"vel":5,"cog":270,"batt":61,"bs":1,
             "t":"u","m":2,"conn":"m","tid":"AN","topic":"owntracks/anna/pixel8",
             "inregions":["Home"],"inrids":["6da9cf"],"source":"fused","modeId":"x"}
            """)
        let observation = try #require(reading.observations.first)
        #expect(reading.observations.count == 1)
        #expect(reading.rejections.isEmpty && reading.panics.isEmpty)
        #expect(
            observation.fix
                == Fix(
                    time: Timestamp(seconds: 1_795_170_000),
                    position: Coordinate(latitudeE7: 525_163_100, longitudeE7: 133_777_700),
                    accuracyCentimetres: 1200, altitudeCentimetres: 3800,
                    speedCentimetresPerSecond: 139, courseDegrees: 270))
        #expect(observation.trigger == .manual)
        #expect(observation.battery == 61)
        #expect(observation.charging == false)
        #expect(observation.messageID == "9f3a01bc@1795170000.0")
    }

    @Test func `a time far in the future becomes the time of arrival`() throws {
        func report(_ created: Int64) throws -> Reading {
            Self.read(
                """
                {"_type":"location","lat":1,"lon":-2,"tst":1795170000,"created_at":\(created),
                 "t":"u","m":2}
                """)
        }
        let received = Self.received
        let far = try report(4_000_000_000)
        #expect(far.observations.first?.created == received)
        #expect(far.status.pressed == received && far.status.monitoring?.time == received)
        let near = try report(received.microseconds / 1_000_000 + 120)
        #expect(near.observations.first?.created == received + .seconds(120))
        let late = Self.read(
            #"{"_type":"location","lat":1,"lon":-2,"tst":4000000000,"t":"u","m":2}"#)
        #expect(late.status.pressed == received)
    }

    @Test func `the minimum that iOS sends is enough`() throws {
        let reading = Self.read(#"{"_type":"location","lat":1,"lon":-2,"tst":1795170000}"#)
        let observation = try #require(reading.observations.first)
        #expect(
            observation.fix.position
                == Coordinate(latitudeE7: 10_000_000, longitudeE7: -20_000_000))
        #expect(observation.fix.accuracyCentimetres == 0)
        #expect(observation.fix.altitudeCentimetres == nil)
        #expect(observation.fix.speedCentimetresPerSecond == nil)
        #expect(observation.fix.courseDegrees == nil)
        #expect(observation.trigger == .periodic)
        #expect(observation.battery == nil && observation.charging == nil)
        #expect(observation.messageID == nil)
    }

    @Test func `numbers may be strings, as for OwnTracks' recorder`() throws {
        let reading = Self.read(
            """
            {"_type":"location","lat":"52.5","lon":"13.4","tst":"1795170000","acc":"7","batt":"50"}
            """)
        let observation = try #require(reading.observations.first)
        #expect(observation.fix.time == Timestamp(seconds: 1_795_170_000))
        #expect(observation.fix.position.latitudeE7 == 525_000_000)
        #expect(observation.fix.accuracyCentimetres == 700)
        #expect(observation.battery == 50)
    }

    @Test func `a missing time is the time of arrival`() throws {
        let reading = Self.read(#"{"_type":"location","lat":1,"lon":2}"#)
        #expect(reading.observations.first?.fix.time == Self.received)
    }

    @Test(arguments: [
        ("acc", "0", Int32(0)), ("acc", "\"good\"", 0), ("acc", "12.345", 1235),
        ("acc", "1e300", 10_000_000),
    ])
    func `a meaningless accuracy is unknown`(key: String, value: String, want: Int32) throws {
        let reading = Self.read(
            #"{"_type":"location","lat":1,"lon":2,"tst":5,"\#(key)":\#(value)}"#)
        #expect(reading.observations.first?.fix.accuracyCentimetres == want)
    }

    @Test func `optional values out of range are omitted`() throws {
        let reading = Self.read(
            """
            {"_type":"location","lat":1,"lon":2,"tst":5,"vel":-1,"cog":-1,"alt":1e12,"batt":-1,
             "bs":0,"t":"Z"}
            """)
        let observation = try #require(reading.observations.first)
        #expect(observation.fix.speedCentimetresPerSecond == nil)
        #expect(observation.fix.courseDegrees == nil)
        #expect(observation.fix.altitudeCentimetres == nil)
        #expect(observation.battery == nil && observation.charging == nil)
        #expect(observation.trigger == .periodic)
    }

    @Test func `360 degrees is north`() {
        let reading = Self.read(#"{"_type":"location","lat":1,"lon":2,"tst":5,"cog":359.6}"#)
        #expect(reading.observations.first?.fix.courseDegrees == 0)
    }

    @Test(arguments: [
        ("p", Trigger.ping), ("r", .ping), ("u", .manual), ("t", .periodic), ("c", .significant),
        ("C", .significant), ("b", .significant), ("v", .significant), ("m", .significant),
        ("e", .significant),
    ])
    func `every letter of t has a trigger`(letter: String, trigger: Trigger) {
        let reading = Self.read(
            #"{"_type":"location","lat":1,"lon":2,"tst":5,"t":"\#(letter)"}"#)
        #expect(reading.observations.first?.trigger == trigger)
    }

    @Test(arguments: [(2, true), (3, true), (1, false)])
    func `a charging or full battery is charging`(state: Int, charging: Bool) {
        let reading = Self.read(#"{"_type":"location","lat":1,"lon":2,"tst":5,"bs":\#(state)}"#)
        #expect(reading.observations.first?.charging == charging)
    }

    @Test(arguments: ["poi", "tag"], ["SOS", "sos", "  Sos\\n"])
    func `the SOS word in poi or tag is a panic`(key: String, word: String) throws {
        let reading = Self.read(
            """
            {"_type":"location","lat":1,"lon":2,"tst":1795170000,"created_at":1795170003,
             "batt":9,"\(key)":"\(word)"}
            """)
        let panic = try #require(reading.panics.first)
        #expect(panic.raised == Timestamp(seconds: 1_795_170_003))
        #expect(panic.fix?.position.latitudeE7 == 10_000_000)
        #expect(panic.battery == 9)
        #expect(reading.observations.first?.trigger == .panic)
    }

    @Test func `a panic with an old fix has the current time`() throws {
        let reading = Self.read(
            #"{"_type":"location","lat":1,"lon":2,"tst":1795130000,"poi":"SOS"}"#)
        #expect(reading.panics.map(\.raised) == [Self.received])
        #expect(reading.panics.first?.fix?.time == Timestamp(seconds: 1_795_130_000))
    }

    @Test(arguments: ["SOSO", "", "so s", "help"])
    func `another word is not a panic`(word: String) {
        let reading = Self.read(
            #"{"_type":"location","lat":1,"lon":2,"tst":5,"poi":"\#(word)"}"#)
        #expect(reading.panics.isEmpty)
        #expect(reading.observations.first?.trigger == .periodic)
    }

    @Test func `the SOS word can be configured and disabled`() {
        let body = #"{"_type":"location","lat":1,"lon":2,"tst":5,"poi":"Tolong"}"#
        #expect(Self.read(body, sosWord: "tolong").panics.count == 1)
        #expect(Self.read(body, sosWord: "").panics.isEmpty)
    }

    @Test func `a panic with an unusable position still counts`() throws {
        let reading = Self.read(
            #"{"_type":"location","lat":91,"lon":2,"tst":1795170000,"poi":"SOS","_id":"a"}"#)
        let panic = try #require(reading.panics.first)
        #expect(panic.fix == nil)
        #expect(panic.raised == Self.received)
        #expect(panic.messageID == "a@1795170000.0")
        #expect(reading.observations.isEmpty)
        #expect(reading.rejections == [Rejection(index: 0, reason: .badPosition)])
    }

    @Test(arguments: [
        ("", QuarantineReason?.none),
        (#"{"_type":"lwt","tst":1795170000}"#, nil),
        (#"{"_type":"status","android":{"ps":1,"bo":0,"loc":0}}"#, nil),
        (#"{"_type":"card","name":"Anna","face":"iVBORw0KGgo="}"#, nil),
        (#"{"_type":"encrypted","data":"AAAA"}"#, .encrypted),
        (#"{"_type":"transition","event":"enter","wtst":1,"tst":2,"acc":3}"#, nil),
        (#"{"_type":"waypoint","desc":"Home","tst":1,"lat":1,"lon":2,"rad":"50"}"#, nil),
        (#"{"_type":"waypoints","waypoints":[]}"#, nil),
        (#"{"_type":"cmd","action":"dump"}"#, nil),
        (#"{"_type":"dump","configuration":{}}"#, nil),
        (#"{"_type":"configuration"}"#, nil),
        (#"{"_type":"steps","steps":10,"from":1,"to":2}"#, nil),
        (#"{"_type":"beacon"}"#, nil),
        (#"{"_type":"request","request":"tours"}"#, nil),
        (#"{"_type":"invented"}"#, .otherType),
        (#"{"lat":1,"lon":2}"#, .notAnObject),
        (#"{"_type":7}"#, .notAnObject),
        ("[]", .notAnObject),
        ("null", .notAnObject),
        ("not json", .notJSON),
        (#"{"_type":"location","lat":NaN,"lon":2,"tst":5}"#, .notJSON),
        (#"{"_type":"location","lat":1,"#, .notJSON),
        ("\u{0}\u{1}", .notJSON),
    ])
    func `a message without a fix is accepted, or quarantined with a reason`(
        body: String, reason: QuarantineReason?
    ) {
        let reading = Self.read(body)
        #expect(reading.observations.isEmpty && reading.panics.isEmpty)
        #expect(reading.rejections.map(\.reason) == (reason.map { [$0] } ?? []))
    }

    @Test(arguments: [
        (#""lon":2,"tst":5"#, QuarantineReason.missingPosition),
        (#""lat":1,"tst":5"#, .missingPosition),
        (#""lat":null,"lon":2,"tst":5"#, .missingPosition),
        (#""lat":"NaN","lon":2,"tst":5"#, .badPosition),
        (#""lat":"","lon":2,"tst":5"#, .badPosition),
        (#""lat":90.0001,"lon":2,"tst":5"#, .badPosition),
        (#""lat":1,"lon":-180.0001,"tst":5"#, .badPosition),
        (#""lat":true,"lon":2,"tst":5"#, .badPosition),
        (#""lat":1,"lon":2,"tst":0"#, .badTime),
        (#""lat":1,"lon":2,"tst":-5"#, .badTime),
        (#""lat":1,"lon":2,"tst":"yesterday""#, .badTime),
        (#""lat":1,"lon":2,"tst":1e300"#, .badTime),
    ])
    func `an unusable fix is rejected with a reason`(fields: String, reason: QuarantineReason) {
        let reading = Self.read(#"{"_type":"location",\#(fields)}"#)
        #expect(reading.observations.isEmpty)
        #expect(reading.rejections == [Rejection(index: 0, reason: reason)])
    }

    @Test func `a report with any byte changed does not crash the reader`() {
        let golden = Array(
            #"{"_type":"location","_id":"9f","lat":52.5,"lon":13.3,"tst":1795170000,"poi":"SOS"}"#
                .utf8)
        var read = 0
        for cut in golden.indices {
            for byte in UInt8(0)...UInt8.max {
                var bytes = golden
                bytes[cut] = byte
                let reading = OwnTracks.read(bytes, received: Self.received, sosWord: "SOS")
                #expect(reading.observations.count + reading.rejections.count <= 1)
                read += 1
            }
        }
        #expect(read == golden.count * 256)
    }
}
