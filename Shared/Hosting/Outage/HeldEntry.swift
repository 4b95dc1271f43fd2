import Model
import Parsing
import Web

/// An item that became due in an outage and waits for the operator, as the API shows it.
public struct HeldEntry: Hashable, Sendable {
    /// Id for sending or dropping it.
    public var id: String
    /// `watch`, `deadline`, `emergency`, `message`.
    public var kind: String
    /// What became due, such as `watch-expiry` or an emergency's trigger.
    public var what: String
    /// The person it is about.
    public var person: PersonID?
    public var emergency: EmergencyID?
    /// Recipient and channel of a message.
    public var recipient: PersonID?
    public var channel: Channel?
    public var due: Timestamp
    /// Whether it is listed. False if another service lists its emergency, with which it is sent or
    /// dropped.
    public var isShown: Bool

    public init(
        id: String, kind: String, what: String, person: PersonID?, emergency: EmergencyID? = nil,
        recipient: PersonID? = nil, channel: Channel? = nil, due: Timestamp,
        isShown: Bool = true
    ) {
        self.id = id
        self.kind = kind
        self.what = what
        self.person = person
        self.emergency = emergency
        self.recipient = recipient
        self.channel = channel
        self.due = due
        self.isShown = isShown
    }

    /// Whether a name is its id, or the id of its emergency or person.
    func isNamed(_ name: String) -> Bool {
        name == id || name == emergency?.description || name == person?.description
    }

    var json: JSON {
        [
            "id": .string(id), "kind": .string(kind), "what": .string(what),
            "person": person.map { .string($0.description) } ?? .null,
            "emergency": emergency.map { .string($0.description) } ?? .null,
            "recipient": recipient.map { .string($0.description) } ?? .null,
            "channel": channel.map { .string($0.rawValue) } ?? .null,
            "due": .string(due.description),
        ]
    }
}
