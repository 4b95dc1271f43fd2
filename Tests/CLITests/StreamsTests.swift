import Parsing
import Testing

@testable import JagaCLI

@Suite struct `jaga streams` {
    private func kept(
        _ stream: String, base: Int64 = 0, head: Int64, readers: [(String, Int64)],
        heldBackBy: [String] = []
    ) -> JSON {
        [
            "stream": .string(stream), "base": .integer(base), "head": .integer(head),
            "bytesAbout": .integer((head - base) * 1000), "oldestSeconds": .integer(head * 60),
            "readers": .array(
                readers.map { ["name": .string($0.0), "behind": .integer($0.1)] }),
            "heldBackBy": .array(heldBackBy.map { .string($0) }),
        ]
    }

    private var documents: [(service: String, json: JSON)] {
        [
            (
                "ingest",
                [
                    "kept": [
                        kept("in/3", base: 40, head: 100, readers: []),
                        kept("in/9", head: 10, readers: []),
                        kept(
                            "sos", head: 2, readers: [("notifier", 0), ("timer", 2)],
                            heldBackBy: ["timer"]),
                    ]
                ]
            ),
            (
                "timer",
                [
                    "kept": [],
                    "stopped": [
                        ["stream": "deliveries", "sequence": 17, "reason": "a newer kind"]
                    ],
                    "divergences": [
                        [
                            "stream": "sos", "at": "2026-11-20T10:20:00.000Z", "was": 5, "now": 0,
                            "isAnotherLife": true,
                        ]
                    ],
                    "deadLetters": [
                        [
                            "entry": 3, "stream": "sos", "sequence": 4, "required": true,
                            "reason": "a constraint",
                        ],
                        ["entry": 4, "stream": "sos", "sequence": 6, "required": false],
                    ],
                    "deadLetterCount": 2,
                ]
            ),
        ]
    }

    @Test func `sums up partitions, and names readers and blockers`() {
        let lines = StreamsReport(documents: documents).text(byPartition: false)
            .split(separator: "\n").map(String.init)
        #expect(
            lines[0].hasPrefix("stream            kept by  records  removed  size     oldest"))
        #expect(lines[1].hasPrefix("in, 2 partitions  ingest   70       40       70.0 kB"))
        #expect(lines[2].hasSuffix("notifier (0), timer (2)  timer"))
        let life =
            "timer found another incarnation in sos at 2026-11-20T10:20:00.000Z: was at 5, "
            + "continued after 0; its store was replaced; this is expected after a restore: "
            + "see 'jaga held'"
        #expect(
            lines.suffix(4) == [
                "! timer stopped deliveries at 17: a newer kind",
                "! timer cannot apply required sos 4: a constraint; "
                    + "it is retried until it succeeds",
                life,
                "! 2 dead letters: see 'jaga streams dead-letters'",
            ])
        let all = StreamsReport(documents: documents).text(byPartition: true)
        #expect(all.contains("in/3"))
        #expect(all.contains("in/9"))
    }

    @Test func `never skips an evaluator's input`() throws {
        #expect(throws: CommandError.self) { try Streams.checkCanSkip("in/3") }
        try Streams.checkCanSkip("deadlines")
    }

    @Test func `knows where a stream is stopped`() {
        let report = StreamsReport(documents: documents)
        #expect(
            report.stopped("deliveries") == [
                .init(service: "timer", sequence: 17, reason: "a newer kind")
            ])
        #expect(report.stopped("sos").isEmpty)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2_000_000, "2.0 MB"),
        (3_260_000_000, "3.3 GB"), (4_000_000_000_000, "4000.0 GB"),
    ])
    func `writes sizes for people`(bytes: Int, text: String) {
        #expect(StreamsReport.size(bytes) == text)
    }
}
