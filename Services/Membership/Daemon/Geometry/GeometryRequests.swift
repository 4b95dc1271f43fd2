import MembershipCore
import Model
import Web

// Requests that wait for their shapes.
extension MembershipService {
    /// Answers requests whose shapes are prepared, and starts the next job.
    func answerPrepared() throws {
        for entry in geometry.collectFinished(at: host.now) {
            guard entry.isFinished else {
                answer(
                    entry.request.id,
                    .problem(
                        .unavailable(
                            "the shapes could not be checked in time", retryAfterSeconds: 5)))
                continue
            }
            try handle(entry.request, PreparedShapes(entry.outcomes))
        }
    }

    /// Rejects a large body before it is parsed, if its shapes could not be prepared anyway.
    /// Parsing a file of zones takes as long as a hundred other requests.
    ///
    /// - Throws: 429
    func checkRoom(for request: Request, _ shapes: PreparedShapes) throws(Problem) {
        guard shapes.isFirstReading, request.body.count > Limits.geometryParsedBytesFree
        else { return }
        try geometry.checkRoom(for: host.principal(of: request)?.person?.raw)
    }

    /// Enqueues a request until its shapes are prepared.
    func wait(_ request: Request, for shapes: PreparedShapes) throws(Problem) {
        try geometry.append(
            GeometryQueue.Entry(
                request: request, requester: host.principal(of: request)?.person?.raw,
                jobs: shapes.missing, received: host.now))
    }
}
