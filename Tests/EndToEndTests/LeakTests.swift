import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// A viewer without rights sends every GET request.
    @Suite struct `For viewers without rights` {
        @Test func `no GET shows where a person is or was`() async throws {
            try await Household.run(zones: [.park]) { home in
                let scene = try await Scene(home)
                for viewer in [scene.removed, scene.invited, scene.outsider] {
                    try scene.walk(as: viewer, mayKnowMembership: viewer.name == scene.invited.name)
                }
                try await scene.leave()
                try scene.walk(as: home.cara, mayKnowMembership: false)
                let kinds = try home.cara.api.list("/v1/circles/\(home.circle)/timeline")
                #expect(kinds.contains { $0["emergency"] != nil }, "emergencies are kept")
                #expect(kinds.allSatisfy { $0["emergency"] != nil })
            }
        }

        /// Anna was in the park, is on a journey, shares zones only, and has raised an emergency.
        private struct Scene {
            let home: Household
            /// Was a recipient of the open emergency and was removed.
            let removed: Household.Person
            let invited: Household.Person
            let outsider: Household.Person
            private let ids: [String: String]
            private let paths: [String]

            /// Whether a response never ends. LivePropertyTests cover what streams show.
            private static func isStream(_ path: String) -> Bool {
                path.hasPrefix("/v1/tail") || path == "/v1/live"
            }

            init(_ home: Household) async throws {
                self.home = home
                removed = home.bob
                invited = try Household.person("Gina", number: "+15550001005", home.admin)
                outsider = try Household.person("Dan", number: "+15550001004", home.admin)
                let anna = home.anna
                let members = "/v1/circles/\(home.circle)/members"
                try home.cara.api.call(
                    "POST", "/v1/circles/\(home.circle)/invitations",
                    ["contact": "+15550001005", "role": "guardian"])
                let other = try home.admin.call("POST", "/v1/circles", ["name": "Other"]).text("id")
                try home.admin.call(
                    "POST", "/v1/circles/\(other)/members",
                    ["person": .string(outsider.id), "role": "admin"])
                let journey = try anna.api.call(
                    "POST", "/v1/people/\(anna.id)/journeys", ["name": "walk"]
                ).text("id")
                for place in [Zone.outside, Zone.park.inside, Zone.outside] {
                    try await home.phone.report(place)
                }
                let crossings = NotificationSummary.all(
                    "Anna entered Park", "Anna left Park", to: "Bob")
                try await home.wait(for: crossings)
                let emergency = try await home.button.callForHelp("call 1")
                try await home.wait(
                    for: NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))
                let seen = try home.bob.api.call("GET", "/v1/circles/\(home.circle)/positions")
                #expect(Scene.leaks(in: seen.serialized()), "Bob sees the position")
                try home.cara.api.call("DELETE", "\(members)/\(removed.id)")
                let zones = try home.cara.api.list("/v1/circles/\(home.circle)/zones")
                ids = [
                    "circle": home.circle, "person": anna.id, "emergency": emergency,
                    "journey": journey, "device": try Scene.device(home),
                    "zone": try #require(zones.first).text("id"),
                ]
                paths = try Scene.paths()
                try await settle()
            }

            private static func device(_ home: Household) throws -> String {
                let devices = try home.admin.list("/v1/people/\(home.anna.id)/devices")
                return try #require(devices.first).text("id")
            }

            /// All GET paths of the API.
            private static func paths() throws -> [String] {
                let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appendingPathComponent("../../docs/openapi.yaml")
                var paths: [String] = []
                var path = ""
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    if line.hasPrefix("  /") { path = String(line.dropFirst(2).dropLast()) }
                    if line == "    get:" { paths.append(path) }
                }
                #expect(paths.count > 50)
                return paths
            }

            /// Waits until all services have applied the removal.
            private func settle() async throws {
                let isKnown = await eventually {
                    let timeline = try? removed.api.send(
                        "GET", "/v1/circles/\(home.circle)/timeline")
                    let positions = try? removed.api.send(
                        "GET", "/v1/circles/\(home.circle)/positions")
                    return timeline?.status == 404 && positions?.status == 403
                }
                #expect(isKnown)
            }

            /// Anna leaves the circle.
            func leave() async throws {
                try home.anna.api.call(
                    "DELETE", "/v1/circles/\(home.circle)/members/\(home.anna.id)")
                let isKnown = await eventually {
                    let positions = try? home.cara.api.call(
                        "GET", "/v1/circles/\(home.circle)/positions")
                    let read = try? home.cara.api.send(
                        "GET", "/v1/emergencies/\(ids["emergency"]!)")
                    return positions.map { !$0.serialized().contains(home.anna.id) } ?? false
                        && read.map { $0.status >= 400 } ?? false
                }
                #expect(isKnown)
                let areRemoved = await eventually {
                    let rows = try? home.cara.api.list("/v1/circles/\(home.circle)/timeline")
                    return rows?.allSatisfy { $0["emergency"] != nil } ?? false
                }
                #expect(areRemoved)
            }

            /// Sends every GET about Anna and about the viewer.
            ///
            /// - Parameter mayKnowMembership: the viewer may know that Anna is in the circle
            func walk(as viewer: Household.Person, mayKnowMembership: Bool) throws {
                for path in paths where !Scene.isStream(path) && path != "/" {
                    for person in [home.anna.id, viewer.id] {
                        let filled = completed(path, person)
                        let answer = try viewer.api.send("GET", filled)
                        guard (200..<300).contains(answer.status) else { continue }
                        check(
                            answer.text, path, "\(viewer.name) \(filled)",
                            of: viewer, mayKnowMembership: mayKnowMembership)
                    }
                }
                let locate = try viewer.api.send(
                    "POST", "/v1/people/\(home.anna.id)/locate", [:])
                #expect(locate.status == 403, "\(viewer.name) may not locate")
            }

            private func check(
                _ text: String, _ path: String, _ what: String, of viewer: Household.Person,
                mayKnowMembership: Bool
            ) {
                #expect(!text.contains("entered Park"), "\(what)")
                // Zones belong to the circle, and emergencies are in messages to recipients.
                let isOwnRecord =
                    path.hasSuffix("/notifications") || path.contains("/zones")
                    || path.hasSuffix("applicable-zones")
                guard !isOwnRecord else { return }
                #expect(!Scene.leaks(in: text), "\(what)")
                guard !path.hasSuffix("/timeline") else { return }
                if !mayKnowMembership { #expect(!text.contains(home.anna.id), "\(what): \(text)") }
                if mayKnowMembership {
                    #expect(!text.contains("\"precision\""), "\(what)")
                    #expect(!text.contains("\"sharing\""), "\(what)")
                }
            }

            private func completed(_ path: String, _ person: String) -> String {
                var ids = ids
                ids["person"] = person
                return path.split(separator: "/").reduce("") { filled, part in
                    guard part.hasPrefix("{") else { return filled + "/" + part }
                    let id = ids[String(part.dropFirst().dropLast())] ?? "none"
                    return filled + "/" + id
                }
            }

            /// Whether a body contains a position.
            private static func leaks(in text: String) -> Bool {
                text.contains(#""lat":"#) || text.contains(#""coordinates":["#)
                    || text.contains("<trkpt")
            }

            private static func leaks(in bytes: [UInt8]) -> Bool {
                leaks(in: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        String(decoding: self, as: UTF8.self).contains(text)
    }
}
