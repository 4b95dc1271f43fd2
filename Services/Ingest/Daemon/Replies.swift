import Directory
import Hosting
import IngestCore
import Model
import Store
import Web

/// Answers requests in the form that each sender expects.
///
/// A repeated request gets the response to the first one.
final class Replies {
    /// How a request is answered.
    struct Form {
        /// The phone's protocol; nil = Jaga's own API.
        var phone: PhoneForm?
        /// Set if the response is published to a phone instead.
        var published: MQTTForm?
        /// HTTP status of success.
        var status = 200
        /// Key under which the response is stored for repeated requests.
        var key: IdempotencyStore.Key?
        /// Fields of the request that could not be used.
        var ignored: [String] = []
        /// When the response leaves after its turn; nil = at once.
        var delay: Duration?
    }

    let host: any IngestHost
    let stored: IdempotencyStore
    let counts = Counts()
    let phones: PhoneResponses
    private let mqtt: MQTTResponses?
    /// Requests whose response has a special form or is stored; removed when the core responds.
    var pending: [UInt64: Form] = [:]

    init(host: any IngestHost, database: Database, mqtt: MQTTResponses?) {
        self.host = host
        self.mqtt = mqtt
        stored = IdempotencyStore(database)
        phones = PhoneResponses(database: database)
    }

    /// Answers a repeated request with the stored response, otherwise records how to answer it.
    ///
    /// - Parameter window: how long an equal request counts as a repetition
    func isRepeated(
        _ request: Request, by principal: Principal, status: Int,
        within window: Duration = IdempotencyStore.keptFor
    ) throws -> Bool {
        let key = IdempotencyStore.Key(request, by: principal, within: window)
        if let key, let first = try stored.response(to: key, at: host.now) {
            host.answer(request.id, first)
            return true
        }
        pending[request.id] = Form(status: status, key: key)
        return false
    }

    /// Answers a repeated command about a person's safety with the stored response, otherwise
    /// records how to answer it.
    func isRepeatedCommand(_ request: Request, by principal: Principal) throws -> Bool {
        try isRepeated(
            request, by: principal, status: 202, within: IdempotencyStore.commandWindow)
    }

    /// Sends the core's response to a request.
    func reply(to request: UInt64, _ answer: Answer) throws {
        let form = pending.removeValue(forKey: request) ?? Form()
        counts.count(answer)
        if let published = form.published {
            try mqtt?.publish(answer, published)
            return
        }
        if case .located(let view) = answer, view.asksPhone {
            mqtt?.requestLocation(of: view.device)
        }
        if let phone = form.phone {
            return host.answer(request, try phones.response(to: answer, as: phone))
        }
        try reply(
            to: request, Responses.response(to: answer, status: form.status, ignored: form.ignored),
            key: form.key, after: form.delay)
    }

    /// Sends a response, and stores it for repetitions of the request.
    func reply(to request: UInt64, _ response: Response) throws {
        try reply(to: request, response, key: pending.removeValue(forKey: request)?.key)
    }

    private func reply(
        to request: UInt64, _ response: Response, key: IdempotencyStore.Key?,
        after delay: Duration? = nil
    ) throws {
        if let key { try stored.store(response, to: key, at: host.now) }
        if let delay {
            host.answer(request, response, after: delay)
        } else {
            host.answer(request, response)
        }
    }
}

/// How long an equal emergency request counts as a repetition. Some callers always send the same
/// key; their second emergency must count.
enum RepetitionWindow {
    /// While the first request's emergency is active and nobody has acknowledged, cancelled or
    /// ended any part of it: an equal request could only join it.
    static let activeEmergency = Duration.seconds(600)
    /// After a response: a retry that was already on its way. A later call must reopen it or open
    /// another.
    static let answeredEmergency = Duration.seconds(30)
}

extension Replies {
    /// 21: stored responses move to the table that all services have.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE answered (
                    key BLOB PRIMARY KEY,
                    status INTEGER NOT NULL,
                    body BLOB NOT NULL,
                    time INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 21,
            sql: """
                INSERT INTO idempotent_answer (id, fingerprint, sealed, created)
                    SELECT key, key, CAST(json_object(
                        'status', status,
                        'headers', json('[["Content-Type","application/json"]]'),
                        'body', CAST(body AS TEXT)) AS BLOB), time
                    FROM answered;
                DROP TABLE answered;
                """),
    ]
}
