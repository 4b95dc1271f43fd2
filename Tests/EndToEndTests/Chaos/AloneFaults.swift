import Foundation
import Model
import Parsing
import Runtime
import TestSupport

extension Fault {
    /// Faults without load: the delay of notifications counts.
    static let alone = [withoutEvaluators]

    /// Without evaluators, a panic and an expiring watch are still notified. The longest delay
    /// counts from the end of the countdown or the grace period.
    static let withoutEvaluators = Fault(
        description: "all evaluators dead: panic with 2 s, watch of 6 s and 1 s of grace"
    ) {
        var tally = Tally(crossings: 2, missing: 2)
        let clock = SystemClock()
        try await Household.run(
            settings: ["JAGA_TIMER_GRACE_SECONDS": "1"], arguments: ["--without", "evaluator"]
        ) { home in
            let start = clock.monotonic
            try await home.button.callForHelp("call 1", countdown: 2)
            try await home.cara.api.insist("POST", "/v1/watches", ["minutes": 0.1])
            var waiting = [("SOS Anna", Duration.seconds(2)), ("SOS Cara", .seconds(7))]
            _ = try await eventually(every: 100) {
                _ = home.suite.log
                let summary = try home.messages().map(\.summary).filter { $0.to == "Bob" }
                let delay = clock.monotonic - start
                waiting.removeAll { what, due in
                    guard summary.contains(where: { $0.what.hasPrefix(what) }) else { return false }
                    tally.longestDelay = max(tally.longestDelay, (delay - due).seconds)
                    return true
                }
                return waiting.isEmpty
            }
            tally.missing = waiting.count
        }
        return tally
    }
}
