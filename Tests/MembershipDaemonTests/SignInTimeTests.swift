import Parsing
import TestSupport
import Testing

/// Times of answers to sign-in requests: they do not tell which contacts belong to somebody.
@Suite(.serialized) struct SignInTimeTests {
    /// Each contact gets as many codes as one hour allows.
    private static let codesPerContact = 5
    private static let contacts = 3_000 / codesPerContact

    /// A service with people whose addresses are as long as those of nobody.
    private final class Site {
        private let http: KeptHTTP
        private var sent = 0
        private var counts: [Bool: Int] = [:]

        init(_ jaga: RunningMembership) throws {
            http = KeptHTTP(port: jaga.portBase + 2)
            let token = try jaga.operatorToken()
            for number in 0..<SignInTimeTests.contacts {
                let address = JSON.string(address(number, isKnown: true))
                let contact: JSON = ["channel": "email", "vouched": true, "address": address]
                let body: JSON = ["name": "Anna", "contacts": [contact]]
                let made = try http.send(
                    "POST", "/v1/people",
                    headers: [("Authorization", "Bearer \(token)")],
                    body: body.serialized())
                guard made.status == 201 else { throw TestFailure(made.text) }
            }
        }

        private func address(_ number: Int, isKnown: Bool) -> String {
            "\(isKnown ? "anna" : "nobo")\(10_000 + number)@example.test"
        }

        /// Sends the next request about somebody or nobody, each few from another network.
        func send(_ path: String, isKnown: Bool, code: String? = nil) throws -> Int {
            let count = counts[isKnown, default: 0]
            counts[isKnown] = count + 1
            let contact = JSON.string(
                address(count / SignInTimeTests.codesPerContact, isKnown: isKnown))
            var body: [JSON.Member] = [.init("contact", contact)]
            if let code { body.append(.init("code", .string(code))) }
            sent += 1
            let network = "10.\(sent / 20 / 250 + 10).\(sent / 20 % 250).1"
            return try http.send(
                "POST", path, headers: [("X-Forwarded-For", network)],
                body: JSON.object(body).serialized()
            ).status
        }

        func startAgain() { counts = [:] }
    }

    @Test func `are the same for people and for nobody`() async throws {
        let jaga = try await RunningMembership()
        await jaga.kill()
        try await jaga.startAgain([
            "JAGA_ADDRESS_CALLS_PER_SECOND": "0", "JAGA_AUTH_FAILURES_PER_MINUTE": "0",
        ])
        let site = try Site(jaga)
        for (path, code, status) in [
            ("/v1/sign-in/codes", nil, 202), ("/v1/sessions", "000000", 401),
        ] {
            site.startAgain()
            var others: Set<Int> = []
            let comparison = try TimeComparison.untilEqual {
                others.insert(try site.send(path, isKnown: true, code: code))
            } and: {
                others.insert(try site.send(path, isKnown: false, code: code))
            }
            print("sign-in: \(path), \(comparison)")
            #expect(comparison.isEqual, "\(path): \(comparison)")
            #expect(others == [status])
        }
    }

    @Test func `are compared by a test that finds a difference`() {
        let times = (0..<1_000).map { Double($0 % 100) }
        #expect(TimeComparison(times, times.shuffled()).isEqual)
        #expect(!TimeComparison(times, times.map { $0 + 6 }).isEqual)
    }
}
