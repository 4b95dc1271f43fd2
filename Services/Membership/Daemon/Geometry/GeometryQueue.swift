import Hashing
import MembershipCore
import Model
import Runtime
import Web

/// Queue of requests whose shapes a worker process prepares, one shape at a time.
///
/// Requesters take turns shape by shape, so a large request does not delay others. CPU time per
/// request is limited: when it is used up, the worker is killed and the remaining shapes of the
/// request are over budget. The service's own thread only passes messages.
final class GeometryQueue: Pollable {
    /// A request and the results of its shapes.
    struct Entry {
        var request: Request
        /// Key of the limit; nil = not limited, as the operator is not.
        var requester: ID128?
        var jobs: [GeometryJob]
        var outcomes: [GeometryJob: GeometryOutcome] = [:]
        var usedMicroseconds: Int64 = 0
        var received: Timestamp
        /// Rolled-back turns that answered the request.
        var failures = 0

        var isFinished: Bool { outcomes.count == jobs.count }
        fileprivate var next: GeometryJob? { jobs.first { outcomes[$0] == nil } }
    }

    private let program: String
    private var worker: WorkerProcess?
    /// In round-robin order.
    private var waiting: [Entry] = []
    /// Finished requests whose turn is not committed.
    private var finished: [Entry] = []
    private var running: Running?

    private struct Running {
        var request: UInt64
        var job: GeometryJob
        /// CPU time of the worker before this job.
        var usedBefore: Int64
    }

    /// Argument that starts the program as a worker.
    static let argument = "geometry-worker"

    init(program: String = "/proc/self/exe") { self.program = program }

    /// Requests that are waiting, or whose answer is not committed.
    var requests: Set<UInt64> { Set((waiting + finished).map(\.request.id)) }

    var count: Int { waiting.count }

    // MARK: Requests

    /// Enqueues a request.
    ///
    /// - Throws: 429 if the requester has too many waiting requests, 503 if the queue is full
    func append(_ entry: Entry) throws(Problem) {
        try checkRoom(for: entry.requester)
        guard waiting.count < Limits.geometryRequestsMax else {
            throw .unavailable("too many requests with shapes are waiting", retryAfterSeconds: 5)
        }
        waiting.append(entry)
    }

    /// Rejects a requester whose earlier requests are waiting.
    ///
    /// - Parameter requester: key of the limit; nil = not limited
    /// - Throws: 429
    func checkRoom(for requester: ID128?) throws(Problem) {
        guard let requester else { return }
        let own = waiting.count { $0.requester == requester }
        guard own < Limits.geometryRequestsPerRequesterMax else {
            throw .tooMany(
                "shapes of your earlier request are still being checked",
                retryAfterSeconds: 2)
        }
    }

    /// Returns the requests to answer in this turn: finished ones and those that waited too long.
    ///
    /// After a rollback they are returned again, until ``committed()``.
    func collectFinished(at now: Timestamp) -> [Entry] {
        receive()
        let late = waiting.filter { now - $0.received > Limits.geometryWaitMax }
        waiting.removeAll { now - $0.received > Limits.geometryWaitMax }
        finished += late
        dispatch()
        return finished
    }

    /// Removes the requests that the committed turn answered.
    func committed() { finished = [] }

    /// Counts the failure. Requests with too many failures are dropped.
    func rolledBack() {
        for index in finished.indices { finished[index].failures += 1 }
        finished.removeAll { $0.failures >= Limits.geometryFailuresMax }
    }

    // MARK: The worker

    func appendPollItems(to items: inout [PollItem]) { worker?.appendPollItems(to: &items) }

    /// Polls the worker's CPU time while it runs.
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
            // The worker was killed, probably for its memory use: the shape is to blame.
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

    /// Sends the next shape to the worker.
    private func dispatch() {
        guard running == nil, let entry = waiting.first, let job = entry.next else { return }
        if worker == nil {
            worker = try? WorkerProcess(path: program, arguments: [GeometryQueue.argument])
        }
        guard let worker else {
            // No worker can be started: all waiting requests get 503.
            finished += waiting
            waiting = []
            return
        }
        running = Running(
            request: entry.request.id, job: job, usedBefore: worker.processorMicroseconds ?? 0)
        worker.send(GeometryCodec.encode(job))
    }
}
