import CAllocations
import EvaluatorCore
import Glibc
import Model

/// Measures the evaluator's core on one thread: `make bench-evaluator`.
///
/// Nothing is asserted. Each figure is printed with its ratio to the smallest case of the same run,
/// because machines differ and are busy.
@main struct Main {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let fixes = words.first ?? 1_000_000
        if CommandLine.arguments.contains("through") {
            return try Through.measure(fixes: fixes, say: say)
        }
        // Three arguments select one case; a fourth skips the comparison without the filter.
        let peopleCounts = words.count > 2 ? [words[1]] : [1000, 100_000]
        let zoneCounts = words.count > 2 ? [words[2]] : [10, 1000, 10_000, 100_000]
        say("bench-evaluator: \(fixes) fixes a case, zones in a city of 60 km, one thread")
        say(
            row([
                "people", "zones", "walk", "fixes/s", "× slower", "quiet %", "× plain", "outputs",
                "allocs/quiet", "allocs/told",
                "B/zone", "B/person", "B/state", "place ms",
            ]))
        for (walk, people) in Walk.allCases.flatMap({ walk in peopleCounts.map { (walk, $0) } }) {
            var smallest: Double?
            for zones in zoneCounts {
                var measure = Measure(people: people, zones: zones, walk: walk)
                let found = try measure.run(fixes: fixes)
                measure.isQuietFixFilterDisabled = true
                let plain = words.count > 3 ? found : try measure.run(fixes: fixes)
                let base = smallest ?? found.perSecond
                smallest = base
                say(
                    row([
                        "\(people)", "\(zones)", walk.rawValue, "\(Int(found.perSecond))",
                        two(base / found.perSecond),
                        two(found.spared), two(found.perSecond / plain.perSecond),
                        two(found.outputs),
                        two(found.allocationsQuiet), two(found.allocationsTold),
                        "\(found.bytesOfZone)", "\(found.bytesOfPerson)",
                        "\(PartitionState.bytesOfPresence)", two(found.placing * 1000),
                    ]))
            }
        }
        say(
            """
            Each fix is of somebody at random, accurate to 5 to 30 m, and tells a speed: 20 to 28
            m/s on the way, for each person the same, and 0 at rest. Three of ten zones are
            polygons, one of five is an alert zone. always: up to 30 m north or south and east or
            west of the fix before it, which crosses 0.4 edges of 100,000 zones; rests: likewise for
            20 fixes, then 80 within 4 m of one place, as people do. × slower: than with the fewest
            zones. quiet: fixes for which no zone is looked at; × plain: how much faster than
            asking an index for each. outputs: a fix. allocs: a fix without and one with outputs.
            B/state: a (person, zone) that somebody is inside of or near, where it lies among
            all of a person's; outside costs nothing. place: one record with all zones.
            """)
    }

    private static func row(_ cells: [String]) -> String {
        cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }.joined(
            separator: " ")
    }

    private static func two(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func say(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(1, $0, strlen($0)) }
    }
}
