import Dialects
import Model
import Parsing
import Testing

@testable import JagaCLI

@Suite struct `The output of 'jaga device'` {
    @Test func `has link and manual settings of every app`() {
        let setup = PhoneSetup(
            url: "https://jaga.example", device: DeviceID(ID128(high: 2, low: 1)), token: "T0K",
            user: "Anna", deviceName: "phone", trackerID: "AN",
            broker: BrokerAddress("mqtts://mqtt.example").map {
                PhoneBroker(address: $0, prefix: "owntracks")
            })
        let text = DeviceCommand.lines(of: setup).joined(separator: "\n")
        for app in PhoneSetup.App.all {
            #expect(text.contains(app.name))
            #expect(setup.link(for: app).map { text.contains($0) } ?? true)
        }
        #expect(text.contains("https://jaga.example/osmand/T0K?speedUnit=ms"))
    }

    @Test func `shows topics of phones and unknown topics`() {
        let state: JSON = [
            "state": "online", "problem": .null,
            "topics": [["topic": "anna/pixel8", "device": "dev_1"]], "unknown": ["ben/phone"],
        ]
        let lines = DeviceTopics.lines(of: state)
        #expect(lines[0] == "MQTT broker: online")
        #expect(lines.contains { $0.contains("anna/pixel8") && $0.contains("dev_1") })
        #expect(lines.last == "  ben/phone")
        let away: JSON = ["state": "waiting", "problem": "Connection refused"]
        #expect(DeviceTopics.lines(of: away) == ["MQTT broker: waiting, Connection refused"])
    }

    @Test(arguments: [
        (
            #"{"until":"2026-11-20T10:19:58.000Z","client":"owntracks-ios","status":200,"#
                + #""outcome":"accepted","reason":null,"count":1,"#
                + #""reports":{"accepted":2,"late":1},"calls":0,"#
                + #""fix":{"trigger":"periodic","ageSeconds":8.2,"accuracy":12,"battery":61},"#
                + #""events":[{"id":"evt_1","kind":"jaga.zone.entered"}]}"#,
            "2026-11-20T10:19:58.000Z owntracks-ios 200 accepted: 2 accepted, 1 late; periodic, "
                + "8 s old, within 12 m, battery 61 %; jaga.zone.entered evt_1"
        ),
        (
            #"{"time":"A","until":"B","client":null,"status":503,"outcome":"rejected","#
                + #""reason":"rate-device","count":7,"reports":{},"calls":0,"fix":null,"#
                + #""events":[]}"#,
            "B - 503 rejected (rate-device) 7 times since A"
        ),
        (
            #"{"until":"B","client":"owntracks-ios","status":200,"outcome":"quarantined","#
                + #""reason":"encrypted","count":1,"reports":{"quarantined":1,"dropped":2},"#
                + #""calls":0,"fix":{"trigger":"periodic","ageSeconds":-7199,"accuracy":null,"#
                + #""battery":null},"events":[]}"#,
            "B owntracks-ios 200 quarantined (encrypted): 1 quarantined, "
                + "2 dropped for lack of space; periodic, 7199 s ahead"
        ),
    ])
    func `is a line for an entry of the device log`(entry: String, line: String) throws {
        #expect(DeviceLog.line(for: try JSON.parse(Array(entry.utf8))) == line)
    }

    @Test(arguments: [
        (
            #"{"outcome":"accepted","accepted":1,"duplicates":2,"calls":0,"quarantined":[]}"#,
            "accepted: 1 new, 2 duplicates"
        ),
        (
            #"{"outcome":"unusable","quarantined":[{"reason":"encrypted"}]}"#,
            "still unusable: encrypted"
        ),
    ])
    func `prints the outcome of a retry`(answer: String, words: String) throws {
        #expect(Quarantine.summary(for: try JSON.parse(Array(answer.utf8))) == words)
    }

    @Test func `portions of a long quarantined list are summed up`() {
        let first: JSON = [
            "outcome": "partly", "next": 2000, "accepted": 1999, "duplicates": 0, "calls": 0,
            "quarantined": [["index": 7, "reason": "bad-time"]],
        ]
        let last: JSON = [
            "outcome": "unusable", "next": nil, "accepted": 3, "duplicates": 1, "calls": 1,
            "quarantined": [],
        ]
        #expect(Quarantine.summary(for: Quarantine.sum(first, last)).hasSuffix(": bad-time"))
        #expect(Quarantine.sum(first, last)["accepted"] == 2002)
    }
}
