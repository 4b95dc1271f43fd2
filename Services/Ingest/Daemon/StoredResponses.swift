import Hashing
import Model
import Store
import Web

/// Stored responses to requests with an `Idempotency-Key`.
///
/// A request repeats an earlier one if caller, path, key and body are equal and it arrives within
/// the window of its operation. Some callers always send the same key. Their second emergency or
/// check-in must count, so the windows of safety operations are short.
struct StoredResponses {
    let database: Database

    static let keptHours: Int64 = 24

    /// How long an equal request counts as a repetition.
    enum Window {
        /// Reports and journeys: a day.
        static let standard = Duration.seconds(keptHours * 3600)
        /// Cancellations, check-ins and alarm answers: as long as one attempt is retried.
        static let answer = Duration.seconds(60)
        /// Emergencies, while the first request's emergency is active and nobody has acknowledged,
        /// cancelled or ended any part of it: an equal request could only join it.
        static let activeEmergency = Duration.seconds(600)
        /// Emergencies with a response: a retry that was already on its way. A later call must
        /// reopen it or open another.
        static let answeredEmergency = Duration.seconds(30)
    }

    /// The key under which a response is stored; nil without an `Idempotency-Key`. The body is part
    /// of it.
    static func key(of request: Request, by principal: Principal) -> ID128? {
        guard let key = request.headers["Idempotency-Key"] else { return nil }
        let who: HashPart =
            switch principal {
            case .operator: .none
            case .person(let person): .id(person)
            case .device(let device, _): .id(device)
            }
        return Hash.id(
            "answered", who, .text(request.path), .text(key), .bytes(request.body))
    }

    /// The stored response to a request, and the time of that request.
    ///
    /// - Parameter after: earlier requests do not count
    func first(
        with key: ID128, after: Timestamp
    ) throws -> (response: Response, time: Timestamp)? {
        try database.first(
            "SELECT status, body, time FROM answered WHERE key = ? AND time > ?", .id(key),
            .time(after)
        ) { row in (.json(row.blob(1), status: row.int(0)), row.time(2)) }
    }

    /// Stores a successful response; an error may not repeat.
    func keep(_ response: Response, to key: ID128, at time: Timestamp) throws {
        guard (200..<300).contains(response.status) else { return }
        try database.run(
            "INSERT OR REPLACE INTO answered (key, status, body, time) VALUES (?, ?, ?, ?)",
            .id(key), .integer(response.status), .blob(response.body), .time(time))
    }

    func forget(at now: Timestamp) throws {
        try database.run(
            "DELETE FROM answered WHERE time < ?",
            .time(now - .seconds(StoredResponses.keptHours * 3600)))
    }
}
