import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `The data of a person` {
        private func report(_ home: Household, north metres: Double) throws {
            try home.phoneAPI.call(
                "POST", "/v1/reports",
                [
                    "lat": .number(3.7654321 + metres / 111_194.9), "lon": 101.5, "accuracy": 5,
                    "time": .string(SystemClock().now.description),
                ])
        }

        @Test func `with journeys can be read, exported and erased completely`()
            async throws
        {
            try await Household.run { home in
                let path = "/v1/people/\(home.anna.id)"
                let started = try home.anna.api.call(
                    "POST", path + "/journeys", ["name": "Hill"])
                let journey = path + "/journeys/" + (started["id"]?.string ?? "")
                for metres in [0.0, 100, 250] {
                    try report(home, north: metres)
                    try await Task.sleep(for: .milliseconds(20))
                }
                let stopped = try home.anna.api.call("POST", journey + "/stop")
                #expect(stopped["state"] == "stopped")
                let line = try home.anna.api.call("GET", journey + "/points")
                #expect(line["geometry"]?["type"] == "LineString")
                #expect(line["geometry"]?["coordinates"]?.array?.count == 3)
                let sum = try home.anna.api.call("GET", journey)
                #expect(abs((sum["distance"]?.double ?? 0) - 250) < 2)
                let track = try home.anna.api.send("GET", journey + "/points.gpx")
                #expect(track.status == 200 && track.text.contains("<trkpt"))
                #expect(track.text.components(separatedBy: "<trkpt").count == 4)

                let names = try await export(home)
                #expect(names.contains("about.json") && names.contains("watches.json"))
                let parts = [
                    "notifications", "account", "credential-use", "sessions", "identities",
                    "passkeys", "consents", "never-notify", "drafts",
                ]
                for part in parts {
                    #expect(names.contains("\(part).json"), "\(part)")
                }
                #expect(names.contains { $0.hasPrefix("reports/dev_") })
                #expect(names.contains { $0.hasPrefix("journeys/jny_") })
                try await erase(home)
            }
        }

        /// The names of the files in Anna's export.
        private func export(_ home: Household) async throws -> [String] {
            let file = home.suite.home + "/anna.zip"
            let capture = try Capture(
                try Programs.path("jaga"), ["person", "export", home.anna.id, file],
                environment: home.suite.environment.merging(
                    ["JAGA_TOKEN": home.anna.api.token]) { $1 })
            _ = await eventually { capture.process.reap() != nil }
            #expect(capture.process.exitStatus == 0, "\(capture.text)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            try FileManager.default.removeItem(atPath: file)
            return try ZipFile.read(Array(bytes)).map(\.name)
        }

        /// Erases Anna and searches the rows of every store for her; streams are pruned later.
        private func erase(_ home: Household) async throws {
            let path = "/v1/people/\(home.anna.id)"
            let capture = try home.suite.run(["person", "erase", home.anna.id, "--yes"])
            _ = await eventually { capture.process.reap() != nil }
            #expect(capture.process.exitStatus == 0, "\(capture.text)")
            #expect(try home.admin.send("GET", path).status == 404)
            let list = home.suite.home + "/erased"
            let isListed = await eventually {
                ((try? String(contentsOfFile: list, encoding: .utf8)) ?? "")
                    .contains(home.anna.id)
            }
            #expect(isListed)
            let isRevoked = try await eventually {
                try home.phoneAPI.send("GET", path + "/journeys").status == 401
            }
            #expect(isRevoked, "the phone's token is revoked")
        }
    }
}
