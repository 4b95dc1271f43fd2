import Foundation
import Model
import Parsing
import Runtime
import TestSupport

extension Fault {
    /// Faults without load: what counts is how soon people are told.
    static let alone = [withoutEvaluators]

    /// Nobody evaluates: a panic of one and a watch of another that runs out are told all the same.
    /// The longest wait is from the end of the countdown, and of the grace.
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
                let told = try home.messages().map(\.told).filter { $0.to == "Bob" }
                let delay = clock.monotonic - start
                waiting.removeAll { what, due in
                    guard told.contains(where: { $0.what.hasPrefix(what) }) else { return false }
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
