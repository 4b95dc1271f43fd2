import Hashing
import Model
import Store
import Web

/// Requests with an `Idempotency-Key`: sent again within a day, one gets the first answer again.
struct FirstAnswers {
    let database: Database

    static let keptHours: Int64 = 24

    /// What a request is known by; nil without a key.
    static func key(of request: Request, by principal: Principal) -> ID128? {
        guard let key = request.headers["Idempotency-Key"] else { return nil }
        let who: HashPart =
            switch principal {
            case .operator: .none
            case .person(let person): .id(person)
            case .device(let device, _): .id(device)
            }
        return Hash.id("answered", who, .text(request.path), .text(key))
    }

    func answer(to key: ID128) throws -> Response? {
        try database.first("SELECT status, body FROM answered WHERE key = ?", .id(key)) { row in
            .json(row.blob(1), status: row.int(0))
        }
    }

    /// Keeps an answer that accepted something; a refusal may turn out otherwise next time.
    func keep(_ response: Response, to key: ID128, at time: Timestamp) throws {
        guard (200..<300).contains(response.status) else { return }
        try database.run(
            "INSERT OR IGNORE INTO answered (key, status, body, time) VALUES (?, ?, ?, ?)",
            .id(key), .integer(response.status), .blob(response.body), .time(time))
    }

    func forget(at now: Timestamp) throws {
        try database.run(
            "DELETE FROM answered WHERE time < ?",
            .time(now - .seconds(FirstAnswers.keptHours * 3600)))
    }
}
