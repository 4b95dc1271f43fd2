import Hashing
import Model
import Parsing
import Runtime
import Store
import Web

/// The answers given to POST requests with an `Idempotency-Key`: the same request with the same key
/// and the same credential gets the same answer and changes nothing again.
///
/// For how long depends on the request, see ``Repetition``.
///
/// Answers are kept sealed with a key made of the asking token, of which the store has but a
/// digest: nobody reads them there, and nobody else is given them. A service that uses them adds
/// ``migration`` to its own.
public struct KeptAnswers {
    /// The table.
    public static let migration = Migration(
        number: 1,
        sql: """
            CREATE TABLE kept_answer (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                fingerprint BLOB NOT NULL,
                sealed BLOB NOT NULL,
                created INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX kept_answer_created ON kept_answer (created);
            """,
        component: "answers")

    /// When a request counts as a repetition of an earlier one with the same key.
    public enum Repetition: Sendable {
        /// Configuration: within 24 hours. With another path or body the key is refused.
        case configuration
        /// Commands about somebody's safety: within 60 seconds, as long as one attempt is retried,
        /// and only with the same path and body. Callers exist that send one constant key for ever.
        /// Their second command must count.
        case command

        fileprivate var window: Duration {
            switch self {
            case .configuration: keptFor
            case .command: .seconds(60)
            }
        }
    }

    static let keptFor = Duration.seconds(24 * 3600)
    static let keyCharactersMax = 255

    private let database: Database

    public init(_ database: Database) { self.database = database }

    /// The `Idempotency-Key` of a request, if it has one.
    ///
    /// - Throws: a problem when it is no printable text of a sensible length
    public static func name(_ request: Request) throws(Problem) -> String? {
        guard let text = request.headers["Idempotency-Key"] else { return nil }
        guard (1...keyCharactersMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 })
        else {
            throw .invalid(
                "this is no usable key", field: "Idempotency-Key",
                hint: "use 1 to \(keyCharactersMax) printable characters")
        }
        return text
    }

    /// A request that may come again.
    public struct Key: Sendable {
        fileprivate let id: ID128
        fileprivate let fingerprint: ID128
        fileprivate let secret: [UInt8]
        fileprivate let window: Duration

        /// Nil when the request has no key, or is none that a key is for.
        ///
        /// - Throws: a problem when the key is no printable text of a sensible length
        public init?(
            _ request: Request, as repetition: Repetition = .configuration
        ) throws(Problem) {
            guard request.method == .post, let text = try KeptAnswers.name(request),
                let token = Credentials(request.headers)?.token
            else { return nil }
            // Hashed first, since a key of BLAKE2b has 16 to 64 bytes and a token any number.
            secret = Hash.blake2b256(
                Array("kept answer \(text)".utf8), key: Hash.blake2b256(Array(token.utf8)))
            let content = Hash.id(.text(request.path), .bytes(request.body))
            fingerprint = content
            window = repetition.window
            id =
                switch repetition {
                case .configuration: Hash.id("kept answer", .bytes(secret))
                case .command: Hash.id("kept answer", .bytes(secret), .id(content))
                }
        }
    }

    /// The first answer to this request; nil when it is new.
    ///
    /// - Throws: a conflict when the key came with another request
    public func answer(to key: Key, at now: Timestamp) throws -> Response? {
        let found = try database.first(
            "SELECT fingerprint, sealed FROM kept_answer WHERE id = ? AND created > ?",
            .id(key.id), .time(now - key.window)
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

    /// Keeps an answer that accepted something; a refusal may turn out otherwise next time.
    public func keep(_ response: Response, to key: Key, at now: Timestamp) throws {
        guard (200..<300).contains(response.status) else { return }
        let sealed = SecretBox.seal(
            response.kept.serialized(), key: key.secret,
            nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        try database.run(
            "INSERT OR REPLACE INTO kept_answer VALUES (?, ?, ?, ?)", .id(key.id),
            .id(key.fingerprint), .blob(sealed), .time(now))
    }

    /// Forgets what is old, at most `limit` answers.
    ///
    /// - Returns: how many.
    @discardableResult
    public func forget(at now: Timestamp, limit: Int = 500) throws -> Int {
        try database.run(
            """
            DELETE FROM kept_answer
            WHERE id IN (SELECT id FROM kept_answer WHERE created <= ? LIMIT ?)
            """, .time(now - KeptAnswers.keptFor), .integer(limit))
        return database.lastChanges
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
