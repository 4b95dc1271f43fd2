import TestSupport
import Testing

extension `The suite` {
    @Suite(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
    struct `When processes are killed` {
        @Test func `loses nothing acknowledged, and sends nothing twice`() async throws {
            let gateways = try Gateways()
            try await gateways.start()
            let services = RunningSuite.Service.allCases
            let zones = services.enumerated().map { number, service in
                Zone.circle("\(service) zone", towards: 72 * Double(number))
            }
            try await Household.run(through: gateways, zones: zones) { home in
                var expected: [NotificationSummary] = []
                try await home.phone.report(Zone.outside)
                for (service, zone) in zip(services, zones) {
                    expected += try await kill(service, of: home, during: zone)
                }
                try await home.expectNotifications(expected, kills: 1)
            }
            await gateways.stop()
        }

        /// Kills a service while Anna crosses a zone and raises an emergency.
        ///
        /// - Returns: the expected notifications
        private func kill(
            _ service: RunningSuite.Service, of home: Household, during zone: Zone
        ) async throws -> [NotificationSummary] {
            let call = "\(service) dies"
            let phone = home.phone
            let button = home.button
            async let walk = phone.walk(through: zone)
            async let press = button.callForHelp(call, countdown: 1)
            try await Task.sleep(for: .milliseconds(.random(in: 0..<1500)))
            try await home.suite.kill(service)
            let emergency = try await press
            let alarm = NotificationSummary.all("SOS Anna: panic button (\(call))", to: "Bob")
            try await home.wait(for: alarm)
            try await home.bobHelps(emergency)
            try await home.suite.waitUntilReady(service)
            await phone.stopWalking()
            let rounds = try await walk
            let crossings = NotificationSummary.all(
                "Anna entered \(zone.name)", "Anna left \(zone.name)", to: "Bob", "Cara")
            return alarm + Household.helped + (0..<rounds).flatMap { _ in crossings }
        }

        @Test func `repeats only emergency messages with an unknown result, unchanged`()
            async throws
        {
            let gateways = try Gateways()
            try await gateways.start()
            try await Household.run(through: gateways, zones: [.park]) { home in
                try await home.phone.report(Zone.outside)
                gateways.kannel.freeze()
                try await home.phone.report(Zone.park.inside)
                let emergency = try await home.button.callForHelp("call 1")
                let areInFlight = try await eventually {
                    _ = home.suite.log
                    return try home.admin.list("/v1/notifications?state=sending").count == 3
                }
                #expect(areInFlight)
                let alarm = NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                let crossings = NotificationSummary.all("Anna entered Park", to: "Bob", "Cara")
                try await home.wait(for: (alarm + crossings).filter { $0.way == .mail })
                try await home.suite.kill(.notifier)
                gateways.kannel.thaw()
                try await home.wait(for: alarm)
                try await home.bobHelps(emergency)
                try await home.expectNotifications(alarm + crossings + Household.helped, kills: 1)
            }
            await gateways.stop()
        }
    }
}
