import Model
import Parsing

/// What an erasure deletes where, what remains, and why: the answer to it.
struct ErasureCertificate {
    let person: PersonID
    let at: Timestamp

    private static let erased: [(service: ServiceName, what: String, when: String)] = [
        (.membership, "account, phones, credentials, private zones, memberships, lists", "at once"),
        (
            .ingest,
            "reports, journeys, photos, decisions, access log, emergencies, unusable payloads",
            "within minutes"
        ),
        (.notifier, "messages to and about the person, timelines, texts", "within minutes"),
        (.timer, "watches and deadlines", "at once"),
        (.evaluator, "presence and alarms", "with the next two checkpoints"),
    ]

    private static let kept: [(what: String, why: String)] = [
        (
            "the bare id in emergencies and access logs of others",
            "these records belong to them; they end with their retention"
        ),
        (
            "records in streams, up to JAGA_RETENTION_HOURS",
            "services that are down must still learn of the erasure"
        ),
        ("the id in the list of erased people", "a restored backup is erased again by it"),
        ("backups made before", "they are deleted by the operator, and erased again if restored"),
        ("names and zones of circles", "they belong to the other members"),
        ("messages on phones and in logs of gateways", "they are outside of Jaga"),
    ]

    var json: JSON {
        [
            "person": .string(person.description), "at": .string(at.description),
            "erased": .array(
                ErasureCertificate.erased.map {
                    [
                        "service": .string($0.service.rawValue), "what": .string($0.what),
                        "when": .string($0.when),
                    ]
                }),
            "kept": .array(
                ErasureCertificate.kept.map {
                    ["what": .string($0.what), "why": .string($0.why)]
                }),
        ]
    }
}
