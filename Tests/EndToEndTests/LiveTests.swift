import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// Bob's live stream through nginx, while services die.
    @Suite struct `Live streams` {
        @Test func `resume after kill -9 without loss, and end with their credential`()
            async throws
        {
            try await Household.run { home in
                let bob = home.bob
                let me = try bob.api.call("GET", "/v1/me")
                #expect(try names(me) == ["Family"])
                let first = try Follower(home, bob.api.token, from: try me.text("live"))
                #expect(await first.begins())
                try rename(home, "Lim-A")
                #expect(await first.receives(#""name":"Lim-A""#))
                let id = try #require(first.lastID)

                // Nobody is connected while the service dies and the circle changes twice.
                first.close()
                try rename(home, "Lim-B")
                try await home.suite.kill(.notifier)
                try rename(home, "Lim-C")
                try await home.suite.waitUntilReady(.notifier)
                let second = try Follower(home, bob.api.token, after: id)
                #expect(await second.receives(#""name":"Lim-C""#))
                #expect(!second.text.contains("event: reset"))
                #expect(!second.text.contains(#""name":"Lim-A""#))

                // The connection breaks with the process; the stream goes on after its last event.
                let last = try #require(second.lastID)
                try await home.suite.kill(.notifier)
                let isCut = await eventually { second.isClosed }
                #expect(isCut)
                try await home.suite.waitUntilReady(.notifier)
                let third = try Follower(home, bob.api.token, after: last)
                #expect(await third.begins())
                try rename(home, "Lim-D")
                #expect(await third.receives(#""name":"Lim-D""#))
                #expect(!third.text.contains("event: reset"))
                #expect(!third.text.contains(#""name":"Lim-C""#))
                let now = try bob.api.call("GET", "/v1/me")
                #expect(try names(now) == ["Lim-D"])

                // Removed from the circle: only that it is gone. Then the account itself.
                try home.admin.call("DELETE", "/v1/circles/\(home.circle)/members/\(bob.id)")
                #expect(await third.receives("event: circle-gone"))
                try rename(home, "Lim-E")
                try home.admin.call("DELETE", "/v1/people/\(bob.id)")
                #expect(await third.receives("event: end"))
                #expect(!third.text.contains("Lim-E"))
                let isOver = await eventually { third.isClosed }
                #expect(isOver)
            }
        }

        @Test func `say at once that a member is asked for consent`() async throws {
            try await Household.run { home in
                let bob = try Follower(home, home.bob.api.token)
                #expect(await bob.begins())
                let circle = "/v1/circles/\(home.circle)"
                try home.admin.call("PUT", circle, ["membersSeePositions": false])
                try home.admin.call("PUT", circle, ["membersSeePositions": true])
                #expect(await bob.receives("event: consents"))
                let url = "/v1/people/\(home.bob.id)/consents"
                #expect(bob.text.contains(url))
                let item = try home.bob.api.call("GET", url)["items"]?[0]
                #expect(item?["state"] == "open")
                #expect(item?["question"] == "members-see-position")
            }
        }

        private func names(_ me: JSON) throws -> [String] {
            try (me.member("circles").array ?? []).map { try $0.text("name") }
        }

        private func rename(_ home: Household, _ name: String) throws {
            try home.admin.call(
                "PUT", "/v1/circles/\(home.circle)", ["name": .string(name)])
        }
    }
}

/// A client of `/v1/live` that reads bytes as they come, like curl.
private final class Follower {
    private var link: RawLink?
    private(set) var text = ""

    init(
        _ home: Household, _ token: String, from position: String? = nil, after id: String? = nil
    ) throws {
        let link = try RawLink(port: home.suite.port)
        let query = position.map { "?from=\($0)" } ?? ""
        link.send(
            """
            GET /v1/live\(query) HTTP/1.1\r
            Host: 127.0.0.1\r
            Connection: close\r
            Authorization: Bearer \(token)\r
            \(id.map { "Last-Event-ID: \($0)\r\n" } ?? "")\r

            """)
        self.link = link
    }

    var isClosed: Bool {
        read()
        return link?.isClosed ?? true
    }

    private func read() {
        link?.send()
        text = link?.received ?? text
    }

    func receives(_ part: String) async -> Bool {
        await eventually {
            self.read()
            return self.text.contains(part)
        }
    }

    func begins() async -> Bool { await receives("retry: 2000") }

    /// The id of the last event.
    var lastID: String? {
        text.split(separator: "\n").last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    func close() { link = nil }
}
