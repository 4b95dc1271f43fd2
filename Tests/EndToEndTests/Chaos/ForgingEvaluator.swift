import Bus
import Foundation
import Model
import Runtime
import Synchronization
import TestSupport
import Wire

/// Joins as an evaluator and proposes outputs that differ from the recorded ones.
final class ForgingEvaluator: Sendable {
    private let portBase: Int
    private let partitions: Set<Partition>
    private let ends = Atomic(false)
    private let hasEnded = Atomic(false)
    /// Number of forged proposals.
    private let forgeries = Atomic(0)
    /// Number of conflicts with the records of ingest.
    private let alarms = Atomic(0)

    /// - Parameter partitions: its partitions; each must have records
    init(of suite: RunningSuite, about partitions: Set<Partition>) {
        portBase = suite.portBase
        self.partitions = partitions
    }

    var forgeryCount: Int { forgeries.load(ordering: .relaxed) }
    var alarmCount: Int { alarms.load(ordering: .relaxed) }

    /// Joins, on its own thread.
    func start() {
        let thread = Thread { [self] in
            do { try run() } catch { print("the forging evaluator ended: \(error)") }
            hasEnded.store(true, ordering: .relaxed)
        }
        thread.start()
    }

    func stop() async {
        ends.store(true, ordering: .relaxed)
        _ = await eventually { hasEnded.load(ordering: .relaxed) }
    }

    private func endpoint(_ distance: Int) -> String {
        "tcp://127.0.0.1:\(portBase + distance)"
    }

    private func run() throws {
        var configuration = Bus.Configuration(name: "evaluator")
        var ingest = Bus.Peer(
            name: "ingest", publishEndpoint: endpoint(101), controlEndpoint: endpoint(201),
            streams: [], derivedEndpoint: endpoint(301), inputsEndpoint: endpoint(302))
        ingest.assignsPartitions = true
        configuration.peers = [ingest]
        let bus = try Bus(
            configuration: configuration, store: MemoryBusStore(), clock: SystemClock())
        bus.hooks.notice = { [self] notice in
            if case .derivedDiverged = notice { alarms.add(1, ordering: .relaxed) }
        }
        while !ends.load(ordering: .relaxed) {
            Loop.wait(on: [bus], atMost: 20)
            try bus.receive { stream, _, record in
                guard case .input(let partition) = stream, partitions.contains(partition) else {
                    return
                }
                // More records than any evaluator proposes, to reach the end of the log.
                for number in 0..<4 as Range<UInt64> {
                    try bus.append(ForgingEvaluator.forged(record, number), to: .events(partition))
                }
                forgeries.add(1, ordering: .relaxed)
            }
            bus.committed()
            try bus.tick()
        }
        bus.close()
    }

    /// A deadline that was never scheduled.
    private static func forged(_ record: Record, _ number: UInt64) throws -> Record {
        let id = ID128(high: record.id.high, low: record.id.low &+ number)
        let clock = Deadline(
            id: DeadlineID(id), kind: .presence, person: PersonID(.zero), due: .zero)
        return try EventCodec.encode(
            Event(id: EventID(id), time: .zero, body: .deadlineCancelled(clock)))
    }
}

extension Fault {
    /// An evaluator that computes differently joins another: ingest accepts none of its proposals.
    static let forger = Fault(description: "an evaluator that computes differently joins") {
        try await tally(arguments: []) { suite, crowd in
            var seen = (forgeries: 0, alarms: 0)
            try await crowd.walk {
                try await Task.sleep(for: .seconds(2))
                let kept = try crowd.admin.call("GET", "/v1/streams/ingest")["kept"]?.array ?? []
                let known = kept.filter { $0["head"]?.int ?? 0 > 0 }
                    .compactMap { $0["stream"]?.string.flatMap { StreamName(text: $0) } }
                let forger = ForgingEvaluator(
                    of: suite, about: Set(known.compactMap(\.derivedPartition)))
                forger.start()
                _ = await eventually { forger.alarmCount >= 8 }
                try await Task.sleep(for: .seconds(5))
                await forger.stop()
                seen = (forger.forgeryCount, forger.alarmCount)
            }
            guard seen.forgeries > 0, seen.alarms > 0,
                suite.log.contains("partition given up")
            else {
                throw TestFailure("the forgeries were not detected: \(seen)")
            }
        }
    }
}

extension StreamName {
    fileprivate var derivedPartition: Partition? {
        if case .events(let partition) = self { partition } else { nil }
    }
}
