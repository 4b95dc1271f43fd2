import Glibc
import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite(
        .enabled("a small disk cannot be mounted here: only root can") {
            await TinyDisk.isPossible()
        })
    struct `When the disk is full` {
        /// Settings without minimum free space: nothing is rejected before the disk is full.
        private static let withoutReserves = [
            "JAGA_DISK_FREE_MB_MIN": "0", "JAGA_DISK_FREE_PERCENT_MIN": "0",
        ]

        /// A suite with a small disk for one service.
        private func run(
            smallDiskOf service: RunningSuite.Service, settings: [String: String] = [:],
            _ body: (Household, TinyDisk) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let disk = try await TinyDisk(at: folder.file(service.rawValue), megabytes: 32)
            do {
                try await Household.run(
                    zones: [.park], home: folder.path, settings: settings
                ) { home in
                    try await home.phone.report(Zone.outside)
                    try await body(home, disk)
                }
            } catch {
                await disk.remove()
                throw error
            }
            await disk.remove()
        }

        @Test func `of ingest, it rejects, loses nothing accepted, and continues`() async throws {
            try await run(smallDiskOf: .ingest, settings: Self.withoutReserves) { home, disk in
                try disk.fill()
                // Free space in allocated pages may still be used.
                var accepted: [JSON] = []
                var rejected: (report: JSON, answer: PlainHTTP.Answer)?
                for _ in 0..<5000 where rejected == nil {
                    let report = await home.phone.next(Zone.outside)
                    let answer = try home.phoneAPI.send("POST", "/v1/reports", report)
                    if answer.status == 202 {
                        accepted.append(report)
                    } else {
                        rejected = (report, answer)
                    }
                }
                let (report, answer) = try #require(rejected)
                #expect(answer.status == 503)
                #expect(answer.headers["retry-after"] != nil)
                let isReported = await eventually { isFull(.ingest, of: home) }
                #expect(isReported, "\(home.suite.log)")

                disk.makeRoom()
                try await home.phoneAPI.insist("POST", "/v1/reports", report)
                try await home.phone.report(Zone.park.inside)
                try await home.button.callForHelp("call 1")
                try await home.expectNotifications(
                    NotificationSummary.all("Anna entered Park", to: "Bob", "Cara")
                        + NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))
                for part in stride(from: 0, to: accepted.count, by: 1000) {
                    let again = Array(accepted[part...].prefix(1000))
                    let answer = try home.phoneAPI.call(
                        "POST", "/v1/reports", ["reports": .array(again)])
                    #expect(answer["duplicates"]?.int == again.count)
                }
            }
        }

        @Test func `of the notifier, it sends everything once when there is space`() async throws {
            try await run(smallDiskOf: .notifier, settings: Self.withoutReserves) { home, disk in
                try disk.fill()
                var rounds = 0
                while !isFull(.notifier, of: home), rounds < 500 {
                    try await home.phone.report(Zone.park.inside)
                    try await home.phone.report(Zone.outside)
                    rounds += 1
                }
                #expect(isFull(.notifier, of: home), "\(home.suite.log)")
                try await home.button.callForHelp("call 1")
                try await Task.sleep(for: .seconds(1))
                disk.makeRoom()
                let round = NotificationSummary.all(
                    "Anna entered Park", "Anna left Park", to: "Bob", "Cara")
                try await home.expectNotifications(
                    (0..<rounds).flatMap { _ in round }
                        + NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))
            }
        }

        /// Without a reserve, these emergency requests get 503.
        @Test(arguments: [RunningSuite.Service.ingest, .notifier, .timer])
        func `completely, an emergency is still accepted and notified`(
            service: RunningSuite.Service
        ) async throws {
            try await run(smallDiskOf: service, settings: Self.withoutReserves) { home, disk in
                let reserve = home.suite.home + "/\(service)/reserve"
                let exists = await eventually { access(reserve, F_OK) == 0 }
                #expect(exists, "there is no reserve")
                try disk.fill()
                // Free space in allocated pages is used first.
                var rounds = 0
                while access(reserve, F_OK) == 0, rounds < 500 {
                    _ = try? await home.phone.report(Zone.park.inside)
                    _ = try? await home.phone.report(Zone.outside)
                    rounds += 1
                }
                let isReported = await eventually { isFull(service, of: home) }
                #expect(isReported, "\(home.suite.log)")
                let call = try home.phoneAPI.send(
                    "POST", "/v1/emergencies",
                    ["trigger": "panic", "countdown": 0, "id": "call 1", "note": "call 1"])
                #expect(call.status == 202, "\(call.text)")
                let isNotified = try await home.wait(
                    for: NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))
                #expect(isNotified, "\(home.suite.log)")
                if service == .ingest {
                    let report = await home.phone.next(Zone.outside)
                    #expect(try home.phoneAPI.send("POST", "/v1/reports", report).status == 503)
                    let status = try await home.suite.finish(["status"])
                    #expect(status.status == 1, "\(status.text)")
                    #expect(status.text.contains("rejecting"), "\(status.text)")
                }
                disk.makeRoom()
                let isRestored = await eventually { access(reserve, F_OK) == 0 }
                #expect(isRestored, "the reserve is not restored")
                let isHealthy = await eventually { (try? health(of: service, in: home)) == 200 }
                #expect(isHealthy, "\(home.suite.log)")
            }
        }

        @Test func `nearly, reports wait on phones while an emergency is notified`() async throws {
            try await run(smallDiskOf: .ingest) { home, disk in
                #expect(try health(of: .ingest, in: home) == 200)
                try disk.fill(leaving: 4)
                let reports = [
                    ("/v1/reports", await home.phone.next(Zone.outside)),
                    ("/pub", ["_type": "location", "lat": 1, "lon": 1, "tst": 1_795_000_000]),
                ]
                for (path, report) in reports {
                    var answer = try home.phoneAPI.send("POST", path, report)
                    let isRejected = await eventually {
                        if answer.status == 503 { return true }
                        answer = (try? home.phoneAPI.send("POST", path, report)) ?? answer
                        return false
                    }
                    #expect(isRejected, "\(path): \(answer.status)")
                    #expect(answer.headers["retry-after"] == "30")
                    #expect(answer.text.contains("nearly full"))
                }
                #expect(try health(of: .ingest, in: home) == 503)
                let call = try home.phoneAPI.send(
                    "POST", "/v1/emergencies",
                    ["trigger": "panic", "countdown": 0, "id": "call 1", "note": "call 1"])
                #expect(call.status == 202, "\(call.text)")
                let summary = NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                try await home.expectNotifications(summary)
                let emergency = try call.json.text("id")
                try await home.bobHelps(emergency)
                try await home.expectNotifications(summary + Household.helped)

                disk.makeRoom()
                try await home.phoneAPI.insist("POST", "/v1/reports", reports[0].1)
                let isHealthy = await eventually { (try? health(of: .ingest, in: home)) == 200 }
                #expect(isHealthy, "\(home.suite.log)")
            }
        }

        private func health(
            of service: RunningSuite.Service, in home: Household
        ) throws -> Int {
            let number = (RunningSuite.Service.allCases.firstIndex(of: service) ?? 0) + 1
            return try PlainHTTP(port: home.suite.portBase + number).send("GET", "/healthz").status
        }

        /// Whether a service has logged a full disk with a hint.
        private func isFull(_ service: RunningSuite.Service, of home: Household) -> Bool {
            home.suite.log.split(separator: "\n").contains { line in
                ["service=\(service)", "level=error", "disk-full", "hint="].allSatisfy(
                    line.contains)
            }
        }
    }
}
