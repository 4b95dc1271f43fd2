import Hashing
import MembershipCore
import Model
import Runtime
import Web

/// Requests whose shapes a worker process prepares, one shape at a time.
///
/// Requesters take turns, shape by shape, so that nobody waits for all of somebody else's shapes.
/// The processor time of one request is bounded: when it is used up, the worker is killed and what
/// is left of the request is over budget. The service's own thread only passes messages.
final class GeometryQueue: Pollable {
    /// A request and what is known of its shapes.
    struct Entry {
        var request: Request
        /// Nil for the operator.
        var requester: ID128?
        var jobs: [GeometryJob]
        var outcomes: [GeometryJob: GeometryOutcome] = [:]
        var usedMicroseconds: Int64 = 0
        var received: Timestamp
        /// Turns that answered the request and were rolled back.
        var failures = 0

        var isFinished: Bool { outcomes.count == jobs.count }
        fileprivate var next: GeometryJob? { jobs.first { outcomes[$0] == nil } }
    }

    private let program: String
    private var worker: WorkerProcess?
    /// In the order of their next turns.
    private var waiting: [Entry] = []
    /// All shapes are prepared, and the turn that answers them is not committed yet.
    private var finished: [Entry] = []
    private var running: Running?

    private struct Running {
        var request: UInt64
        var job: GeometryJob
        /// Processor time that the worker had used before.
        var usedBefore: Int64
    }

    /// How a worker is started: `<program> geometry-worker`.
    static let argument = "geometry-worker"

    init(program: String = "/proc/self/exe") { self.program = program }

    /// Requests that wait here, or whose answer is not committed.
    var requests: Set<UInt64> { Set((waiting + finished).map(\.request.id)) }

    var count: Int { waiting.count }

    // MARK: Requests

    /// Takes a request whose shapes are to be prepared.
    ///
    /// - Throws: 429 when the requester has too many waiting, 503 when all have
    func append(_ entry: Entry) throws(Problem) {
        try checkRoom(for: entry.requester)
        guard waiting.count < Limits.geometryRequestsMax else {
            throw .unavailable("too many requests with shapes wait", retryAfterSeconds: 5)
        }
        waiting.append(entry)
    }

    /// Refuses a requester whose earlier requests wait.
    ///
    /// - Parameter requester: nil for the operator
    /// - Throws: 429
    func checkRoom(for requester: ID128?) throws(Problem) {
        guard let requester else { return }
        let own = waiting.count { $0.requester == requester }
        guard own < Limits.geometryRequestsPerRequesterMax else {
            throw .tooMany(
                "shapes of an earlier request of yours are still being checked",
                retryAfterSeconds: 2)
        }
    }

    /// Requests to answer in this turn: those whose shapes are prepared.
    ///
    /// They are answered again after a rollback, until ``committed()``.
    func takeFinished(at now: Timestamp) -> [Entry] {
        receive()
        let late = waiting.filter { now - $0.received > Limits.geometryWaitMax }
        waiting.removeAll { now - $0.received > Limits.geometryWaitMax }
        finished += late
        dispatch()
        return finished
    }

    /// What was answered is on its way.
    func committed() { finished = [] }

    /// The turn was rolled back: what it answered is answered again, but not for ever.
    func rolledBack() {
        for index in finished.indices { finished[index].failures += 1 }
        finished.removeAll { $0.failures >= Limits.geometryFailuresMax }
    }

    // MARK: The worker

    func appendPollItems(to items: inout [PollItem]) { worker?.appendPollItems(to: &items) }

    /// While a shape is prepared its processor time is looked at now and then.
    var waitMilliseconds: Int? {
        running != nil ? 50 : finished.isEmpty ? nil : 0
    }

    private func receive() {
        guard let running, let worker else { return }
        let used = max(0, (worker.processorMicroseconds ?? 0) - running.usedBefore)
        switch worker.receive() {
        case .message(let message):
            conclude(running, GeometryCodec.decodeOutcome(message) ?? .overBudget, used)
        case .ended:
            // Killed by the kernel, for its memory or from outside: the shape is to blame.
            self.worker = nil
            conclude(running, .overBudget, used)
        case .nothing:
            let before = waiting.first { $0.request.id == running.request }?.usedMicroseconds ?? 0
            guard before + used > Limits.geometryMicrosecondsPerRequest else { return }
            worker.kill()
            self.worker = nil
            conclude(running, .overBudget, used)
        }
    }

    private func conclude(_ running: Running, _ outcome: GeometryOutcome, _ used: Int64) {
        self.running = nil
        guard let index = waiting.firstIndex(where: { $0.request.id == running.request })
        else { return }
        var entry = waiting.remove(at: index)
        entry.outcomes[running.job] = outcome
        entry.usedMicroseconds += used
        if outcome == .overBudget
            || entry.usedMicroseconds > Limits.geometryMicrosecondsPerRequest
        {
            for job in entry.jobs where entry.outcomes[job] == nil {
                entry.outcomes[job] = .overBudget
            }
        }
        if entry.isFinished { finished.append(entry) } else { waiting.append(entry) }
    }

    /// Gives the worker the next shape of the request whose turn it is.
    private func dispatch() {
        guard running == nil, let entry = waiting.first, let job = entry.next else { return }
        if worker == nil {
            worker = try? WorkerProcess(path: program, arguments: [GeometryQueue.argument])
        }
        guard let worker else {
            // Nothing can be started now: all of them are told to come again.
            finished += waiting
            waiting = []
            return
        }
        running = Running(
            request: entry.request.id, job: job, usedBefore: worker.processorMicroseconds ?? 0)
        worker.send(GeometryCodec.encode(job))
    }
}
