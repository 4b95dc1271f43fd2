import Hashing
import Model

/// Ids derived from the meaning of a record, so the same decision always gets the same id.
enum DerivedID {
    /// One pass of an emergency's escalations.
    static func pass(_ emergency: EmergencyID, round: Int) -> EventID {
        EventID(Hash.id("pass", .id(emergency), .number(round)))
    }

    /// Another notification about an emergency, once per cause.
    static func update(_ emergency: EmergencyID, _ reason: NotifyReason, cause: ID128) -> EventID {
        EventID(Hash.id("news", .id(emergency), .text(reason.rawValue), .id(cause)))
    }

    /// The reminder before a deadline of a watch, the same for each repetition.
    static func reminder(_ watch: Watch) -> EventID {
        EventID(
            Hash.id("reminder", .id(watch.id), .number(watch.deadline.microseconds)))
    }

    static func notification(
        _ scope: EventID, recipient: PersonID?, address: String
    ) -> NotificationID {
        NotificationID(
            Hash.id(
                "notification", .id(scope), recipient.map { .id($0) } ?? .none, .text(address)))
    }

    /// The deadline of a kind for an emergency, a signal or a notification.
    static func deadline(_ rule: DeadlineKind, _ subject: ID128, _ cause: HashPart) -> DeadlineID {
        DeadlineID(Hash.id("clock", .text(rule.rawValue), .id(subject), cause))
    }

    /// The deadline of an escalation step.
    static func tier(of escalation: CircleEscalation, tier: Int) -> DeadlineID {
        deadline(
            .tier, escalation.emergency.raw,
            .parts(.id(escalation.circle), .number(escalation.round), .number(tier)))
    }

    /// The deadline of an acknowledgement or of the answer to its reminder.
    static func acknowledgementTimeout(
        _ emergency: EmergencyID, acknowledgementCount: Int, _ acknowledgement: Acknowledgement
    )
        -> DeadlineID
    {
        deadline(
            .acknowledgementHold, emergency.raw,
            .parts(
                .number(acknowledgement.number ?? acknowledgementCount),
                .number(acknowledgement.confirmations),
                .number(acknowledgement.asked == nil ? 0 : 1)))
    }

    static func event(_ kind: EventKind, _ person: PersonID?, _ cause: HashPart...) -> EventID {
        EventID(
            Hash.id(
                .text(kind.type), person.map { .id($0) } ?? .none,
                .id(Hash.id(of: cause))))
    }

    /// Callback token of a message: 16 keyed bytes as 22 characters of base64url.
    static func token(_ notification: NotificationID, secret: [UInt8]) -> String {
        let digest = Hash.blake2b256(
            Array("receipt".utf8) + notification.raw.bytes, key: secret)
        return Base64.encode(Array(digest.prefix(16)), alphabet: .url)
    }

    /// Callback token of a gateway for incoming SMS, with the same strength.
    static func token(ofRepliesOver gateway: String, secret: [UInt8]) -> String {
        let digest = Hash.blake2b256(Array("replies".utf8) + Array(gateway.utf8), key: secret)
        return Base64.encode(Array(digest.prefix(16)), alphabet: .url)
    }

    /// Token of a recipient's link to the page of an emergency.
    static func linkToken(
        of emergency: EmergencyID, for recipient: PersonID, secret: [UInt8]
    ) -> LinkToken {
        LinkToken(of: "emergency", .id(emergency), .id(recipient), key: secret)
    }

    /// Token of a person's link to the page of a question about their watch or check-in.
    static func questionToken(
        about subject: ID128, to person: PersonID, secret: [UInt8]
    ) -> LinkToken {
        LinkToken(of: "question", .id(subject), .id(person), key: secret)
    }

    /// Four digits that one recipient of an emergency can say and type to acknowledge it. Others
    /// cannot compute them.
    static func reference(
        of emergency: EmergencyID, for recipient: PersonID, secret: [UInt8]
    ) -> String {
        let subject = Hash.id("code", .id(emergency), .id(recipient)).bytes
        let digest = Hash.blake2b256(Array("reference".utf8) + subject, key: secret)
        let number = digest.prefix(8).reduce(UInt64.zero) { $0 << 8 | UInt64($1) }
        return String(1000 + number % 9000)
    }

    /// Token of a recipient's link to the page of a drill.
    static func linkToken(
        of drill: DrillID, for recipient: PersonID, secret: [UInt8]
    ) -> LinkToken {
        LinkToken(of: "drill", .id(drill), .id(recipient), key: secret)
    }

    /// Four digits with which one recipient answers a drill by SMS.
    static func reference(
        of drill: DrillID, for recipient: PersonID, secret: [UInt8]
    ) -> String {
        reference(of: EmergencyID(drill.raw), for: recipient, secret: secret)
    }

    /// Four digits that people can say and type; tells recent emergencies apart.
    static func reference(of emergency: EmergencyID) -> String {
        String(1000 + Hash.id("reference", .id(emergency)).low % 9000)
    }

    /// A number that differs per message and attempt, for back-off jitter.
    static func jitter(_ notification: NotificationID, _ attempt: Int) -> UInt64 {
        Hash.id("jitter", .id(notification), .number(attempt)).low
    }
}
