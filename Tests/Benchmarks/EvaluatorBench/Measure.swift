import CAllocations
import EvaluatorCore
import Glibc
import Model

/// One case: a number of people and zones.
struct Measure {
    /// The results of a case.
    struct Figures {
        var perSecond = 0.0
        /// Outputs per fix.
        var outputs = 0.0
        /// Allocations per fix without and with outputs.
        var allocationsQuiet = 0.0
        var allocationsWithOutputs = 0.0
        var bytesOfZone = 0
        var bytesOfPerson = 0
        /// Fixes for which no zone was evaluated, percent.
        var spared = 0.0
        /// Time to configure all zones, seconds.
        var placing = 0.0
    }

    /// Generated before the measurement, few enough to stay in the CPU caches.
    private static let batch = 200
    private static let rounds = 5

    let people: Int
    let zones: Int
    var walk = Walk.always
    /// Whether every fix is evaluated without the filter.
    var isFastPathDisabled = false

    func run(fixes: Int) throws -> Figures {
        var figures = Figures()
        var city = City(walk)
        var state = PartitionState()
        state.isFastPathDisabled = isFastPathDisabled
        var outputs: [Event] = []
        var events: [Event] = []
        events.reserveCapacity(Measure.batch)
        let circle = try event(
            .inputCircle(ConfiguredCircle(circle: City.circle, zones: city.zones(zones))))
        let bytes = allocations_bytes()
        figures.placing = time { state.handle(circle, into: &outputs) }
        // Keeps inputs alive, so their release is not measured.
        withExtendedLifetime(circle) {
            figures.bytesOfZone = Int(allocations_bytes() - bytes) / zones
        }
        figures.bytesOfPerson = placePeople(of: &city, in: &state)
        // The first fix of each person, then the same number again.
        for first in stride(from: 0, to: people, by: Measure.batch) {
            city.fixes(&events, count: min(Measure.batch, people - first), first: first)
            for event in events { state.handle(event, into: &outputs) }
            outputs = []
        }
        events.removeAll(keepingCapacity: true)
        for _ in 0..<max(1, people / Measure.batch) {
            city.fixes(&events, count: Measure.batch)
            for event in events { state.handle(event, into: &outputs) }
            outputs.removeAll(keepingCapacity: true)
        }
        measureSpeed(fixes, &figures, &city, &state, &events, &outputs)
        measureAllocations(&figures, &city, &state, &events, &outputs)
        return figures
    }

    /// Bytes per person.
    private func placePeople(of city: inout City, in state: inout PartitionState) -> Int {
        let events = city.people(people).map(event)
        var outputs: [Event] = []
        let bytes = allocations_bytes()
        for event in events { state.handle(event, into: &outputs) }
        return withExtendedLifetime(events) { Int(allocations_bytes() - bytes) / people }
    }

    /// The median of several rounds.
    private func measureSpeed(
        _ fixes: Int, _ figures: inout Figures, _ city: inout City, _ state: inout PartitionState,
        _ events: inout [Event], _ outputs: inout [Event]
    ) {
        var seconds: [Double] = []
        var outputCount = 0
        let sparedBefore = state.quietFixes
        let batches = max(1, fixes / Measure.batch / Measure.rounds)
        for _ in 0..<Measure.rounds {
            var sum = 0.0
            for _ in 0..<batches {
                city.fixes(&events, count: Measure.batch)
                let span = events.span
                sum += time {
                    for index in span.indices { state.handle(span[index], into: &outputs) }
                }
                outputCount += outputs.count
                outputs.removeAll(keepingCapacity: true)
            }
            seconds.append(sum)
        }
        let count = Double(batches * Measure.batch)
        figures.perSecond = count / seconds.sorted()[Measure.rounds / 2]
        let spared = Double(state.quietFixes - sparedBefore)
        figures.spared = spared / count / Double(Measure.rounds) * 100
        figures.outputs = Double(outputCount) / count / Double(Measure.rounds)
    }

    private func measureAllocations(
        _ figures: inout Figures, _ city: inout City, _ state: inout PartitionState,
        _ events: inout [Event], _ outputs: inout [Event]
    ) {
        var quiet = (fixes: 0, allocations: 0)
        var withOutputs = (fixes: 0, allocations: 0)
        for _ in 0..<100 {
            city.fixes(&events, count: Measure.batch)
            for event in events {
                let before = allocations_count()
                state.handle(event, into: &outputs)
                let count = Int(allocations_count() - before)
                if outputs.isEmpty {
                    quiet = (quiet.fixes + 1, quiet.allocations + count)
                } else {
                    withOutputs = (withOutputs.fixes + 1, withOutputs.allocations + count)
                }
                outputs.removeAll(keepingCapacity: true)
            }
        }
        figures.allocationsQuiet = Double(quiet.allocations) / Double(max(1, quiet.fixes))
        figures.allocationsWithOutputs =
            Double(withOutputs.allocations) / Double(max(1, withOutputs.fixes))
    }

    private func event(_ body: EventBody) -> Event {
        Event(id: EventID(.zero), time: Timestamp(seconds: 1_760_000_000), body: body)
    }

    private func time(_ work: () -> Void) -> Double {
        var start = timespec()
        var end = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        work()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
    }
}
