import Hashing
import Parsing
import Testing
import Web

@testable import JagaCLI

@Suite struct `A phone's setup` {
    private let setup = PhoneSetup(
        url: "http://192.168.1.5:8080", user: "anna", token: "t0k3n+/?", device: "phone",
        trackerID: "AN")

    @Test func `is a link that holds the app's whole configuration`() throws {
        let prefix = "owntracks:///config?inline="
        try #require(setup.link.hasPrefix(prefix))
        let inline = setup.link.dropFirst(prefix.count)
        #expect(!inline.contains("+") && !inline.contains("/") && !inline.contains("="))
        let bytes = try #require(Base64.decode(Percent.decode(String(inline))))
        #expect(
            try JSON.parse(bytes) == [
                "_type": "configuration", "mode": 3, "url": "http://192.168.1.5:8080/pub",
                "auth": true, "username": "anna", "password": "t0k3n+/?", "deviceId": "phone",
                "tid": "AN", "cmd": true, "remoteConfiguration": true,
            ])
    }

    @Test func `is a curl that a shell reads rightly`() throws {
        let curl = setup.curl(latitude: 3.5, longitude: 101.25, url: "http://127.0.0.1:8080")
        #expect(curl.contains("-u anna:t0k3n+/?"))
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
