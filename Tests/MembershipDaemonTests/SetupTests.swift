import Foundation
import Parsing
import TestSupport
import Testing

@Suite struct `The set-up of a phone` {
    private let url = "url=https%3A%2F%2Fjaga.example"

    @Test func `is created with a new secret, or returned to its holder`() async throws {
        let jaga = try await RunningMembership(withIngest: true)
        let anna = try jaga.person("Anna")
        let made = try jaga.ask("POST", "/v1/people/\(anna)/devices", "{'name': 'Phone'}")
        let path = "/v1/devices/\(try made.text("device", "id"))/setup"
        let former = try made.text("credential", "token")

        let own = try jaga.ask("GET", path + "?" + url, as: former)
        #expect(own.status == 200 && own.text.contains(former))
        #expect(own.json["apps"]?.array?.count == 5)

        let renewed = try jaga.ask("POST", path + "?" + url)
        #expect(renewed.status == 201 && renewed.json["active"] == true)
        let token = try renewed.text("credential", "token")
        #expect(renewed.json["person"]?.string == anna)
        let link = try #require(renewed.json["apps"]?.array?.first?["link"]?.string)
        #expect(link.hasPrefix("owntracks:///config?inline="))
        #expect(try jaga.askIngest("POST", "/pub", as: token).status == 200)
        // The old secret stays valid until the phone is set up.
        #expect(try jaga.askIngest("POST", "/pub", as: former).status == 503)
        #expect(try jaga.ask("GET", path + "?" + url, as: former).status == 401)
        #expect(!jaga.storeBytes().contains(token))
    }

    @Test func `is shown to nobody else`() async throws {
        let jaga = try await RunningMembership()
        let (anna, ben) = (try jaga.person("Anna"), try jaga.person("Ben"))
        let made = try jaga.ask("POST", "/v1/people/\(anna)/devices", "{'name': 'Phone'}")
        let path = "/v1/devices/\(try made.text("device", "id"))/setup?" + url
        let other = try jaga.ask("POST", "/v1/people/\(ben)/devices", "{'name': 'Phone'}")
        for token in [nil, try jaga.token(of: anna), try other.text("credential", "token")] {
            #expect(try jaga.ask("GET", path, as: token).status == 403)
        }
        #expect(try jaga.ask("POST", path, as: jaga.token(of: ben)).status == 403)
        #expect(try jaga.ask("POST", path, as: jaga.token(of: anna)).status == 201)
    }

    @Test func `is available as image, text and profile`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let made = try jaga.ask("POST", "/v1/people/\(anna)/devices", "{'name': 'Phone'}")
        let path = "/v1/devices/\(try made.text("device", "id"))/setup?" + url
        let token = try made.text("credential", "token")
        func get(_ more: String) throws -> PlainHTTP.Answer {
            try jaga.ask("GET", path + more, as: token)
        }
        #expect(try get("&format=svg").text.hasPrefix("<svg xmlns"))
        #expect(try get("&format=text&app=overland").text.contains("█"))
        let png = try get("&format=png&app=traccar")
        #expect(png.status == 200)
        // GPSLogger cannot send headers.
        let plain = try get("&format=properties")
        #expect(
            plain.text.contains("log_customurl_url=https://jaga.example/log/gpslogger/\(token)"))
        let bare = try PlainHTTP(port: jaga.portBase + 2)
            .send("GET", path + "&format=properties&token=\(token)")
        #expect(bare.status == 200 && bare.text == plain.text)
        #expect(try get("&format=gif").field == "format")
        #expect(try get("&format=svg&app=osmand").field == "app")
        let unknown = try get("&app=nope")
        #expect(unknown.status == 400 && unknown.field == "app")
        #expect(unknown.text.contains("overland"))
    }

    @Test(arguments: ["", "?url=ftp%3A%2F%2Fa", "?url=https%3A%2F%2F", "?url=https%3A%2F%2Fa%20b"])
    func `needs an address that phones find`(query: String) async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let made = try jaga.ask("POST", "/v1/people/\(anna)/devices", "{'name': 'Phone'}")
        let path = "/v1/devices/\(try made.text("device", "id"))/setup"
        let token = try made.text("credential", "token")
        #expect(try jaga.ask("GET", path + query, as: token).field == "url")
        // Nothing was replaced.
        #expect(try jaga.ask("POST", path + query).field == "url")
        #expect(try jaga.ask("GET", path + "?" + url, as: token).status == 200)
    }
}
