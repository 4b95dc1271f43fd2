import Hashing
import Model
import Parsing
import Runtime
import Store
import Web

/// The answers given to requests with an `Idempotency-Key`, for 24 hours: the same request with the
/// same key and the same credential gets the same answer and changes nothing again.
///
/// An answer may show a new credential. It is kept sealed with a key made of the asking token, of
/// which the store has but a digest: nobody reads it there, and nobody else is given it.
struct KeptAnswers {
    let database: Database

    static let keptFor: Duration = .seconds(24 * 3600)
    private static let keyCharactersMax = 255

    /// A request that may come again.
    struct Key {
        fileprivate let id: ID128
        fileprivate let fingerprint: ID128
        fileprivate let secret: [UInt8]

        /// Nil when the request has no key.
        ///
        /// - Throws: a problem when it is no printable text of a sensible length
        init?(_ request: Request, token: String) throws(Problem) {
            guard request.method == .post, let text = request.headers["Idempotency-Key"] else {
                return nil
            }
            guard (1...KeptAnswers.keyCharactersMax).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 })
            else {
                throw .invalid(
                    "this is no usable key", field: "Idempotency-Key",
                    hint: "use 1 to \(KeptAnswers.keyCharactersMax) printable characters")
            }
            secret = Hash.blake2b256(Array("kept answer \(text)".utf8), key: Array(token.utf8))
            id = Hash.id("kept answer", .bytes(secret))
            fingerprint = Hash.id(.text(request.path), .bytes(request.body))
        }
    }

    /// The first answer to this request; nil when it is new.
    ///
    /// - Throws: a conflict when the key came with another request
    func answer(to key: Key, at now: Timestamp) throws -> Response? {
        let found = try database.first(
            "SELECT fingerprint, sealed FROM kept_answer WHERE id = ? AND created > ?",
            .id(key.id), .time(now - KeptAnswers.keptFor)
        ) { ($0.id(0) as ID128, $0.blob(1)) }
        guard let (fingerprint, sealed) = found else { return nil }
        guard fingerprint == key.fingerprint else {
            throw Problem.conflict(
                "this key came with another request before", field: "Idempotency-Key",
                hint: "use a new key for each request")
        }
        guard let bytes = SecretBox.open(sealed, key: key.secret) else { return nil }
        return Response(kept: try JSON.parse(bytes))
    }

    /// Keeps an answer, instead of the one kept before.
    func keep(_ response: Response, to key: Key, at now: Timestamp) throws {
        let sealed = SecretBox.seal(
            response.kept.serialized(), key: key.secret,
            nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        try database.run(
            "INSERT OR REPLACE INTO kept_answer VALUES (?, ?, ?, ?)", .id(key.id),
            .id(key.fingerprint), .blob(sealed), .time(now))
    }

    /// Forgets what is old.
    func prune(at now: Timestamp) throws {
        try database.run(
            "DELETE FROM kept_answer WHERE created <= ?", .time(now - KeptAnswers.keptFor))
    }
}

extension Response {
    fileprivate var kept: JSON {
        [
            "status": .integer(Int64(status)),
            "headers": .array(headers.map { [.string($0.name), .string($0.value)] }),
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
    }

    fileprivate init(kept: JSON) {
        self.init(
            status: kept["status"]?.int ?? 200, body: Array((kept["body"]?.string ?? "").utf8))
        for field in kept["headers"]?.array ?? [] {
            if let name = field[0]?.string, let value = field[1]?.string {
                headers.append(name, value)
            }
        }
        headers["Idempotency-Replayed"] = "true"
    }
}
