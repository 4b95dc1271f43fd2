import Model

/// What a phone reports besides fixes: its own state, its user's card, and waypoints.
public struct DeviceStatus: Hashable, Sendable {
    /// Everything that keeps the phone from reporting, sorted. Nil = not reported, empty = nothing
    /// does.
    public var impairments: [Impairment]?
    /// Zones that the user drew on the phone.
    public var zones: [SuggestedZone]
    public var card: Card?
    /// The phone's time at which the user pressed "report".
    public var pressed: Timestamp?
    /// The reporting mode that the phone says it uses.
    public var monitoring: Monitoring?
    /// Whether the message was encrypted. The answer must then be encrypted, too.
    public var isEncrypted: Bool
    /// Whether this is an MQTT last will, which proves no contact: the phone wrote it in advance.
    public var isLastWill = false
    /// Whether the phone answers a location request. Its fix may be older than the request.
    public var isReply = false
    /// Whether a tag with the SOS word is set; nil if this kind of message would not show it.
    public var isTagged: Bool?
    /// Battery state from a message without a fix. The battery state of a fix is part of its
    /// observation.
    public var battery: PhoneBattery?

    public init(
        impairments: [Impairment]? = nil, zones: [SuggestedZone] = [], card: Card? = nil,
        pressed: Timestamp? = nil, monitoring: Monitoring? = nil, isEncrypted: Bool = false
    ) {
        self.impairments = impairments
        self.zones = zones
        self.card = card
        self.pressed = pressed
        self.monitoring = monitoring
        self.isEncrypted = isEncrypted
    }
}

/// A phone's battery state, reported without a fix.
public struct PhoneBattery: Hashable, Sendable {
    /// 0 to 100; nil = not reported.
    public var percent: UInt8?
    public var charging: Bool?
    /// Time of the measurement by the phone's clock.
    public var time: Timestamp

    /// Returns nil if neither value is reported.
    public init?(percent: UInt8?, charging: Bool?, time: Timestamp) {
        guard percent != nil || charging != nil else { return nil }
        self.percent = percent
        self.charging = charging
        self.time = time
    }
}

/// A circle that a person drew on the phone. It becomes a zone when the person accepts it.
public struct SuggestedZone: Hashable, Sendable {
    /// The phone's identifier of the waypoint; stable when the waypoint changes.
    public var key: String
    public var name: String
    public var center: Coordinate
    public var radiusMetres: Int32

    public init(key: String, name: String, center: Coordinate, radiusMetres: Int32) {
        self.key = key
        self.name = name
        self.center = center
        self.radiusMetres = radiusMetres
    }
}

/// How a person wants to appear on the maps of others.
public struct Card: Hashable, Sendable {
    /// Nil if the card has no name.
    public var name: String?
    /// Picture in PNG or JPEG; nil if the card has none.
    public var avatar: [UInt8]?
    /// Whether the current avatar stays, because the card's picture is unusable.
    public var keepsAvatar: Bool

    public init(name: String? = nil, avatar: [UInt8]? = nil, keepsAvatar: Bool = false) {
        self.name = name
        self.avatar = avatar
        self.keepsAvatar = keepsAvatar
    }

    /// Maximum size of an avatar in bytes. Larger ones are discarded.
    public static let avatarBytesMax = 65_536
    static let nameCharactersMax = 64

    /// Whether the bytes have the signature of PNG or JPEG and an accepted size.
    public static func isAvatar(_ bytes: [UInt8]) -> Bool {
        let isPicture =
            bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            || bytes.starts(with: [0xFF, 0xD8, 0xFF])
        return isPicture && bytes.count <= avatarBytesMax
    }
}

/// Reporting mode of OwnTracks, in the app's numbers.
public struct Monitoring: Hashable, Sendable {
    /// −1 quiet, 0 manual, 1 significant changes, 2 move.
    public var mode: Int
    /// Time of the message by the phone's clock.
    public var time: Timestamp

    public init(mode: Int, time: Timestamp) {
        self.mode = mode
        self.time = time
    }
}
