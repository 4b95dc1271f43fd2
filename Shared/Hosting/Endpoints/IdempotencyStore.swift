import API
import Hashing
import Model
import Parsing
import Runtime
import Store
import Web

/// Stores responses to POST requests with an `Idempotency-Key`.
///
/// A repeated request with the same key and the same sender gets the stored response and changes
/// nothing. ``Key`` says which requests are equal and for how long. A service that uses this store
/// adds ``migration`` to its own.
public struct IdempotencyStore {
    /// The table.
    public static let migration = Migration(
        number: 1,
        sql: """
            CREATE TABLE idempotent_answer (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                fingerprint BLOB NOT NULL,
                sealed BLOB NOT NULL,
                created INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX idempotent_answer_created ON idempotent_answer (created);
            """,
        component: "answers")

    /// How long responses are stored.
    public static let keptFor = Duration.seconds(24 * 3600)
    /// How long an equal command about a person's safety is a repetition. Some clients send one
    /// constant key for ever; their second command must take effect.
    public static let commandWindow = Duration.seconds(60)
    static let keyCharactersMax = 255

    private let database: Database

    public init(_ database: Database) { self.database = database }

    /// The `Idempotency-Key` of a request, if it has one.
    ///
    /// - Throws: a 400 problem unless it has 1 to 255 printable characters
    public static func keyText(_ request: Request) throws(Problem) -> String? {
        guard let text = request.headers["Idempotency-Key"] else { return nil }
        guard (1...keyCharactersMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 })
        else {
            throw .invalid(
                "invalid idempotency key", field: "Idempotency-Key",
                hint: "use 1 to \(keyCharactersMax) printable characters")
        }
        return text
    }

    /// Identifies a request that may be repeated.
    public struct Key: Sendable {
        fileprivate let id: ID128
        fileprivate let fingerprint: ID128
        /// Encrypts the response; nil if it is stored as it is.
        fileprivate let secret: [UInt8]?
        /// How long an equal request counts as a repetition, at most 24 hours.
        public var window: Duration

        /// Identifies a request by its credential. The response is encrypted with a key derived
        /// from the sender's token, which the store does not contain: only the sender can get it.
        ///
        /// Nil if the request has no key, no credentials, or is not a POST, and for operations that
        /// are never repeated. After another path or body with the same key, a request that counts
        /// for a day is rejected.
        ///
        /// - Parameter secret: a secret in the body, in place of a token
        /// - Throws: a 400 problem unless the key has 1 to 255 printable characters
        public init?(
            _ request: Request, as repetition: Operation.Repetition = .day,
            sealedWith secret: String? = nil
        ) throws(Problem) {
            let isCommand: Bool
            switch repetition {
            case .never, .emergency: return nil
            case .day: isCommand = false
            case .minute: isCommand = true
            }
            guard request.method == .post, let text = try IdempotencyStore.keyText(request),
                let token = secret ?? request.token
            else { return nil }
            // Hashed first, since a BLAKE2b key has 16 to 64 bytes and a token has any length.
            let key = Hash.blake2b256(
                Array("kept answer \(text)".utf8), key: Hash.blake2b256(Array(token.utf8)))
            self.secret = key
            let content = Hash.id(.text(request.path), .bytes(request.body))
            fingerprint = content
            window = isCommand ? IdempotencyStore.commandWindow : IdempotencyStore.keptFor
            id =
                isCommand
                ? Hash.id("kept answer", .bytes(key), .id(content))
                : Hash.id("kept answer", .bytes(key))
        }

        /// Identifies a request by its principal, path and body, so that it may be repeated with
        /// another credential of the same person or device.
        ///
        /// Nil if the request has no key.
        ///
        /// - Parameter window: how long an equal request counts as a repetition, at most 24 hours
        public init?(
            _ request: Request, by principal: Principal,
            within window: Duration = IdempotencyStore.keptFor
        ) {
            guard let text = request.headers["Idempotency-Key"] else { return nil }
            let sender: HashPart =
                switch principal {
                case .operator: .none
                case .person(let person): .id(person)
                case .device(let device, _): .id(device)
                }
            id = Hash.id(
                "answered", sender, .text(request.path), .text(text), .bytes(request.body))
            fingerprint = id
            secret = nil
            self.window = window
        }
    }

    /// Returns the stored response to this request; nil if the request is new.
    ///
    /// - Throws: a 409 problem if the key was used for another request; `StoreError`
    public func response(to key: Key, at now: Timestamp) throws -> Response? {
        let found = try database.first(
            "SELECT fingerprint, sealed FROM idempotent_answer WHERE id = ? AND created > ?",
            .id(key.id), .time(now - key.window)
        ) { ($0.id(0) as ID128, $0.blob(1)) }
        guard let (fingerprint, sealed) = found else { return nil }
        guard fingerprint == key.fingerprint else {
            throw Problem.conflict(
                "this key was used for another request", field: "Idempotency-Key",
                hint: "use a new key for each request")
        }
        let opened = key.secret.map { SecretBox.open(sealed, key: $0) } ?? sealed
        guard let bytes = opened else { return nil }
        return Response(kept: try JSON.parse(bytes))
    }

    /// Stores a response with a 2xx status. Other responses are not stored, since a retry may
    /// succeed.
    ///
    /// - Throws: `StoreError`
    public func store(_ response: Response, to key: Key, at now: Timestamp) throws {
        guard (200..<300).contains(response.status) else { return }
        let bytes = response.kept.serialized()
        let sealed =
            key.secret.map {
                SecretBox.seal(
                    bytes, key: $0, nonce: SecureRandom.bytes(SecretBox.nonceBytes))
            } ?? bytes
        try database.run(
            "INSERT OR REPLACE INTO idempotent_answer VALUES (?, ?, ?, ?)", .id(key.id),
            .id(key.fingerprint), .blob(sealed), .time(now))
    }

    /// Deletes expired responses, at most `limit`.
    ///
    /// - Returns: the number of deleted responses
    /// - Throws: `StoreError`
    @discardableResult
    public func prune(at now: Timestamp, limit: Int = 500) throws -> Int {
        try database.run(
            """
            DELETE FROM idempotent_answer
            WHERE id IN (SELECT id FROM idempotent_answer WHERE created <= ? LIMIT ?)
            """, .time(now - IdempotencyStore.keptFor), .integer(limit))
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
