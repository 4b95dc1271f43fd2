import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// What does not exist and what somebody may not see are answered alike, so that nobody learns
    /// by asking who and what there is.
    @Suite struct `Somebody who asks for what is others'` {
        /// The paths of `docs/openapi.yaml` that can be read and have an id in them.
        private static func paths() throws -> [String] {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let text = try String(
                contentsOf: root.appendingPathComponent("docs/openapi.yaml"), encoding: .utf8)
            var paths: [String] = []
            var path = ""
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("  /"), line.hasSuffix(":") {
                    path = String(line.dropFirst(2).dropLast())
                } else if line == "    get:", path.contains("{") {
                    paths.append(path)
                }
            }
            return paths
        }

        private static let prefixes = [
            "person": "per", "circle": "cir", "device": "dev", "zone": "zon", "set": "set",
            "message": "msg", "emergency": "emg", "journey": "jny", "watch": "wat",
            "notification": "ntf", "photo": "pho", "credential": "crd", "id": "qua",
        ]

        /// The path with ids: those that are given, else ones of nothing.
        private func filled(_ path: String, _ ids: [String: String]) -> String {
            var filled = path
            for (name, prefix) in Self.prefixes {
                let nothing = prefix + "_" + String(repeating: "7", count: 26)
                filled = filled.replacing("{\(name)}", with: ids[name] ?? nothing)
            }
            return filled
        }

        @Test func `is answered as if it were nothing`() async throws {
            try await Household.run { home in
                let admin = home.admin
                let dora = try admin.call("POST", "/v1/people", ["name": "Dora"]).text("id")
                let token = try admin.call("POST", "/v1/people/\(dora)/credentials", [:])
                    .member("credential").text("token")
                let own = API(http: home.suite.http, token: token)
                let circle = try own.call("POST", "/v1/circles", ["name": "Others"]).text("id")
                let zone: JSON = [
                    "type": "Feature", "properties": ["name": "Home", "radius": 100],
                    "geometry": ["type": "Point", "coordinates": [101.7, 3.1]],
                ]
                let zoneID = try own.call("POST", "/v1/circles/\(circle)/zones", zone).text("id")
                let made = try admin.call(
                    "POST", "/v1/people/\(dora)/devices", ["name": "phone", "platform": "ios"])
                let device = try made.member("device").text("id")
                let emergency = try own.call("POST", "/v1/emergencies", ["countdown": 0])
                    .text("id")
                let journey = try own.call("POST", "/v1/people/\(dora)/journeys", [:]).text("id")
                let watch = try own.send("POST", "/v1/watches", ["minutes": 60])
                var ids = [
                    "person": dora, "circle": circle, "zone": zoneID, "device": device,
                    "emergency": emergency, "journey": journey,
                ]
                if let id = watch.json["id"]?.string { ids["watch"] = id }
                let paths = try Self.paths()
                #expect(paths.count > 30)
                for path in paths {
                    try expectAlike(path, ids, [:], as: home.bob.api)
                    // Those of one's own circle with an id of another one.
                    let own = ["circle": home.circle, "person": home.bob.id]
                    try expectAlike(path, ids.merging(own) { $1 }, own, as: home.bob.api)
                }
            }
        }

        /// Both paths are answered alike.
        private func expectAlike(
            _ path: String, _ ids: [String: String], _ nothing: [String: String], as api: API
        ) throws {
            let there = try api.send("GET", filled(path, ids))
            let absent = try api.send("GET", filled(path, nothing))
            #expect(there.status == absent.status && there.text == absent.text, "\(path)")
            for name in Set(there.headers.keys).union(absent.headers.keys)
            where name != "x-request-id" && name != "date" {
                #expect(there.headers[name] == absent.headers[name], "\(path): \(name)")
            }
        }
    }
}
