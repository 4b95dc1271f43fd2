import Bus
import EvaluatorCore
import Hosting
import Model
import Parsing
import Runtime
import Web
import Wire

/// Feeds records of `in/p` to the core and publishes its events on `events/p`.
///
/// Stores nothing: ingest assigns the partitions and stores their checkpoints.
final class EvaluatorService: Service, PartitionWorker, Drains, Authenticates {
    let host: Host
    let counters: EvaluatorMetrics
    private let clock = SystemClock()
    var core: EvaluatorCore
    /// By partition; nil if it is not owned.
    var partitionLeases: [PartitionLease?] = Partition.all.map { _ in nil }
    var schedule: CheckpointSchedule
    /// The checkpoint in flight.
    var sent: PartitionLease.StoredCheckpoint?
    var drain = Drain.none
    private var outputs: [Event] = []

    /// - Parameter logics: the versions of the logic that this process can run.
    init(host: Host, logics: EvaluatorLogics = .current) {
        self.host = host
        core = EvaluatorCore(logics: logics)
        counters = EvaluatorMetrics(host.metrics)
        let seconds = host.configuration.int("JAGA_EVALUATOR_CHECKPOINT_SECONDS")
        schedule = CheckpointSchedule(interval: .seconds(seconds))
    }

    func start() throws {}

    /// After a rollback the bus restores the affected partitions from a checkpoint.
    func reload() throws {}

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        guard case .input(let partition) = stream else { return }
        guard core[partition] != nil else {
            throw StreamStop(reason: "the partition was not started")
        }
        let began = clock.monotonic
        outputs.removeAll(keepingCapacity: true)
        core.handle(event, in: partition, into: &outputs)
        if let version = core[partition]?.unknownLogic {
            throw StreamStop(reason: "logic version \(version) is not supported by this program")
        }
        try publish(outputs, of: partition)
        recordApplied(partition, at: position)
        counters.seconds.add(Double((clock.monotonic - began).microseconds) / 1_000_000)
        counters.records.add()
        counters.outputs.add(Double(outputs.count))
        counters.fixes.add(Double(event.body.reportCount))
    }

    /// A failure to publish stops only this partition.
    private func publish(_ outputs: [Event], of partition: Partition) throws {
        do {
            for output in outputs { try host.publish(output, on: .events(partition)) }
        } catch {
            throw StreamStop(reason: "\(error)")
        }
    }

    func tick() throws {
        sendCheckpoint()
        continueDrain()
    }

    var nextDeadline: Timestamp? { nil }

    func handle(_ request: Request) throws {
        host.answer(
            request.id, .problem(.notFound("an evaluator serves health, metrics and status only")))
    }

    /// Every caller counts as the operator: the port is internal, `/v1/status/evaluator` shows no
    /// personal data, nothing can be written, and an evaluator knows no credentials.
    func credential(of request: Request) -> Credential? {
        Credential(id: CredentialID(.zero), hash: "", kind: .operator, created: .zero)
    }
}
