import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `A backup` {
        private func sleep(until time: Date) async throws {
            try await Task.sleep(for: .seconds(max(0, time.timeIntervalSinceNow)))
        }

        /// Everything continues, and nothing new is mistaken for a duplicate.
        private func expectToGoOn(_ home: Household) async throws {
            try await home.phone.report(Zone.outside)
            let before = try home.messages().count { $0.text.contains("Anna entered Park") }
            try await home.phone.report(Zone.park.inside)
            let goesOn = try await eventually {
                try home.messages().count { $0.text.contains("Anna entered Park") } > before
            }
            #expect(goesOn, "\(home.suite.log)")
            for reader in ["notifier", "timer", "ingest"] {
                let found = try home.admin.call("GET", "/v1/streams/\(reader)")["divergences"]
                #expect(found?.array?.isEmpty == false, "\(reader) reports it")
            }
        }

        @Test func `created under load restores everything and holds overdue notifications`()
            async throws
        {
            let copies = try TemporaryFolder()
            let settings = ["JAGA_TIMER_GRACE_SECONDS": "1"]
            try await Household.run(zones: [.park], settings: settings) { home in
                let suite = home.suite
                let copy = copies.file("copy")
                try await home.phone.report(Zone.outside)
                let phone = home.phone
                async let rounds = phone.walk(through: .park)
                _ = try await home.wait(
                    for: NotificationSummary.all("Anna entered Park", to: "Bob"))
                let deadline = Date().addingTimeInterval(12)
                try home.anna.api.call(
                    "POST", "/v1/watches",
                    [
                        "deadline": .string(deadline.formatted(.iso8601)), "note": "night walk",
                    ])
                let made = try await suite.finish("backup", copy)
                #expect(made.status == 0, "\(made.text)")
                await phone.stopWalking()
                _ = try await rounds
                let verified = try await suite.finish("backup", "verify", copy)
                #expect(verified.status == 0, "\(verified.text)")
                let rejected = try await suite.finish("restore", copy)
                #expect(rejected.status == 1 && rejected.text.contains("the suite runs"))

                #expect(await suite.stop() == 0)
                let restored = try await suite.finish("restore", copy, "--force")
                #expect(restored.status == 0, "\(restored.text)")
                try await sleep(until: deadline.addingTimeInterval(2))
                try await suite.start()

                // Notifications that became due are held until the operator sends them.
                var output = ""
                let isHeld = try await eventually {
                    output = try await suite.finish("held").text
                    return output.contains("watch: watch-expiry")
                }
                #expect(isHeld && output.contains("Anna"), "\(output)\n\(suite.log)")
                let sos = NotificationSummary.all("SOS Anna: watch expired (night walk)", to: "Bob")
                #expect(try !home.messages().map(\.summary).contains(sos[0]))
                #expect(try await suite.finish("held", "send", "all").status == 0)
                let isNotified = try await home.wait(for: sos)
                let texts = try home.messages().map(\.text)
                #expect(isNotified, "\(texts)\n\(suite.log)")
                let late = try home.messages().filter { sos.contains($0.summary) }
                #expect(late.allSatisfy { $0.text.contains("our server was down until") })
                try await expectToGoOn(home)
            }
        }

        @Test func `restored for the notifier only sends nothing twice`() async throws {
            let copies = try TemporaryFolder()
            try await Household.run { home in
                let suite = home.suite
                let copy = copies.file("copy")
                #expect(try await suite.finish("backup", copy).status == 0)
                let emergency = try await home.button.callForHelp("call 1")
                let summary = NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                try await home.wait(for: summary)

                #expect(await suite.stop() == 0)
                let restored = try await suite.finish(
                    "restore", copy, "--service", "notifier", "--force")
                #expect(restored.status == 0, "\(restored.text)")
                try await suite.start()
                // Its outbox starts empty, and it reads the emergency again.
                var output = ""
                let isHeld = try await eventually {
                    output = try await suite.finish("held", "--json").text
                    return output.contains(emergency)
                }
                #expect(isHeld, "\(output)\n\(suite.log)")
                #expect(try await suite.finish("held", "drop", emergency).status == 0)
                let path = "/v1/emergencies/\(emergency)"
                let isResolved = try await eventually {
                    try home.anna.api.send("GET", path).json["state"] == "resolved"
                }
                #expect(isResolved, "\(suite.log)")
                let again = try await home.button.callForHelp("call 2")
                #expect(again != emergency)
                try await home.expectNotifications(
                    NotificationSummary.all("SOS Anna: panic button (call 2)", to: "Bob"))
            }
        }

        @Test func `is not needed for the notifier to hold uncertain messages`() async throws {
            let copies = try TemporaryFolder()
            try await Household.run { home in
                let suite = home.suite
                let folder = suite.home + "/notifier"
                let store = folder + "/store.sqlite"
                func isHeld(_ emergency: String) async throws -> Bool {
                    try await eventually {
                        try await suite.finish("held", "--json").text.contains(emergency)
                    }
                }
                #expect(await suite.stop() == 0)
                let files = FileManager.default
                try files.copyItem(atPath: store, toPath: copies.file("store"))
                try await suite.start()
                #expect(try await suite.finish("held").text.contains("Nothing is held."))
                let emergency = try await home.button.callForHelp("call 1")
                try await home.wait(
                    for: NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))

                #expect(await suite.stop() == 0)
                for end in ["", "-wal", "-shm"] { try Files.remove(store + end) }
                try files.copyItem(atPath: copies.file("store"), toPath: store)
                try await suite.start()
                #expect(try await isHeld(emergency), "restored by hand\n\(suite.log)")
                try await home.expectNotifications([])

                #expect(await suite.stop() == 0)
                try files.removeItem(atPath: folder)
                try await suite.start()
                #expect(try await isHeld(emergency), "its disk is lost\n\(suite.log)")
                #expect(try home.messages().isEmpty)
                // A new emergency request is notified, and its emergency with it.
                _ = try await home.button.callForHelp("call 2")
                let goesOn = try await eventually { try !home.messages().isEmpty }
                #expect(goesOn, "\(suite.log)")
                #expect(try await suite.finish("held").text.contains("Nothing is held."))
            }
        }

        @Test func `can be tried without sending anything outside`() async throws {
            let secrets = try TemporaryFolder()
            try Files.write(Array("s3cret".utf8), to: secrets.file("password"), mode: 0o600)
            let gateway = [
                "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": "http://127.0.0.1:9/send",
                "JAGA_SMS_USER": "jaga", "JAGA_SMS_PASSWORD_FILE": secrets.file("password"),
                "JAGA_MAIL_URL": "smtp://127.0.0.1:9", "JAGA_MAIL_FROM": "jaga@example.test",
            ]
            try await Household.run(settings: gateway, arguments: ["--dry-run"]) { home in
                try await home.button.callForHelp("call 1")
                try await home.expectNotifications(
                    NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))
                #expect(home.suite.log.contains("dry run, nothing is sent outside"))
            }
        }

        @Test(
            .enabled("a small disk cannot be mounted here: only root can") {
                await TinyDisk.isPossible()
            })
        func `without disk space reports it and leaves nothing behind`() async throws {
            let folder = try TemporaryFolder()
            let disk = try await TinyDisk(at: folder.file("disk"), megabytes: 1)
            let suite = try RunningSuite()
            try await suite.start()
            try disk.fill(leaving: 0)
            let failed = try await suite.finish("backup", folder.file("disk/copy"))
            #expect(
                failed.status == 1 && failed.text.contains("not enough space"), "\(failed.text)")
            disk.makeRoom()
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: folder.file("disk")
                ).isEmpty)
            #expect(await suite.stop() == 0)
            await disk.remove()
        }
    }
}
