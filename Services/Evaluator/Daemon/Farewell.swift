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
    /// Its partitions are given back.
    case left(at: Timestamp)

    /// Ingest that takes nothing for so long is not there.
    static let patience = Duration.seconds(1)
    /// After the word that it leaves, which is in no store: it must leave the process first.
    static let wait = Duration.milliseconds(100)

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

    var hasLeft: Bool {
        guard case .left(let time) = farewell else { return false }
        return host.now - time >= Farewell.wait
    }

    /// Soon, while there is something to wait for before the end.
    var nextDeadline: Timestamp? {
        if case .none = farewell { return nil }
        return host.now + .milliseconds(20)
    }

    /// Gives partitions back once what is new in them is told, so that others begin there.
    func goOnLeaving() {
        guard case .telling(let since) = farewell,
            schedule.isDone || host.now - since >= Farewell.patience
        else { return }
        host.bus.leave()
        farewell = .left(at: host.now)
    }
}
