import Foundation
import Hashing
import Model
import Wire

/// The vectors that `Shared/Wire/README.md` provides for other implementations.
enum GoldenVectors {
    static let all: [String: [UInt8]] = {
        let here = URL(fileURLWithPath: #filePath)
        let page = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Shared/Wire/README.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        let section = text.components(separatedBy: "## Golden vectors\n").last ?? ""
        var texts: [String: String] = [:]
        var name = ""
        for line in section.split(separator: "\n") where line.hasPrefix("    ") {
            let words = line.split(separator: " ")
            if words.count == 2 { name = String(words[0]) }
            texts[name, default: ""] += words.last ?? ""
        }
        return texts.compactMapValues { Hex.decode($0) }
    }()

    static let idA = ID128(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    static let idB = ID128(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
    static let life = ID128(high: 0xAAAA_AAAA_AAAA_AAAA, low: 0xAAAA_AAAA_AAAA_AAAA)
    static let one = Record(kind: 32, schema: 1, id: idA, payload: Array("one".utf8))
    static let two = Record(kind: 33, schema: 1, id: idB, payload: [])
    static let hash1 = one.hash(after: 0)
    static let hash2 = two.hash(after: hash1)
    static let position = Position(incarnation: life, sequence: 2, hash: hash2)
    static let published = Timestamp(seconds: 1_700_000_000)
    static let input17 = StreamName(text: "in/17") ?? .sos

    static let batch = Batch(
        stream: input17, after: .start(of: life), records: [one, two], head: 9,
        published: published)

    static let proposal = Proposal(batch, from: position, by: idB)

    static let extents = [
        Extent(stream: input17, base: .start(of: life), head: position, isSnapshotable: false),
        Extent(
            stream: .directory, base: Position(incarnation: life, sequence: 1, hash: hash1),
            head: position, isSnapshotable: true),
    ]

    static let heads = Heads(published: published, extents: extents)

    static let controls: [(name: String, message: Control)] =
        [
            (
                "hello",
                .hello(
                    consumer: "notifier",
                    entries: [.init(input17, position), .init(.sos, .unknown)])
            ),
            ("states", .states([.init(.diverged, on: position, extents[1])])),
            (
                "replay",
                .replay(consumer: "notifier", from: .init(input17, position), bytesMax: 262_144)
            ),
            ("ack", .acknowledge(consumer: "notifier", entries: [.init(input17, position)])),
            ("headsq", .headsRequest),
            (
                "snap",
                .snapshotRequest(consumer: "ingest", stream: .directory, snapshot: idB, first: 7)
            ),
            ("chunk", .chunk(.init(stream: .directory, snapshot: idB, first: 7, records: [one]))),
            (
                "end",
                .end(
                    .init(
                        stream: .directory, snapshot: idB, position: position, rows: 8,
                        digest: hash1))
            ),
            ("join", .join(member: idB, logic: 1...2)),
            (
                "renew",
                .renew(
                    member: idB, logic: 1...2,
                    leases: [
                        Lease(
                            partition: p17, epoch: 5, state: .live, applied: position),
                        Lease(partition: p63, epoch: 6, state: .restoring),
                    ])
            ),
            ("leave", .leave(member: idB)),
            (
                "assign",
                .assign(member: idB, logic: 1, assignments: [Assignment(partition: p17, epoch: 5)])
            ),
            ("ckpt", .checkpoint(checkpoint.piece(id: checkpoint.id, from: 0, by: idB, epoch: 5))),
        ]
        + verdicts.map { name, verdict in
            let answer = CheckpointReply(partition: p17, id: checkpoint.id, verdict: verdict)
            return (name, .checkpointReply(answer))
        }

    static let p17 = partition(17)
    static let p63 = partition(63)

    private static func partition(_ number: Int) -> Partition {
        Partition(number) ?? Partition.all[0]
    }

    static let checkpoint = Checkpoint(
        partition: p17, input: position, output: position, logic: 1,
        stateHash: 0x0102_0304_0506_0708, state: Array("state".utf8))

    private static let verdicts: [(String, CheckpointVerdict)] = [
        ("more", .more(next: 262_144)), ("stored", .stored), ("rejected", .rejected("why")),
    ]

    static let snapshot = PartitionSnapshot(
        configuration: [one],
        head: .init(output: position, logic: 1, stateHash: checkpoint.stateHash),
        state: checkpoint.state, audit: .init(input: position, stateHash: 9))

    static let report = Event(
        id: EventID(idB), time: Timestamp(microseconds: published.microseconds + 2),
        trace: "req-1",
        body: .inputReport(oneReport))

    private static let oneReport = Report(
        id: ReportID(idA), person: PersonID(idB), device: DeviceID(life),
        fix: Fix(
            time: published,
            position: Coordinate(latitudeE7: 31_234_567, longitudeE7: -1_012_345_678),
            accuracyCentimetres: 1500, altitudeCentimetres: -20, courseDegrees: 359),
        trigger: .manual, battery: 77, charging: false, clockSkew: true,
        received: Timestamp(microseconds: published.microseconds + 1))

    static let reports: Event = {
        var second = oneReport
        second.id = ReportID(life)
        second.fix.time = published + .seconds(60)
        second.charging = true
        second.late = true
        var third = oneReport
        third.id = ReportID(idB)
        third.received = oneReport.received + .seconds(1)
        third.trace = "req-2"
        return Event(
            id: EventID(idB), time: report.time, trace: "req-1",
            body: .inputReports(ReportBatch([oneReport, second, third])))
    }()
}
