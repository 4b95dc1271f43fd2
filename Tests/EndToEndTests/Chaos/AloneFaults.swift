import Foundation
import Model
import Parsing
import Runtime
import TestSupport

extension Fault {
    /// Faults without load: what counts is how soon people are told.
    static let alone = [withoutEvaluators]

    /// Nobody evaluates: a panic and a watch that runs out are told all the same.
    static let withoutEvaluators = Fault(
        description: "all evaluators dead: panic with 2 s, watch of 6 s and 1 s of grace"
    ) {
        var tally = Tally()
        let clock = SystemClock()
        try await Household.run(
            settings: ["JAGA_TIMER_GRACE_SECONDS": "1"], arguments: ["--without", "evaluator"]
        ) { home in
            try await home.button.callForHelp("call 1", countdown: 2)
            try await home.anna.api.insist("POST", "/v1/watches", ["minutes": 0.1])
            let pressed = clock.monotonic
            let isTold = try await eventually(every: 100) {
                _ = home.suite.log
                let told = try home.messages().filter { $0.told.to == "Bob" }
                return Set(told.filter { $0.told.what.contains("SOS") }.map(\.text)).count >= 2
            }
            tally.crossings = 2
            tally.missing = isTold ? 0 : 1
            tally.longestDelay = (clock.monotonic - pressed).seconds
        }
        return tally
    }
}
