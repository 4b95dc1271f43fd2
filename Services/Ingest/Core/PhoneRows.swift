import Dialects
import Model

/// What keeps a phone from reporting, as it said last.
public struct ConditionRow: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    /// Ascending, never empty.
    public var hindrances: [Hindrance]
    /// When it first said so.
    public var since: Timestamp

    public init(
        device: DeviceID, person: PersonID, hindrances: [Hindrance], since: Timestamp
    ) {
        self.device = device
        self.person = person
        self.hindrances = hindrances
        self.since = since
    }

    /// Whether it may fall silent.
    public var isBlind: Bool { hindrances.contains(where: \.makesBlind) }
}

/// How a person wants to be shown, without the face itself.
public struct CardHead: Hashable, Sendable {
    /// Nil where the card says none.
    public var name: String?
    /// Digest of the face; nil without one.
    public var face: ID128?

    public init(name: String?, face: ID128?) {
        self.name = name
        self.face = face
    }
}

public enum OfferTag: IdentifierKind { public static let prefix = "off" }
/// BLAKE2b-128 of (device, everything of the circle): drawn otherwise it is another offer.
public typealias OfferID = Identifier<OfferTag>

/// A circle drawn on a phone that waits for its person to make a zone of it.
public struct OfferRow: Hashable, Sendable {
    public var id: OfferID
    public var person: PersonID
    public var device: DeviceID
    public var zone: OfferedZone
    public var offered: Timestamp

    public init(
        id: OfferID, person: PersonID, device: DeviceID, zone: OfferedZone, offered: Timestamp
    ) {
        self.id = id
        self.person = person
        self.device = device
        self.zone = zone
        self.offered = offered
    }
}

/// Somebody wants to know where a phone is now; it is asked in the next answer to it.
public struct LocateRow: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    public var asked: Timestamp

    public init(device: DeviceID, person: PersonID, asked: Timestamp) {
        self.device = device
        self.person = person
        self.asked = asked
    }
}

/// What is stored of phones beside their reports.
public enum PhoneEffect: Hashable, Sendable {
    case saveCondition(ConditionRow)
    case removeCondition(DeviceID)
    /// The picture stays where the card says so.
    case saveCard(PersonID, Card, face: ID128?)
    /// Takes the place of what its phone offered by the same key; one that was there before, and
    /// taken or dropped, is not offered again.
    case saveOffer(OfferRow)
    case saveLocate(LocateRow)
    case removeLocate(DeviceID)
    /// The phone has a tag that calls for help.
    case saveTagged(DeviceID, PersonID)
    case removeTagged(DeviceID)
    /// The device is gone, with its key.
    case forgetDevice(DeviceID)
    /// The person is gone, with everything of them.
    case forgetPerson(PersonID)
}
