import Hashing
import Model

/// Ids of what the notifier makes, from what it means: deciding twice gives the same id.
enum Meaning {
    /// One pass of an emergency's ladders over its people.
    static func pass(_ emergency: EmergencyID, round: Int) -> EventID {
        EventID(Hash.id("pass", .id(emergency), .number(round)))
    }

    /// Something else that is told of an emergency, once for each cause.
    static func news(_ emergency: EmergencyID, _ reason: NotifyReason, cause: ID128) -> EventID {
        EventID(Hash.id("news", .id(emergency), .text(reason.rawValue), .id(cause)))
    }

    /// The reminder before one deadline of a watch, however often it is told.
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

    /// The clock of a rule for an emergency, a signal or a notification.
    static func clock(_ rule: ClockRule, _ subject: ID128, _ cause: HashPart) -> ClockID {
        ClockID(Hash.id("clock", .text(rule.rawValue), .id(subject), cause))
    }

    /// The clock of a ladder's step.
    static func tier(of ladder: Ladder, tier: Int) -> ClockID {
        clock(
            .tier, ladder.emergency.raw,
            .parts(.id(ladder.circle), .number(ladder.round), .number(tier)))
    }

    /// The clock of a hold, or of the answer of whoever has it.
    static func hold(_ emergency: EmergencyID, takings: Int, _ taken: Taking) -> ClockID {
        clock(
            .acknowledgementHold, emergency.raw,
            .parts(
                .number(taken.number ?? takings), .number(taken.confirmations),
                .number(taken.asked == nil ? 0 : 1)))
    }

    static func event(_ kind: EventKind, _ person: PersonID?, _ cause: HashPart...) -> EventID {
        EventID(
            Hash.id(
                .text(kind.type), person.map { .id($0) } ?? .none,
                .id(Hash.id(of: cause))))
    }

    /// Sixteen bytes as 22 characters of base64url that only this server can make.
    static func token(_ notification: NotificationID, secret: [UInt8]) -> String {
        let digest = Hash.blake2b256(
            Array("receipt".utf8) + notification.raw.bytes, key: secret)
        return Base64.encode(Array(digest.prefix(16)), alphabet: .url)
    }

    /// Names a gateway that tells of texts that came in; as hard to guess.
    static func token(ofRepliesOver gateway: String, secret: [UInt8]) -> String {
        let digest = Hash.blake2b256(Array("replies".utf8) + Array(gateway.utf8), key: secret)
        return Base64.encode(Array(digest.prefix(16)), alphabet: .url)
    }

    /// Four digits, easy to say and to type; tells emergencies of the same days apart.
    static func reference(of emergency: EmergencyID) -> String {
        String(1000 + Hash.id("reference", .id(emergency)).low % 9000)
    }

    /// A number that differs between messages and attempts, so that waits do.
    static func jitter(_ notification: NotificationID, _ attempt: Int) -> UInt64 {
        Hash.id("jitter", .id(notification), .number(attempt)).low
    }
}
