import Model
import Parsing
import Testing

@testable import JagaCLI

@Suite struct `Owners of partitions` {
    private func seats(
        _ owners: [String?], successors: [Int: String] = [:]
    ) -> JSON {
        .array(
            owners.enumerated().map { index, owner in
                .object([
                    .init("owner", owner.map { .string($0) } ?? .null),
                    .init("successor", successors[index].map { .string($0) } ?? .null),
                ])
            })
    }

    private func member(_ id: String, count: Int, live: Int, fit: Bool = true) -> JSON {
        [
            "member": .string(id), "fit": .bool(fit), "live": .integer(Int64(live)),
            "partitions": .array((0..<count).map { .integer(Int64($0)) }),
        ]
    }

    @Test func `are shown one line per evaluator`() {
        let one = String(repeating: "a", count: 26)
        let two = String(repeating: "b", count: 26)
        let owners = [String?](repeating: one, count: 62) + [two, nil]
        let details: JSON = [
            "members": [member(one, count: 62, live: 62), member(two, count: 1, live: 0)],
            "partitions": seats(owners, successors: [0: two, 1: two]),
        ]
        #expect(
            Owners(details).lines == [
                "partitions 64, 2 evaluators, 1 unowned", "evaluator aaaaaa…: 62 partitions, live",
                "evaluator bbbbbb…: 1 partition, 0 live, 2 being assigned",
            ])
    }

    @Test func `are empty without evaluators`() {
        let details: JSON = [
            "members": [], "partitions": seats([String?](repeating: nil, count: 64)),
        ]
        #expect(Owners(details).lines == ["partitions 64, 0 evaluators, all unowned"])
    }

    @Test func `are ready once every partition is live`() {
        func report(_ last: String) -> StatusReport {
            let states = [String](repeating: "live", count: 63) + [last]
            let details: JSON = [
                "members": [member("dddddddd", count: 64, live: 63)],
                "partitions": .array(states.map { ["owner": "dddddddd", "state": .string($0)] }),
            ]
            let ready: JSON = ["ready": true]
            let ingest: JSON = ["ready": true, "details": details]
            return StatusReport(documents: [
                (.ingest, ingest), (.membership, ready), (.evaluator, nil), (.timer, ready),
                (.notifier, ready),
            ])
        }
        #expect(report("live").isReady)
        #expect(!report("restoring").isReady)
        let text = report("live").text(now: Timestamp(seconds: 1_795_170_000))
        #expect(text.contains("evaluator   1 running"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", true), ("https://localhost", true), ("http://[::1]:80/x", true),
        ("https://jaga.example.org/a", false), ("http://[2001:db8::1]:80", false),
    ])
    func `are asked at their own port only where the suite is here`(url: String, isHere: Bool) {
        #expect(Status.isHere(url) == isHere)
    }

    @Test func `are shown as readers of what they evaluate`() {
        func text(members: Int, live: Int, evaluator: JSON?) -> String {
            let states = (0..<64).map { $0 < live ? "live" : "restoring" }
            let details: JSON = [
                "members": .array(
                    (0..<members).map { member("eeeeeee\($0)", count: 64 / members, live: live) }),
                "partitions": .array(states.map { ["owner": "x", "state": .string($0)] }),
            ]
            let streams: JSON = [
                ["stream": "in/3", "head": 500, "base": 0],
                ["stream": "in/9", "head": 700, "base": 0],
            ]
            let ingest: JSON = ["ready": true, "details": details, "streams": streams]
            return StatusReport(documents: [(.ingest, ingest), (.evaluator, evaluator)])
                .text(now: Timestamp(seconds: 1_795_170_000))
        }
        let cursors: JSON = [
            ["stream": "in/3", "applied": 500, "lag": 0],
            ["stream": "in/9", "applied": 658, "lag": 42],
            ["stream": "directory", "applied": 7, "lag": 0],
        ]
        #expect(
            text(members: 1, live: 64, evaluator: ["cursors": cursors]).contains("evaluator (42)"))
        #expect(text(members: 1, live: 64, evaluator: nil).contains("evaluator (live)"))
        #expect(text(members: 2, live: 64, evaluator: nil).contains("2 evaluators (live)"))
        #expect(
            text(members: 2, live: 61, evaluator: nil)
                .contains("2 evaluators (3 partitions not live)"))
        #expect(!text(members: 0, live: 0, evaluator: nil).contains("evaluators ("))
    }

    @Test func `exclude evaluators that do not support the logic version`() {
        let details: JSON = [
            "members": [member("cccccccc", count: 0, live: 0, fit: false)],
            "partitions": seats([String?](repeating: nil, count: 64)),
        ]
        #expect(
            Owners(details).lines.last
                == "evaluator cccccc…: does not support the logs' logic version")
    }
}
