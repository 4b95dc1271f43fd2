import Foundation
import TestSupport
import Testing

@testable import Runtime

@Suite struct `The metrics page` {
    @Test func `shows help, type and samples of each family in a stable order`() {
        let metrics = Metrics()
        let reports = metrics.counter("jaga_reports_total", "Reports by outcome.", "outcome")
        reports.add(2, "quarantined")
        reports.add(5, "accepted")
        metrics.gauge("jaga_pending_deadlines", "Clocks that wait.").set(3.5)
        #expect(
            metrics.render() == """
                # HELP jaga_pending_deadlines Clocks that wait.
                # TYPE jaga_pending_deadlines gauge
                jaga_pending_deadlines 3.5
                # HELP jaga_reports_total Reports by outcome.
                # TYPE jaga_reports_total counter
                jaga_reports_total{outcome="accepted"} 5
                jaga_reports_total{outcome="quarantined"} 2

                """)
    }

    @Test func `counts an observation in every bucket at or above it`() {
        let metrics = Metrics()
        let turns = metrics.histogram("jaga_turn_seconds", "Turns.", buckets: [0.5, 1], "kind")
        for value in [0.25, 0.5, 0.75, 4] { turns.observe(value, "all") }
        let lines = metrics.render().split(separator: "\n").dropFirst(2)
        #expect(
            lines == [
                "jaga_turn_seconds_bucket{kind=\"all\",le=\"0.5\"} 2",
                "jaga_turn_seconds_bucket{kind=\"all\",le=\"1\"} 3",
                "jaga_turn_seconds_bucket{kind=\"all\",le=\"+Inf\"} 4",
                "jaga_turn_seconds_sum{kind=\"all\"} 5.5",
                "jaga_turn_seconds_count{kind=\"all\"} 4",
            ])
    }

    @Test func `escapes label values`() {
        let metrics = Metrics()
        metrics.gauge("jaga_answer", "Answers.", "text").set(1, "say \"no\\\n\"")
        #expect(metrics.render().contains("{text=\"say \\\"no\\\\\\n\\\"\"}"))
    }

    @Test func `shows a family without labels before any change`() {
        let metrics = Metrics()
        _ = metrics.counter("jaga_alarms_total", "Alarms.")
        #expect(metrics.render().hasSuffix("jaga_alarms_total 0\n"))
    }

    @Test func `returns the same family when it is declared again`() {
        let metrics = Metrics()
        metrics.counter("jaga_alarms_total", "Alarms.").add()
        metrics.counter("jaga_alarms_total", "Alarms.").add()
        #expect(metrics.render().hasSuffix("jaga_alarms_total 2\n"))
    }

    @Test(arguments: [
        ("jaga_reports", MetricKind.counter), ("jaga_queue_total", .gauge),
        ("jaga_wait_ms", .gauge), ("jaga_wait_ms_total", .counter), ("jagaReports_total", .counter),
        ("jaga_clock_count", .gauge), ("jaga_size_gauge", .gauge), ("2fast", .gauge),
    ])
    func `a name that violates the conventions is rejected`(name: String, kind: MetricKind) {
        #expect(MetricHead.problem(name, kind, "Help.", []) != nil)
    }

    @Test func `a reserved label is rejected`() {
        #expect(MetricHead.problem("jaga_turns", .gauge, "Help.", ["le"]) != nil)
        #expect(MetricHead.problem("jaga_turns", .gauge, "", []) != nil)
        #expect(MetricHead.problem("jaga_turns", .gauge, "Help.", ["kind"]) == nil)
    }

    @Test func `shows the resource usage of the process`() {
        let metrics = Metrics()
        metrics.readProcess()
        let values = Dictionary(
            uniqueKeysWithValues: metrics.render().split(separator: "\n")
                .filter { !$0.hasPrefix("#") }
                .map { line in
                    let words = line.split(separator: " ")
                    return (String(words[0]), Double(words[1])!)
                })
        #expect(values["process_resident_memory_bytes"]! > 1_000_000)
        #expect(values["process_open_fds"]! >= 3)
        #expect(values["process_cpu_seconds_total"]! > 0)
        let age = Date().timeIntervalSince1970 - values["process_start_time_seconds"]!
        #expect(age >= -1 && age < 86_400)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool")))
    func `passes promtool`() throws {
        let metrics = Metrics()
        metrics.readProcess()
        metrics.counter("jaga_reports_total", "Reports by outcome.", "outcome").add(1, "accepted")
        metrics.histogram("jaga_turn_seconds", "Turns.", buckets: [0.1, 1]).observe(0.5)
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/promtool")
        tool.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        (tool.standardInput, tool.standardOutput, tool.standardError) = (input, output, output)
        try tool.run()
        input.fileHandleForWriting.write(Data(metrics.render().utf8))
        try input.fileHandleForWriting.close()
        let report = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        tool.waitUntilExit()
        #expect(tool.terminationStatus == 0 && report.isEmpty, "\(report)")
    }
}
