import Foundation
import Model
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `A ward` {
        @Test func `takes over by the timer's deadline, also if the timer dies before`()
            async throws
        {
            try await Household.run { home in
                let until = SystemClock().now + .seconds(12)
                let made = try home.anna.api.call(
                    "POST", "/v1/people/\(home.anna.id)/wards",
                    ["name": "Gus", "wardUntil": .string(until.description)])
                let path = "/v1/people/" + (try made.text("id"))
                func guardians() throws -> Int? {
                    try home.admin.call("GET", path)["guardians"]?.array?.count
                }
                #expect(try guardians() == 1)
                // The date is less than a week away, so the guardian is told at once.
                let isTold = await eventually {
                    let messages = try? home.admin.list("/v1/outbox")
                    return messages?.contains {
                        $0["to"]?.string == home.anna.number
                            && $0["text"]?.string?.contains("Gus") == true
                    } ?? false
                }
                #expect(isTold)
                try await home.suite.kill(.timer)
                try await home.suite.waitUntilReady(.timer)
                let hasTakenOver = await eventually(within: 40) { (try? guardians()) == 0 }
                #expect(hasTakenOver)
                #expect(try home.admin.call("GET", path)["wardUntil"]?.isNull ?? true)
                #expect(SystemClock().now >= until)
                let rest = try home.anna.api.call("GET", "/v1/people/\(home.anna.id)/wards")
                #expect(rest["items"]?.array?.isEmpty == true)
            }
        }
    }
}
