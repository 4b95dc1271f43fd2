import EvaluatorCore
import Model
import TestSupport
import Testing

/// Reports in one record are decided like single ones.
@Suite struct BatchTests {
    /// A report of the log and some that follow it.
    private func series(_ report: Report, random: inout SeededGenerator) -> [Report] {
        (0..<Int.random(in: 2...9, using: &random)).map { number in
            var next = report
            next.id = ReportID(ID128(high: report.id.raw.high ^ 99, low: UInt64(number)))
            next.fix.time = report.fix.time + .seconds(Int64(number) * 20)
            next.fix.position.latitudeE7 += Int32.random(in: -9000...9000, using: &random)
            next.late = Int.random(in: 0..<8, using: &random) == 0
            next.trace = number % 3 == 0 ? "" : "req-\(number / 2)"
            return next
        }
    }

    @Test func `a batch gives the same outputs and states as single reports`() throws {
        var kinds: Set<EventKind> = []
        for seed in 300..<324 as Range<UInt64> {
            let log = RandomLog(seed: seed, count: 120)
            var random = SeededGenerator(seed: seed)
            var alone = PartitionState()
            var together = PartitionState()
            for (place, event) in log.events.enumerated() {
                var outputs: (alone: [Event], together: [Event]) = ([], [])
                if case .inputReport(let report) = event.body {
                    let reports = series(report, random: &random)
                    for report in reports {
                        alone.handle(
                            Event(
                                id: EventID(report.id.raw), time: event.time, trace: report.trace,
                                body: .inputReport(report)), into: &outputs.alone)
                    }
                    together.handle(
                        Event(
                            id: event.id, time: event.time, trace: event.trace,
                            body: EventBody(reports: reports)), into: &outputs.together)
                } else {
                    alone.handle(event, into: &outputs.alone)
                    together.handle(event, into: &outputs.together)
                }
                try #require(outputs.alone == outputs.together, "seed \(seed), \(place)")
                kinds.formUnion(outputs.together.map(\.kind))
                let bytes = together.encodedState()
                try #require(alone.encodedState() == bytes, "seed \(seed), \(place)")
                if place % 5 == 4 {
                    let configuration = log.configurations[place + 1]
                    alone = try PartitionState(configuration: configuration, state: bytes)
                    together = try PartitionState(configuration: configuration, state: bytes)
                }
            }
        }
        #expect(
            kinds.isSuperset(of: [
                .zoneEntered, .zoneExited, .zonePresenceEstablished, .zoneSuppressed,
                .deadlineScheduled,
                .alarmStarted, .policyChanged,
            ]))
    }
}
