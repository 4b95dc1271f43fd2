import Dialects
import Hashing
import Model
import Parsing
import Runtime
import TestSupport
import Testing
import Web

@testable import JagaCLI

@Suite struct `A phone's setup` {
    private let setup = PhoneSetup(
        url: "http://192.168.1.5:8080", device: DeviceID(ID128(high: 1, low: 2)),
        token: "t0k3n+/?", user: "Anna", deviceName: "Anna's Telefon №1", trackerID: "AN")

    @Test func `is a link with the app's whole configuration`() throws {
        let prefix = "owntracks:///config?inline="
        let link = try #require(setup.link(for: .ownTracks))
        try #require(link.hasPrefix(prefix))
        let inline = link.dropFirst(prefix.count)
        #expect(!inline.contains("+") && !inline.contains("/") && !inline.contains("="))
        let bytes = try #require(Base64.decode(Percent.decode(String(inline))))
        #expect(
            try JSON.parse(bytes) == [
                "_type": "configuration", "mode": 3, "url": "http://192.168.1.5:8080/pub",
                "auth": true, "username": "anna", "password": "t0k3n+/?",
                "deviceId": "annastelefon1",
                "tid": "AN", "monitoring": 1, "cmd": true, "remoteConfiguration": true,
            ])
    }

    @Test func `prints the values to enter by hand beside the link`() {
        let lines = setup.lines(for: .ownTracks)
        #expect(lines.first?.hasPrefix("  link: owntracks:") == true)
        for line in [
            "  mode: HTTP", "  url: http://192.168.1.5:8080/pub", "  username: anna",
            "  password: t0k3n+/?", "  cmd: on", "  remoteConfiguration: on",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.contains { $0.hasPrefix("  note: OwnTracks ignores links") })
    }

    @Test func `quotes a circle's name for the shell`() {
        let line = Init.inviteLine("Mia's $HOME Family")
        #expect(line.hasPrefix(#"jaga circle join 'Mia'\''s $HOME Family' NAME"#))
        #expect(Init.inviteLine("Family").hasPrefix("jaga circle join Family NAME"))
    }

    @Test func `shows unreachable and unknown contact points`() {
        let person: JSON = [
            "id": "per_1",
            "contacts": [
                ["id": "con_2", "channel": "email", "address": "a@b.c", "rank": 1],
                ["id": "con_1", "channel": "sms", "address": "+15550100", "rank": 0],
            ],
        ]
        let known = CircleReachability([
            "items": [
                [
                    "person": "per_1", "name": "Anna", "reachable": true,
                    "contacts": [
                        ["channel": "sms", "reachable": false, "reason": "opted-out"],
                        ["channel": "email", "reachable": true, "reason": .null],
                    ],
                ]
            ]
        ])
        #expect(PersonCommand.contacts(of: person, known) == "+15550100 (opted-out), a@b.c")
        #expect(known.unreachable.isEmpty)
        let unknown = PersonCommand.contacts(of: person, CircleReachability(nil))
        #expect(
            unknown
                == "+15550100 (reachability unknown), a@b.c (reachability unknown)")
    }

    @Test func `configures OwnTracks to publish as its device if there is a broker`() throws {
        #expect(!setup.apps.contains(.ownTracksMQTT) && setup.link(for: .ownTracksMQTT) == nil)
        var setup = setup
        let address = try #require(BrokerAddress("mqtts://mqtt.example"))
        setup.broker = PhoneBroker(address: address, prefix: "places")
        let id = setup.device.description
        let mine = "places/\(id)/+"
        #expect(
            setup.brokerConfiguration == [
                "_type": "configuration", "mode": 0, "host": "mqtt.example", "port": 8883,
                "tls": true, "auth": true, "username": .string(id), "clientId": .string(id),
                "pubTopicBase": "places/%u/%d", "pubQos": 1, "sub": true,
                "subTopic": .string("\(mine) \(mine)/event \(mine)/info"), "subQos": 1,
                "cleanSession": false, "mqttProtocolLevel": 4, "password": "t0k3n+/?",
                "deviceId": "annastelefon1", "tid": "AN", "monitoring": 1, "cmd": true,
                "remoteConfiguration": true,
            ])
        #expect(setup.apps.contains(.ownTracksMQTT))
        #expect(setup.link(for: .ownTracksMQTT)?.hasPrefix("owntracks:///config?inline=") == true)
        #expect(setup.entries(for: .ownTracksMQTT).contains { $0.value == id })
        #expect(PhoneBroker(try #require(setup.broker?.json)) == setup.broker)
    }

    @Test func `has a note about required settings at each link of OwnTracks`() throws {
        let app = try #require(setup.json.array?.first { $0["app"] == "owntracks" })
        let notes = app["notes"]?.array?.compactMap(\.string) ?? []
        #expect(notes.first?.contains("Allow external configuration") == true)
        #expect(notes.contains { $0.contains("cmd") && $0.contains("remoteConfiguration") })
        #expect(notes.contains { $0.contains("EY") })
        let lines = DeviceCommand.lines(of: setup)
        #expect(lines.contains { $0.contains("note:") && $0.contains("external configuration") })
        #expect(lines.contains("  remoteConfiguration: on") && lines.contains("  cmd: on"))
        #expect(setup.notes(for: .overland).isEmpty)
    }

    @Test func `has a passphrase only if one is given`() {
        var sealed = setup
        sealed.passphrase = "correct horse"
        #expect(sealed.configuration["encryptionKey"] == "correct horse")
        #expect(setup.configuration["encryptionKey"] == nil)
    }

    @Test func `is a link in the form of each app`() throws {
        #expect(
            setup.link(for: .overland)
                == "overland://setup?url=http%3A%2F%2F192.168.1.5%3A8080%2Foverland"
                + "&token=t0k3n%2B%2F%3F&device_id=annastelefon1&unique_id=yes")
        #expect(
            setup.link(for: .traccar)
                == "http://192.168.1.5:8080/osmand?id=t0k3n%2B%2F%3F&interval=180&buffer=true")
        #expect(setup.link(for: .osmAnd) == nil)
        #expect(
            setup.link(for: .gpsLogger)
                == "gpslogger://properties/http://192.168.1.5:8080/v1/devices/\(setup.device)/setup"
                + "?format=properties&token=t0k3n%2B%2F%3F")
        #expect(
            setup.properties.contains(
                "log_customurl_url=http://192.168.1.5:8080/log/gpslogger/t0k3n+/??%ALL\n"))
    }

    @Test func `has manual settings for every app`() {
        for app in setup.apps {
            #expect(setup.entries(for: app).contains { $0.value.contains("t0k3n") })
        }
    }

    @Test func `is a curl command that is quoted for the shell`() throws {
        let folder = try TemporaryFolder()
        let login = setup.curlLogin("anna's", in: folder.path)
        let curl = setup.curl(
            latitude: 3.5, longitude: 101.25, url: "http://127.0.0.1:8080", login: login)
        #expect(!curl.contains("t0k3n"), "the secret stands in a file")
        #expect(curl.contains("-K '\(folder.path)/phones/anna'\\''s.curl'"))
        let file = folder.path + "/phones/anna's.curl"
        #expect(try Files.mode(of: file) & 0o777 == 0o600)
        let text = String(decoding: try Files.read(file, bytesMax: 4096), as: UTF8.self)
        #expect(text == "user = \"anna:t0k3n+/?\"\n")
        // If the file cannot be written, the command has all values.
        #expect(setup.curlLogin("anna", in: "/proc/nothing") == "-u 'anna:t0k3n+/?'")
        #expect(curl.hasSuffix("http://127.0.0.1:8080/pub"))
        let start = try #require(curl.range(of: "-d '")?.upperBound)
        let end = try #require(curl.range(of: "' http")?.lowerBound)
        let body = curl[start..<end].replacing("'$(date +%s)'", with: "1795170000")
        let json = try JSON.parse(Array(body.utf8))
        #expect(json["_type"]?.string == "location")
        #expect(json["tst"]?.int == 1_795_170_000)
        #expect(json["lat"]?.double == 3.5)
    }
}
