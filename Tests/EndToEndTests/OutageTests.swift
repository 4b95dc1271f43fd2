import TestSupport
import Testing

extension `The suite` {
    @Suite(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
    struct `When the gateways are down` {
        @Test func `reports it with a hint, loses nothing, and delivers afterwards`() async throws {
            let gateways = try Gateways()
            try await gateways.start()
            try await Household.run(through: gateways, zones: [.park]) { home in
                try await home.phone.report(Zone.outside)
                await gateways.stopKannel()
                await gateways.mail.stop()

                try await home.phone.report(Zone.park.inside)
                let emergency = try await home.button.callForHelp("call 1")
                for gateway in ["kannel", "mail"] {
                    let isReported = await eventually {
                        home.suite.log.split(separator: "\n").contains { line in
                            ["gateway is down", "gateway=\(gateway)", "hint="]
                                .allSatisfy(line.contains)
                        }
                    }
                    #expect(isReported, "\(home.suite.log)")
                }
                let health = try home.admin.list("/v1/gateways")
                #expect(health.compactMap { $0["down"]?.bool } == [true, true])

                try await gateways.start()
                var expected =
                    NotificationSummary.all("Anna entered Park", to: "Bob", "Cara")
                    + NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                try await home.wait(for: expected)
                try await home.bobHelps(emergency)
                expected += Household.helped
                try await home.expectNotifications(expected)
                for gateway in ["kannel", "mail"] {
                    #expect(home.suite.log.contains("gateway is up\" gateway=\(gateway)"))
                }
            }
            await gateways.stop()
        }
    }
}
