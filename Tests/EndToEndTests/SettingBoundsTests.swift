import Foundation
import TestSupport
import Testing

extension `The suite` {
    /// Settings at their bounds are valid, so no arithmetic on them may stop a service.
    @Suite struct `With every number of the settings at its` {
        /// Ports are chosen by the test. Others would fill this disk, or reject every request.
        private static let fixed = [
            "JAGA_PORT_BASE", "JAGA_UP_PORT", "JAGA_EVALUATOR_PORT", "JAGA_DISK_FREE_MB_MIN",
            "JAGA_DISK_FREE_PERCENT_MIN", "JAGA_DISK_RESERVE_MB",
        ]

        /// The bounds of each setting with an integer, from deploy/.env.example.
        private static func bounds() throws -> [(name: String, least: String, most: String)] {
            let file = Programs.top.appending(path: "deploy/.env.example")
            return try String(contentsOf: file, encoding: .utf8)
                .matches(of: /integer from (\d+) to (\d+).*\n#?(JAGA_\w+)=/)
                .map { (String($0.output.3), String($0.output.1), String($0.output.2)) }
                .filter { !fixed.contains($0.name) }
        }

        @Test func `maximum, the suite works`() async throws {
            try await expectWorks(Self.bounds().map { ($0.name, $0.most) })
        }

        @Test func `minimum, the suite works`() async throws {
            try await expectWorks(Self.bounds().map { ($0.name, $0.least) })
        }

        private func expectWorks(_ settings: [(String, String)]) async throws {
            #expect(settings.count > 20)
            let values = Dictionary(uniqueKeysWithValues: settings)
            try await Household.run(settings: values) { home in
                // A limit of one request per second delays it.
                let isAccepted = await eventually {
                    (try? await home.phone.report(Zone.outside)) != nil
                }
                #expect(isAccepted)
                let id = try await home.button.callForHelp("at the bounds")
                let isNotified = try await eventually {
                    try await home.suite.finish("outbox").text.contains("at the bounds")
                }
                #expect(isNotified, "\(id): \(home.suite.log.suffix(3000))")
            }
        }
    }
}
