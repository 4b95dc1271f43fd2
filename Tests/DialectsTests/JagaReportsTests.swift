import Model
import Parsing
import Testing

@testable import Dialects

@Suite struct JagaReportsTests {
    private let received = Timestamp("2026-11-20T10:20:05.000Z")!

    private func read(_ text: String) -> Reading {
        JagaReports.read(Array(text.utf8), received: received)
    }

    @Test func `one report has every field`() throws {
        let reading = read(
            """
            {"lat":3.139,"lon":101.6869,"time":"2026-11-20T10:20:00.123Z","accuracy":8.5,
             "altitude":38.2,"speed":1.4,"course":270,"battery":61,"charging":true,
             "trigger":"manual","id":"m-1"}
            """)
        let observation = try #require(reading.observations.first)
        #expect(
            observation.fix
                == Fix(
                    time: Timestamp("2026-11-20T10:20:00.123Z")!,
                    position: Coordinate(latitudeE7: 31_390_000, longitudeE7: 1_016_869_000),
                    accuracyCentimetres: 850, altitudeCentimetres: 3820,
                    speedCentimetresPerSecond: 140, courseDegrees: 270))
        #expect(observation.trigger == .manual)
        #expect(observation.battery == 61 && observation.charging == true)
        #expect(observation.messageID == "m-1")
        #expect(reading.rejections.isEmpty && reading.panics.isEmpty)
    }

    @Test func `valid reports of a batch count, and rejections have an index`() {
        let reading = read(
            """
            {"reports":[
             {"lat":1,"lon":2,"time":"2026-11-20T10:20:00Z"},
             {"lat":91,"lon":2,"time":"2026-11-20T10:20:00Z"},
             {"lon":2,"time":"2026-11-20T10:20:00Z"},
             {"lat":1,"lon":2},
             {"lat":1,"lon":2,"time":"1969-12-31T23:59:59Z"},
             {"lat":1,"lon":2,"time":1795170000},
             "rubbish",
             {"lat":1,"lon":2,"time":"2026-11-20T18:20:30+08:00"}]}
            """)
        #expect(reading.observations.count == 2)
        #expect(reading.observations[1].fix.time == Timestamp("2026-11-20T10:20:30Z"))
        #expect(
            reading.rejections.map(\.reason)
                == [.badPosition, .missingPosition, .badTime, .badTime, .badTime, .notAnObject])
        #expect(reading.rejections.map(\.index) == [1, 2, 3, 4, 5, 6])
        #expect(reading.rejections[5].payload == Array(#""rubbish""#.utf8))
    }

    @Test(arguments: ["[]", "7", #""text""#, "null", #"{"reports":{}}"#, #"{"reports":1}"#])
    func `a body without a report is quarantined whole`(text: String) {
        #expect(read(text) == .rejected(.notAnObject))
    }

    @Test func `an empty batch is accepted`() {
        #expect(read(#"{"reports":[]}"#) == .nothing)
    }

    @Test(arguments: [
        (#""raised":"2026-11-20T10:21:00Z","#, Timestamp("2026-11-20T10:21:00Z")),
        (#""raised":"soon","#, nil), ("", nil),
    ])
    func `a panic has its own time or that of arrival, never that of its fix`(
        field: String, raised: Timestamp?
    ) {
        let reading = read(
            """
            {\(field)"lat":1,"lon":2,"time":"2026-11-20T04:00:00Z","trigger":"panic"}
            """)
        #expect(reading.panics.map(\.raised) == [raised ?? received])
        #expect(reading.panics.first?.fix?.time == Timestamp("2026-11-20T04:00:00Z"))
    }

    @Test func `a panic in a report counts with or without a position`() throws {
        let good = read(
            #"{"lat":1,"lon":2,"time":"2026-11-20T10:20:00Z","trigger":"panic","id":"a"}"#)
        #expect(good.panics.first?.fix?.position.latitudeE7 == 10_000_000)
        #expect(good.panics.first?.raised == received)
        #expect(good.observations.first?.trigger == .panic)
        let bad = read(#"{"trigger":"panic","battery":5}"#)
        let panic = try #require(bad.panics.first)
        #expect(panic.raised == received && panic.fix == nil && panic.battery == 5)
        #expect(panic.messageID == nil && panic.content != nil, "it is known by what it says")
        #expect(bad.rejections.count == 1)
    }
}

@Suite struct JagaEmergencyTests {
    private func read(_ text: String) -> EmergencyCall {
        JagaEmergency.read(
            Array(text.utf8), received: Timestamp("2026-11-20T10:20:05.000Z")!)
    }

    @Test func `a request has every field`() {
        let call = read(
            """
            {"trigger":"shake","countdown":5,"id":"e-1","raised":"2026-11-20T10:20:00Z",
             "note":"behind the station",
             "report":{"lat":1,"lon":2,"time":"2026-11-20T10:20:00Z","battery":7}}
            """)
        #expect(call.trigger == .shake)
        #expect(call.countdownSeconds == 5)
        #expect(call.messageID == "e-1")
        #expect(call.raised == Timestamp("2026-11-20T10:20:00Z"))
        #expect(call.note == "behind the station")
        #expect(call.observation?.battery == 7)
        #expect(call.ignored.isEmpty)
    }

    @Test(arguments: ["", "{}"])
    func `an empty request is a panic`(text: String) {
        #expect(read(text) == EmergencyCall())
        #expect(read(text).trigger == .panic)
    }

    @Test(arguments: ["not json", "[]", "7", "{\"trigger\":"])
    func `an unreadable request is a panic and lists the body as ignored`(text: String) {
        #expect(read(text) == EmergencyCall(ignored: ["body"]))
    }

    @Test func `an unusable field is omitted and listed`() {
        let call = read(
            """
            {"trigger":"watch-expired","countdown":"soon","id":"","raised":"now","note":5,
             "report":{"lat":91,"lon":2,"time":"2026-11-20T10:20:00Z"}}
            """)
        #expect(call.trigger == .panic)
        #expect(
            call.ignored == ["trigger", "countdown", "id", "raised", "note", "report"])
    }

    @Test(arguments: [("-5", 0), ("0", 0), ("4.2", 5), ("1e9", 86_400)])
    func `a countdown is rounded up to whole seconds`(text: String, seconds: Int) {
        #expect(read(#"{"countdown":\#(text)}"#).countdownSeconds == seconds)
    }
}
