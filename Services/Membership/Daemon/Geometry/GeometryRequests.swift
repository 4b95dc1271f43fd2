import Hosting
import MembershipCore
import Model
import Web

/// Requests that wait for their shapes.
final class GeometryRequests {
    let queue = GeometryQueue()
    private let runner: CoreRunner
    private let responses: Responses

    init(_ runner: CoreRunner, _ responses: Responses) {
        self.runner = runner
        self.responses = responses
    }

    private var host: Host { runner.host }

    /// Answers requests whose shapes are prepared, and starts the next job.
    ///
    /// - Parameter handle: handles a request with its shapes
    func answerPrepared(_ handle: (Request, PreparedShapes) throws -> Void) throws {
        for entry in queue.collectFinished(at: host.now) {
            guard entry.isFinished else {
                responses.answer(
                    entry.request.id,
                    .problem(
                        .unavailable(
                            "the shapes could not be checked in time", retryAfterSeconds: 5)))
                continue
            }
            try handle(entry.request, PreparedShapes(entry.outcomes))
        }
    }

    /// Rejects a large body before it is parsed: if its shapes could not be prepared anyway, or if
    /// parsing it would delay everybody. Parsing a file of zones takes as long as a hundred other
    /// requests.
    ///
    /// - Throws: 413, 429
    func checkRoom(for request: Request, _ shapes: PreparedShapes) throws(Problem) {
        guard shapes.isFirstReading, request.body.count > Limits.geometryParsedBytesFree
        else { return }
        let principal = host.principal(of: request)
        if request.body.count > Limits.geometryBodyBytesMax, let principal,
            !runner.core.directory.decide(principal, .administer, on: .suite, at: host.now)
                .isAllowed
        {
            throw .tooLarge(limitBytes: Limits.geometryBodyBytesMax)
        }
        try queue.checkRoom(for: principal?.person?.raw)
    }

    /// Enqueues a request until its shapes are prepared.
    func wait(_ request: Request, for shapes: PreparedShapes) throws(Problem) {
        try queue.append(
            GeometryQueue.Entry(
                request: request, requester: host.principal(of: request)?.person?.raw,
                jobs: shapes.missing, received: host.now))
    }
}
