import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Store
import Web

/// A notification of the app store, whose signature is right.
struct BillingEvent {
    /// Unique; an event with a known id changes nothing.
    var id: String
    /// When the plan changed; a notification that is older than another one of its person changes
    /// nothing.
    var at: Timestamp
    var notice: BillingNotice
}

/// Checks the app store's notifications of `POST /v1/billing/events`, and remembers them.
///
/// They are signed as Standard Webhooks: `webhook-signature` has `v1,` and the base64 of an
/// HMAC-SHA256 over `webhook-id`, `webhook-timestamp` and the body, with dots between them.
struct BillingEvents {
    static let settings = [
        Setting(
            "JAGA_BILLING_SECRET_FILE", .secretFile,
            help: "File with the secret that signs POST /v1/billing/events; default: none accepted."
        )
    ]

    /// How far the time of a notification may differ from ours.
    static let window = Duration.seconds(300)
    /// How long ids are remembered, longer than any notification is valid.
    private static let idsKept = Duration.seconds(24 * 3600)
    private static let idBytesMax = 128
    private static let secretBytesMin = 16

    private let database: Database
    /// Nil = no store is configured.
    private let secret: [UInt8]?

    /// - Throws: `ConfigurationError` if the secret cannot be used
    init(_ database: Database, _ configuration: Configuration) throws(ConfigurationError) {
        self.database = database
        secret = try BillingEvents.secret(configuration)
    }

    static func secret(_ configuration: Configuration) throws(ConfigurationError) -> [UInt8]? {
        guard let text = try configuration.secret("JAGA_BILLING_SECRET_FILE") else { return nil }
        guard text.utf8.count >= secretBytesMin else {
            throw ConfigurationError(
                "secret-short", "JAGA_BILLING_SECRET_FILE: the secret is too short",
                hint: "Use at least \(secretBytesMin) random characters, such as from "
                    + "'openssl rand -hex 32'.")
        }
        return Array(text.utf8)
    }

    /// The notification in a request.
    ///
    /// - Throws: 401 if the signature is wrong; 400 for what is missing, too old or malformed
    func read(_ request: Request, at now: Timestamp) throws(Problem) -> BillingEvent {
        guard let secret else {
            throw .notFound(
                "no app store is configured", hint: "the operator sets JAGA_BILLING_SECRET_FILE")
        }
        let id = try header("webhook-id", of: request)
        guard id.utf8.count <= BillingEvents.idBytesMax else {
            throw .invalid(
                "the id is too long", field: "webhook-id",
                hint: "at most \(BillingEvents.idBytesMax) bytes")
        }
        let stamp = try header("webhook-timestamp", of: request)
        let signatures = try header("webhook-signature", of: request)
        let signed = Array("\(id).\(stamp).".utf8) + request.body
        let expected = "v1," + Base64.encode(Hash.hmacSHA256(signed, key: secret))
        let isSigned = signatures.split(separator: " ").reduce(false) { isSigned, signature in
            Hash.isEqual(Array(signature.utf8), Array(expected.utf8)) || isSigned
        }
        guard isSigned else {
            throw .unauthorized(
                "the signature is wrong", hint: "sign webhook-id.webhook-timestamp.body")
        }
        guard let seconds = UntrustedNumber.integer(stamp[...], in: 0...4_102_444_800) else {
            throw .invalid(
                "the time is not a number of seconds", field: "webhook-timestamp",
                hint: "seconds since 1970, UTC")
        }
        let distance = now - Timestamp(seconds: Int64(seconds))
        guard distance >= .zero - BillingEvents.window, distance <= BillingEvents.window else {
            throw .invalid(
                "the notification is too old, or a clock is wrong", field: "webhook-timestamp",
                hint: "send it again with a new time and signature")
        }
        return try event(id, request, at: now)
    }

    private func header(_ name: String, of request: Request) throws(Problem) -> String {
        guard let value = request.headers[name], !value.isEmpty else {
            throw .invalid("the header is missing", field: name, hint: "send it and sign it")
        }
        return value
    }

    private func event(
        _ id: String, _ request: Request, at now: Timestamp
    ) throws(Problem) -> BillingEvent {
        let body = try request.json()
        do throws(FieldError) {
            let fields = try Fields(body, known: ["person", "plan", "at"])
            guard let person = try fields.id("person", PersonID.self) else {
                throw .missing("person", hint: "the id of the account")
            }
            guard let plan = try fields.choice("plan", Plan.self) else {
                throw .missing("plan", hint: "trial, paid or lapsed")
            }
            let at = try fields.text("at").map { text throws(FieldError) in
                guard let time = Timestamp(text) else {
                    throw .must(
                        "be a time", at: "at", not: .string(text),
                        hint: "such as 2026-11-20T18:00:00Z")
                }
                return time
            }
            return BillingEvent(
                id: id, at: min(at ?? now, now), notice: BillingNotice(person: person, plan: plan))
        } catch {
            throw Problem(error)
        }
    }

    /// Whether a notification was received before, or is older than another one of its person.
    func isKnown(_ event: BillingEvent) throws -> Bool {
        try database.first(
            "SELECT 1 FROM billing_event WHERE id = ?1 OR (person = ?2 AND at > ?3)",
            .text(event.id), .id(event.notice.person), .time(event.at)
        ) { _ in true } ?? false
    }

    /// Remembers a notification that was applied. The last one of each person is kept.
    func save(_ event: BillingEvent, at now: Timestamp) throws {
        try database.run(
            "INSERT INTO billing_event VALUES (?1, ?2, ?3, ?4)", .text(event.id),
            .id(event.notice.person), .time(event.at), .time(now))
    }

    /// Deletes old ids, except the last of each person, and what was kept about removed people.
    func prune(at now: Timestamp) throws {
        try database.run(
            """
            DELETE FROM billing_event WHERE received < ?1 AND (
                at < (SELECT max(at) FROM billing_event AS other
                      WHERE other.person = billing_event.person)
                OR person NOT IN (SELECT id FROM person))
            """, .time(now - BillingEvents.idsKept))
    }

    static let migrationSQL = """
        CREATE TABLE billing_event (
            id TEXT PRIMARY KEY, person BLOB NOT NULL, at INTEGER NOT NULL,
            received INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX billing_event_person ON billing_event (person, at);
        """
}

extension AnswerView {
    /// What the store learns: the plan, nothing else of the person.
    static func billing(_ person: Person) -> Response {
        .json([
            "person": .string(person.id.description), "plan": .string(person.plan.rawValue),
            "trialEnds": person.trialEnds.map { .string($0.description) } ?? .null,
        ])
    }
}
