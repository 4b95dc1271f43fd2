import Dialects
import Model

/// The impairments that a device last reported.
public struct ConditionRow: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    /// Ascending, never empty.
    public var impairments: [Impairment]
    /// When it first reported them.
    public var since: Timestamp

    public init(
        device: DeviceID, person: PersonID, impairments: [Impairment], since: Timestamp
    ) {
        self.device = device
        self.person = person
        self.impairments = impairments
        self.since = since
    }

    /// Whether the device may fail to report.
    public var isImpaired: Bool { impairments.contains(where: \.preventsReporting) }
}

/// The name and avatar of a person's card, without the image.
public struct CardHead: Hashable, Sendable {
    /// Nil if the card has none.
    public var name: String?
    /// Digest of the image; nil without one.
    public var avatar: ID128?

    public init(name: String?, avatar: ID128?) {
        self.name = name
        self.avatar = avatar
    }
}

public enum SuggestionTag: IdentifierKind { public static let prefix = "sug" }
/// BLAKE2b-128 of the device and every field of the zone: a changed zone is another suggestion.
public typealias SuggestionID = Identifier<SuggestionTag>

/// A zone drawn on a phone that waits for its person to accept it.
public struct SuggestionRow: Hashable, Sendable {
    public var id: SuggestionID
    public var person: PersonID
    public var device: DeviceID
    public var zone: SuggestedZone
    public var suggested: Timestamp

    public init(
        id: SuggestionID, person: PersonID, device: DeviceID, zone: SuggestedZone,
        suggested: Timestamp
    ) {
        self.id = id
        self.person = person
        self.device = device
        self.zone = zone
        self.suggested = suggested
    }
}

/// A pending request for a device's location, sent with the next response to it.
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

/// A change in the stored state of devices beside their reports.
public enum DeviceEffect: Hashable, Sendable {
    case saveCondition(ConditionRow)
    case removeCondition(DeviceID)
    /// Keeps the stored image if the card says so.
    case saveCard(PersonID, Card, avatar: ID128?)
    /// Replaces the phone's suggestion with the same key. A suggestion that was accepted or
    /// dismissed before is not stored again.
    case saveSuggestion(SuggestionRow)
    case saveLocate(LocateRow)
    case removeLocate(DeviceID)
    /// The device has a tag that calls for help.
    case saveTagged(DeviceID, PersonID)
    case removeTagged(DeviceID)
    /// The device was removed, with its key.
    case forgetDevice(DeviceID)
    /// The person was removed, with all their data.
    case forgetPerson(PersonID)
}
