import Model
import Parsing
import Testing

@testable import Dialects

/// How each protocol names a trigger.
@Suite struct AlarmWordTests {
    private static let alarms: [(name: String, trigger: EmergencyTrigger?)] = [
        ("sos", .panic), ("SOS", .panic), ("panic", .panic), ("shake", .shake), ("fall", .fall),
        ("fallDown", .fall), ("crash", .crash), ("accident", .crash), ("no-motion", .noMotion),
        ("noMotion", .noMotion), ("lowBattery, sos", .panic), ("fall,sos", .panic),
        ("crash,fall", .crash), ("lowBattery", nil), ("sms", nil), ("guardian", nil),
        ("zone", nil), ("watch-expired", nil), ("idle", nil),
    ]

    private static let notes: [(text: String, trigger: EmergencyTrigger?)] = [
        ("SOS", .panic), (" sos ", .panic), ("SOS fall", .fall), ("sos:no-motion", .noMotion),
        ("SOS-crash", .crash), ("SOS  shake", .shake), ("SOSfall", nil), ("fall", nil),
        ("SOS village", nil), ("help", nil), ("SOS guardian", nil), ("", nil),
    ]

    private func trigger(_ reading: Reading) -> EmergencyTrigger? {
        #expect(reading.panics.count <= 1)
        return reading.panics.first?.trigger
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: alarms)
    func `an alarm of Traccar, OsmAnd, Overland and Home Assistant`(
        name: String, expected: EmergencyTrigger?
    ) {
        let query = Query([
            .init("id", "1"), .init("lat", "1"), .init("lon", "2"), .init("alarm", name),
        ])
        #expect(trigger(OsmAnd.read(query, [], received: Golden.received)) == expected)
        let location = #"{"location":{"coords":{"latitude":1,"longitude":2},"alarm":"\#(name)"}}"#
        #expect(
            trigger(OsmAnd.read(Query(), bytes(location), received: Golden.received)) == expected)
        for geometry in ["", #""geometry":{"coordinates":[1,2]},"#] {
            let batch =
                #"{"locations":[{\#(geometry)"properties":{"timestamp":1795170000,"#
                + #""alarm":"\#(name)"}}]}"#
            let reading = Overland.read(bytes(batch), received: Golden.received)
            #expect(trigger(reading) == expected)
            if expected != nil { #expect(reading.rejections.isEmpty) }
        }
        let values = #"{"latitude":1,"longitude":2,"device":"watch","alarm":"\#(name)"}"#
        let reading = GPSLogger.read(
            Query(), bytes(values), received: Golden.received, sosWord: "SOS")
        #expect(trigger(reading) == expected)
    }

    @Test(arguments: notes)
    func `a tag of OwnTracks and an annotation of GPSLogger`(
        text: String, expected: EmergencyTrigger?
    ) {
        for name in ["poi", "tag"] {
            let body =
                #"{"_type":"location","lat":1,"lon":2,"tst":1795170000,"\#(name)":"\#(text)"}"#
            let reading = OwnTracks.read(bytes(body), received: Golden.received, sosWord: "SOS")
            #expect(trigger(reading) == expected)
        }
        let query = Query([.init("lat", "1"), .init("lon", "2"), .init("desc", text)])
        #expect(
            trigger(GPSLogger.read(query, [], received: Golden.received, sosWord: "SOS"))
                == expected)
        #expect(
            trigger(GPSLogger.read(query, [], received: Golden.received, sosWord: "")) == nil)
    }

    @Test(arguments: EmergencyTrigger.allCases)
    func `Jaga's own reports and calls`(named: EmergencyTrigger) {
        let name = named.rawValue
        let expected = named.rules.isFromPhone ? named : nil
        let report = #"{"lat":1,"lon":2,"time":"2026-11-20T10:20:00Z","trigger":"\#(name)"}"#
        #expect(
            trigger(JagaReports.read(bytes(report), received: Golden.received)) == expected)
        let call = JagaEmergency.read(
            bytes(#"{"trigger":"\#(name)"}"#), received: Golden.received)
        #expect(call.trigger == expected ?? .panic)
        #expect(call.subject == (named == .guardian ? .unknown : .themselves))
    }

    @Test func `a call for somebody else is never read as the caller's own`() {
        let other = PersonID(ID128(high: 1, low: 2))
        func subject(_ body: String) -> EmergencyCall.Subject {
            JagaEmergency.read(bytes(body), received: Golden.received).subject
        }
        #expect(subject(#"{"person":"\#(other)"}"#) == .person(other))
        #expect(subject(#"{"person":"\#(other)","trigger":"guardian"}"#) == .person(other))
        #expect(subject(#"{"person":"Anna"}"#) == .unknown)
        #expect(subject(#"{"person":7}"#) == .unknown)
        #expect(subject(#"{"trigger":"guardian"}"#) == .unknown)
        #expect(subject(#"{"person":null,"trigger":"fall"}"#) == .themselves)
        #expect(subject("") == .themselves)
        #expect(subject("{") == .themselves)
    }

    @Test func `a repeated feature of Overland is the same call`() {
        let feature = #"{"properties":{"timestamp":1795170000,"alarm":"fall"}}"#
        let batch = bytes(#"{"locations":[\#(feature)],"current":\#(feature)}"#)
        let first = Overland.read(batch, received: Golden.received).panics
        let again = Overland.read(batch, received: Golden.received + .seconds(60)).panics
        #expect(first.count == 2 && first[0] == first[1] && first == again)
    }
}
