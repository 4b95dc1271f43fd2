import Bus
import EvaluatorCore
import Hosting
import Model

/// Progress of an evaluator's shutdown.
enum Drain {
    /// No shutdown was requested.
    case none
    /// Last checkpoints are being sent; the time of the last progress.
    case sending(since: Timestamp)
    /// Its partitions can be released.
    case done

    /// How long to wait for progress before ingest counts as unavailable.
    static let patience = Duration.seconds(1)

    mutating func progress(at now: Timestamp) {
        if case .sending = self { self = .sending(since: now) }
    }
}

extension EvaluatorService {
    func beginShutdown() {
        guard case .none = drain else { return }
        schedule.beginDrain()
        drain = .sending(since: host.now)
    }

    var hasDrained: Bool { if case .done = drain { true } else { false } }

    /// Finishes draining once all checkpoints are stored, so that the next owners can begin there.
    func continueDrain() {
        guard case .sending(let since) = drain,
            schedule.hasDrained || host.now - since >= Drain.patience
        else { return }
        drain = .done
    }
}
