import Model

/// What a phone tells beside fixes: of itself, of its person, and of places marked on it.
public struct PhoneNews: Hashable, Sendable {
    /// Everything that keeps it from reporting, ascending; nil = it did not say, empty = nothing.
    public var hindrances: [Hindrance]?
    /// Places that the person marked on the phone.
    public var zones: [OfferedZone]
    public var card: Card?
    /// Somebody pressed "report" by hand, at this time of the phone.
    public var pressed: Timestamp?
    /// How the phone says that it reports just now.
    public var monitoring: Monitoring?
    /// It came encrypted, and so has the answer to leave.
    public var isSealed: Bool
    /// Written beforehand, for when the phone is away: no sign of it.
    public var isLastWill = false
    /// It says where it is because it was asked; its fix may be older than the question.
    public var isReply = false
    /// Whether it has a tag that calls for help; nil = this message would not say.
    public var isTagged: Bool?
    /// How full its battery is, told without a place: that of a report goes with the report.
    public var battery: PhoneBattery?

    public init(
        hindrances: [Hindrance]? = nil, zones: [OfferedZone] = [], card: Card? = nil,
        pressed: Timestamp? = nil, monitoring: Monitoring? = nil, isSealed: Bool = false
    ) {
        self.hindrances = hindrances
        self.zones = zones
        self.card = card
        self.pressed = pressed
        self.monitoring = monitoring
        self.isSealed = isSealed
    }
}

/// What a phone says of its battery, beside any fix.
public struct PhoneBattery: Hashable, Sendable {
    /// 0 to 100; nil = it did not say.
    public var percent: UInt8?
    public var charging: Bool?
    /// When that was so, as the phone says.
    public var time: Timestamp

    /// Nil where neither is said.
    public init?(percent: UInt8?, charging: Bool?, time: Timestamp) {
        guard percent != nil || charging != nil else { return nil }
        self.percent = percent
        self.charging = charging
        self.time = time
    }
}

/// A circle that a person drew on the phone: a zone, as soon as they accept it.
public struct OfferedZone: Hashable, Sendable {
    /// What the phone knows it by; the same when it has changed.
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

/// How a person wants to be shown on the maps of others.
public struct Card: Hashable, Sendable {
    /// Nil where the card says none.
    public var name: String?
    /// A picture in PNG or JPEG; nil where the card has none.
    public var face: [UInt8]?
    /// It has a face of no use: the one that was there stays.
    public var keepsFace: Bool

    public init(name: String? = nil, face: [UInt8]? = nil, keepsFace: Bool = false) {
        self.name = name
        self.face = face
        self.keepsFace = keepsFace
    }

    /// Bytes of a face; a larger one is not kept.
    public static let faceBytesMax = 65_536
    static let nameCharactersMax = 64

    /// Whether the bytes begin as a PNG or a JPEG does, and are not too many.
    public static func isFace(_ bytes: [UInt8]) -> Bool {
        let isPicture =
            bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            || bytes.starts(with: [0xFF, 0xD8, 0xFF])
        return isPicture && bytes.count <= faceBytesMax
    }
}

/// How a phone of OwnTracks reports, in its own numbers.
public struct Monitoring: Hashable, Sendable {
    /// −1 quiet, 0 by hand, 1 significant changes, 2 moving.
    public var mode: Int
    /// When the phone said so, by its own clock.
    public var said: Timestamp

    public init(mode: Int, said: Timestamp) {
        self.mode = mode
        self.said = said
    }
}
