import Bus
import EvaluatorCore
import Hosting
import Model
import Parsing
import Runtime
import Web
import Wire

/// Carries records of `in/p` to the core, and what it decides to `events/p`.
///
/// Nothing is stored: ingest says which partitions are this process's, and has checkpoints of them.
final class EvaluatorService: Service {
    let host: Host
    let counts: Counts
    private let clock = SystemClock()
    var core: EvaluatorCore
    /// By partition; nil where it is not owned.
    var tenures: [Tenure?] = Partition.all.map { _ in nil }
    var schedule: CheckpointSchedule
    /// The checkpoint under way, as far as it is remembered.
    var sent: Tenure.Kept?
    var farewell = Farewell.none
    private var outputs: [Event] = []

    /// - Parameter logics: the versions of the logic that it runs
    init(host: Host, logics: EvaluatorLogics = .current) {
        self.host = host
        core = EvaluatorCore(logics: logics)
        counts = Counts(host.metrics)
        let seconds = host.configuration.int("JAGA_EVALUATOR_CHECKPOINT_SECONDS")
        schedule = CheckpointSchedule(interval: .seconds(seconds))
    }

    func start() throws {}

    /// What a turn touched that was taken back, the bus reads again from a checkpoint.
    func reload() throws {}

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        guard case .input(let partition) = stream else { return }
        guard core[partition] != nil else {
            throw StreamStop(reason: "nothing says where the partition begins")
        }
        let began = clock.monotonic
        outputs.removeAll(keepingCapacity: true)
        core.handle(event, in: partition, into: &outputs)
        if let version = core[partition]?.unknownLogic {
            throw StreamStop(reason: "the log asks for logic \(version), which is not run here")
        }
        try publish(outputs, of: partition)
        noteApplied(partition, at: position)
        counts.seconds.add(Double((clock.monotonic - began).microseconds) / 1_000_000)
        counts.records.add()
        counts.outputs.add(Double(outputs.count))
        counts.fixes.add(Double(event.body.reportCount))
    }

    /// What cannot be told stops its partition alone.
    private func publish(_ outputs: [Event], of partition: Partition) throws {
        do {
            for output in outputs { try host.publish(output, on: .events(partition)) }
        } catch {
            throw StreamStop(reason: "\(error)")
        }
    }

    func tick() throws {
        sendCheckpoint()
        goOnLeaving()
    }

    func handle(_ request: Request) throws {
        host.answer(
            request.id, .problem(.notFound("evaluators answer health and metrics only")))
    }

    /// What `/v1/status/evaluator` shows is about no person, and the port is an internal one:
    /// whoever reaches it may read it, since an evaluator knows no credentials. There is nothing to
    /// write there.
    func principal(of request: Request) -> Principal? { .operator }
}
