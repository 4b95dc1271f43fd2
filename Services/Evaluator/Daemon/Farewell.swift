import Bus
import EvaluatorCore
import Hosting
import Model

/// How far a process is that was told to end.
enum Farewell {
    /// Nobody told it.
    case none
    /// What is new is given to ingest; the last time that got on.
    case telling(since: Timestamp)
    /// Its partitions can be given back.
    case done

    /// Ingest that takes nothing for so long is not there.
    static let patience = Duration.seconds(1)

    mutating func progress(at now: Timestamp) {
        if case .telling = self { self = .telling(since: now) }
    }
}

extension EvaluatorService {
    func startLeaving() {
        guard case .none = farewell else { return }
        schedule.leave()
        farewell = .telling(since: host.now)
    }

    var hasLeft: Bool { if case .done = farewell { true } else { false } }

    /// Lets the host give the partitions back once what is new in them is told, so that others
    /// begin there.
    func goOnLeaving() {
        guard case .telling(let since) = farewell,
            schedule.isDone || host.now - since >= Farewell.patience
        else { return }
        farewell = .done
    }
}
