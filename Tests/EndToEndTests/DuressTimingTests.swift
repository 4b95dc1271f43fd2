import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// The time of a response must not show which PIN was entered.
    @Suite struct `The time of a cancel` {
        /// Of each kind of PIN.
        private static let runs = 1000

        @Test(.enabled(if: getenv("LONG_TESTS") != nil))
        func `is the same with the PIN and with the duress PIN`() async throws {
            try await Household.run(settings: [
                "JAGA_ADDRESS_CALLS_PER_SECOND": "0", "JAGA_CREDENTIAL_CALLS_PER_SECOND": "0",
            ]) { home in
                let http = KeptHTTP(port: home.suite.port)
                var times: [String: [Double]] = [:]
                let order = Array(repeating: ["4711", "0815"], count: Self.runs)
                    .flatMap(\.self).shuffled()
                for (number, pin) in order.enumerated() {
                    let someone = try person(number, home)
                    let call = try someone.call(
                        "POST", "/v1/emergencies", ["trigger": "panic", "countdown": 60])
                    let path = "/v1/emergencies/\(try call.text("id"))/cancellation"
                    let body = Array(#"{"pin":"\#(pin)"}"#.utf8)
                    let headers = [
                        ("Authorization", "Bearer \(someone.token)"),
                        ("Content-Type", "application/json"),
                    ]
                    let start = ContinuousClock.now
                    let answer = try http.send("POST", path, headers: headers, body: body)
                    let elapsed = ContinuousClock.now - start
                    #expect(answer.status == 202, "\(answer.text)")
                    times[pin, default: []].append(elapsed / .microseconds(1))
                }
                let (truly, duress) = (times["4711"] ?? [], times["0815"] ?? [])
                #expect(truly.count == Self.runs && duress.count == Self.runs)
                let p = RankSum.probability(truly, duress)
                #expect(p > 0.01, "p = \(p)")
            }
        }

        /// A new person with a PIN and a duress PIN.
        private func person(_ number: Int, _ home: Household) throws -> API {
            let person = try Household.person(
                "P\(number)", number: "+1555\(1_000_000 + number)", home.admin)
            try person.api.call("PUT", "/v1/people/\(person.id)/pin", ["pin": "4711"])
            try person.api.call(
                "PUT", "/v1/people/\(person.id)/duress-pin",
                ["pin": "0815", "current": "4711"])
            // Ingest has applied both PINs when this gets its response.
            let device = try home.admin.call(
                "POST", "/v1/people/\(person.id)/devices", ["name": "phone"])
            guard device["active"] == true else {
                throw TestFailure("ingest did not apply the PINs")
            }
            return person.api
        }

        @Test func `the comparison finds a difference of a twentieth of the spread`() {
            var generator = SystemRandomNumberGenerator()
            func sample(_ shift: Double) -> [Double] {
                (0..<20_000).map { _ in Double.random(in: 0..<1, using: &generator) + shift }
            }
            #expect(RankSum.probability(sample(0), sample(0.05)) < 0.001)
            #expect(RankSum.probability([1, 2, 3, 4], [1, 2, 3, 4]) > 0.9)
        }
    }
}

/// Rank-sum test of Mann and Whitney, by its normal approximation.
enum RankSum {
    /// The probability of a difference at least as large between two samples of one distribution.
    static func probability(_ one: [Double], _ other: [Double]) -> Double {
        let all = (one.map { ($0, true) } + other.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (sum, ties, index) = (0.0, 0.0, 0)
        while index < all.count {
            var end = index
            while end < all.count, all[end].0 == all[index].0 { end += 1 }
            let rank = Double(index + end + 1) / 2
            sum += rank * Double(all[index..<end].filter(\.1).count)
            let count = Double(end - index)
            ties += count * count * count - count
            index = end
        }
        let (n, m) = (Double(one.count), Double(other.count))
        let u = sum - n * (n + 1) / 2
        let spread = (n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))).squareRoot()
        guard spread > 0 else { return 1 }
        return erfc(abs(u - n * m / 2) / spread / 2.0.squareRoot())
    }
}
