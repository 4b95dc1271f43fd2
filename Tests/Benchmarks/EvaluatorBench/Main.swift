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
            return try Through.measure(fixes: fixes, printLine: printLine)
        }
        // Three arguments select one case; a fourth skips the comparison without the filter.
        let peopleCounts = words.count > 2 ? [words[1]] : [1000, 100_000]
        let zoneCounts = words.count > 2 ? [words[2]] : [10, 1000, 10_000, 100_000]
        printLine("bench-evaluator: \(fixes) fixes a case, zones in a city of 60 km, one thread")
        printLine(
            row([
                "people", "zones", "walk", "fixes/s", "× slower", "quiet %", "× plain", "outputs",
                "allocs/quiet", "allocs/output",
                "B/zone", "B/person", "B/state", "place ms",
            ]))
        for (walk, people) in Walk.allCases.flatMap({ walk in peopleCounts.map { (walk, $0) } }) {
            var smallest: Double?
            for zones in zoneCounts {
                var measure = Measure(people: people, zones: zones, walk: walk)
                let found = try measure.run(fixes: fixes)
                measure.isFastPathDisabled = true
                let plain = words.count > 3 ? found : try measure.run(fixes: fixes)
                let base = smallest ?? found.perSecond
                smallest = base
                printLine(
                    row([
                        "\(people)", "\(zones)", walk.rawValue, "\(Int(found.perSecond))",
                        two(base / found.perSecond),
                        two(found.spared), two(found.perSecond / plain.perSecond),
                        two(found.outputs),
                        two(found.allocationsQuiet), two(found.allocationsWithOutputs),
                        "\(found.bytesOfZone)", "\(found.bytesOfPerson)",
                        "\(PartitionState.bytesOfPresence)", two(found.placing * 1000),
                    ]))
            }
        }
        printLine(
            """
            Each fix is of a random person, with an accuracy of 5 to 30 m and a speed: 20 to 28 m/s
            while moving, constant per person, and 0 at rest. Three of ten zones are polygons, one
            of five is an alert zone.
            always: each fix is up to 30 m north or south and east or west of the previous one,
            which crosses 0.4 edges of 100,000 zones. rests: the same for 20 fixes, then 80 fixes
            within 4 m of one position.
            × slower: compared with the smallest number of zones. quiet: fixes without an evaluated
            zone. × plain: speed compared with an index query for each fix. outputs: per fix.
            allocs: per fix without and with outputs. B/state: bytes per person and zone with
            presence inside or near; outside needs none. place ms: one record with all zones.
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

    private static func printLine(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(1, $0, strlen($0)) }
    }
}
