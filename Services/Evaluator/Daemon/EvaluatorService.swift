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
/// Nothing is stored: at start everything is read again from the first record.
final class EvaluatorService: Service {
    private let host: Host
    private let clock = SystemClock()
    private var core = EvaluatorCore()
    private var outputs: [Event] = []
    private let fixes: Counter
    private let records: Counter
    private let decided: Counter
    private let seconds: Counter
    private let unreadable: Gauge

    init(host: Host) {
        self.host = host
        fixes = host.metrics.counter("jaga_evaluator_fixes_total", "Reports evaluated.")
        records = host.metrics.counter("jaga_evaluator_records_total", "Records of in/p read.")
        decided = host.metrics.counter("jaga_evaluator_outputs_total", "Events decided.")
        seconds = host.metrics.counter("jaga_evaluator_seconds_total", "Time spent deciding.")
        unreadable = host.metrics.gauge(
            "jaga_evaluator_unreadable_zones", "Zones whose geometry has an unknown format.")
    }

    func start() throws {}

    /// The core holds decisions that were taken back, and there is no older state of it: the log
    /// has all of it, so this process ends, and its successor reads it from the beginning.
    func reload() throws { throw DecisionsTakenBack() }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        guard case .input(let partition) = stream else { return }
        let began = clock.monotonic
        outputs.removeAll(keepingCapacity: true)
        core.handle(event, in: partition, into: &outputs)
        if let version = core[partition]?.unknownLogic {
            throw StreamStop(reason: "the log asks for logic \(version), which is newer than this")
        }
        for output in outputs { try host.publish(output, on: .events(partition)) }
        seconds.add(Double((clock.monotonic - began).microseconds) / 1_000_000)
        records.add()
        decided.add(Double(outputs.count))
        if event.kind == .inputReport { fixes.add() }
    }

    func handle(_ request: Request) throws {
        host.answer(
            request.id, .problem(.notFound("evaluators answer health and metrics only")))
    }

    /// Another log than before, or the same one cut short: all of the partition is decided anew,
    /// and compared with what ingest has.
    func restart(_ stream: StreamName) throws {
        guard case .input(let partition) = stream else { return }
        core.begin(partition)
    }

    /// What `/v1/status/evaluator` shows is about no person, and the port is an internal one:
    /// whoever reaches it may read it, since an evaluator knows no credentials.
    func principal(of request: Request) -> Principal? { .operator }

    func writeMetrics(_ metrics: Metrics) { unreadable.set(Double(core.unreadableZones)) }

    var troubles: [String] {
        // A stopped stream is the bus's to tell.
        let count = core.unreadableZones
        return count == 0
            ? [] : ["\(count) zones judge nobody: their geometry is of a newer format"]
    }

    var statusDetails: JSON {
        .object([
            .init("people", .integer(Int64(core.people))),
            .init("circles", .integer(Int64(core.circles))),
        ])
    }
}

/// What an evaluator knows is ahead of the log.
struct DecisionsTakenBack: ExplainedError {
    let code = "taken-back"
    let operation = "undo a turn"
    let message = "the state of the partitions cannot be undone"
    let hint = "The next start reads the log from its beginning."
}
