import Foundation
import Hashing
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `OwnTracks besides positions` {
        private static let passphrase = "correct horse battery"

        private static var key: [UInt8] {
            let text = Array(passphrase.utf8)
            return text + [UInt8](repeating: 0, count: SecretBox.keyBytes - text.count)
        }

        /// Posts a message like the app, and returns the decoded response.
        private func post(
            _ message: JSON, _ home: Household, sealed: Bool = false
        ) throws -> JSON {
            guard sealed else { return try home.phoneAPI.call("POST", "/pub", message) }
            let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
            let bytes = SecretBox.seal(message.serialized(), key: Self.key, nonce: nonce)
            let answer = try home.phoneAPI.call(
                "POST", "/pub",
                ["_type": "encrypted", "data": .string(Base64.encode(bytes))])
            let data = try #require(answer["data"]?.string.flatMap { Base64.decode($0) })
            return try JSON.parse(try #require(SecretBox.open(data, key: Self.key)))
        }

        private func location() -> JSON {
            [
                "_type": "location", "lat": 3.1, "lon": 101.5,
                "tst": .integer(SystemClock().now.seconds),
            ]
        }

        private func anna(_ home: Household) throws -> JSON? {
            let seen = try home.bob.api.call("GET", "/v1/circles/\(home.circle)/positions")
            return seen["features"]?.array?.first { $0["id"]?.string == home.anna.id }
        }

        private func device(_ home: Household) throws -> String {
            let devices = try home.anna.api.list("/v1/people/\(home.anna.id)/devices")
            return try #require(devices.first?["id"]?.string)
        }

        @Test func `an encrypted phone is accepted, and no log or stream has its passphrase`()
            async throws
        {
            try await Household.run { home in
                let path = "/v1/people/\(home.anna.id)/devices/\(try device(home))/encryption-key"
                try home.anna.api.call("PUT", path, ["passphrase": .string(Self.passphrase)])
                let friends = try post(location(), home, sealed: true)
                #expect(friends[0]?["_type"] == "card")
                #expect(try anna(home)?["geometry"]?["coordinates"]?[1] == 3.1)
                let status: JSON = ["_type": "status", "android": ["bo": 1, "loc": 0]]
                #expect(try post(status, home, sealed: true) == [])
                let shown = try anna(home)?["properties"]
                #expect(shown?["state"] == "impaired")
                #expect(shown?["impairments"] == ["battery-optimisation"])
                #expect(!home.suite.log.contains(Self.passphrase))
                let store = home.suite.home + "/ingest/store.sqlite"
                for file in [store, store + "-wal"] {
                    let bytes = FileManager.default.contents(atPath: file) ?? Data()
                    #expect(bytes.range(of: Data(Self.passphrase.utf8)) == nil)
                }
            }
        }

        @Test func `an iPhone that leaves a region has left at once`() async throws {
            try await Household.run(zones: [.park]) { home in
                let start = SystemClock().now.seconds - 240
                func message(_ place: Place, at time: Int64, _ more: [JSON.Member]) -> JSON {
                    .object(
                        [
                            .init("lat", .number(place.latitude)),
                            .init("lon", .number(place.longitude)), .init("tst", .integer(time)),
                            .init("acc", 5), .init("tid", "AN"),
                        ] + more)
                }
                for age in [0, 60, 120] as [Int64] {
                    let place = Zone.park.inside
                    _ = try post(
                        message(place, at: start + age, [.init("_type", "location")]), home)
                }
                try await home.wait(
                    for: NotificationSummary.all("Anna entered Park", to: "Bob", "Cara"))
                // OwnTracks on iOS at a region's edge: first the position, then all of the same
                // fix.
                let now = SystemClock().now.seconds
                let leave: [JSON.Member] = [
                    .init("_type", "transition"), .init("event", "leave"), .init("desc", "Park"),
                    .init("wtst", 1_790_000_000), .init("t", "c"),
                ]
                _ = try post(message(Zone.away, at: now, leave), home)
                let location: [JSON.Member] = [
                    .init("_type", "location"), .init("vel", 5), .init("cog", 180),
                    .init("alt", 38), .init("batt", 61), .init("bs", 1), .init("t", "c"),
                    .init("m", 1), .init("created_at", .integer(now)),
                ]
                _ = try post(message(Zone.away, at: now, location), home)
                let isNotified = try await home.wait(
                    for: NotificationSummary.all("Anna left Park", to: "Bob", "Cara"))
                #expect(isNotified, "\(home.suite.log)")
                #expect(SystemClock().now.seconds - now < 60, "not by the clock: 200 s")
                #expect(try anna(home)?["properties"]?["battery"] == 61)
            }
        }

        @Test func `a waypoint becomes a zone by one command, and is not suggested again`()
            async throws
        {
            try await Household.run { home in
                let waypoint: JSON = [
                    "_type": "waypoint", "desc": "Pond", "lat": "3.2", "lon": "101.6",
                    "rad": "80", "tst": 1_790_000_000,
                ]
                #expect(try post(waypoint, home) == [])
                let path = "/v1/people/\(home.anna.id)"
                let offer = try #require(
                    try home.anna.api.list(path + "/suggested-zones").first?["id"]?.string)
                let environment = home.suite.environment.merging([
                    "JAGA_TOKEN": home.anna.api.token
                ]) { $1 }
                let command = try Capture(
                    Programs.path("jaga"),
                    ["zone", "accept-suggestion", offer, "--person", home.anna.id],
                    environment: environment)
                let isDone = await eventually { command.process.reap() != nil }
                #expect(isDone && command.process.exitStatus == 0, "\(command.text)")
                let zones = try home.anna.api.list(path + "/zones")
                #expect(zones.map { $0["properties"]?["name"] } == ["Pond"])
                #expect(zones.first?["properties"]?["radius"]?.double == 80)
                #expect(try post(waypoint, home) == [])
                #expect(try home.anna.api.list(path + "/suggested-zones").isEmpty)
            }
        }

        @Test func `a guardian requests a position, and the person sees it in the access log`()
            async throws
        {
            try await Household.run { home in
                _ = try post(location(), home)
                // A fix of this second is already stored.
                try await Task.sleep(for: .seconds(1))
                let path = "/v1/people/\(home.anna.id)"
                try home.bob.api.call("POST", path + "/locate")
                #expect(try home.bob.api.send("POST", path + "/locate").status == 429)
                let requested = try post(["_type": "steps", "steps": 1], home)
                #expect(requested == [["_type": "cmd", "action": "reportLocation"]])
                try await Task.sleep(for: .seconds(1))
                let answer = try post(location(), home)
                #expect(!(answer.array ?? []).contains { $0["action"] == "reportLocation" })
                let log = try home.anna.api.list(path + "/access-log")
                let bob = log.first { $0["name"] == "Bob" }
                #expect(bob?["asked"]?.string != nil)
            }
        }
    }
}
