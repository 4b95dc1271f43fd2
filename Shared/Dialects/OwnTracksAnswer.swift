import Hashing
import Model

extension OwnTracks {
    /// A person whom the phone shows on its map.
    public struct Friend: Hashable, Sendable {
        /// What the answer contains of the person's card.
        public enum ShownCard: Hashable, Sendable {
            /// Nothing, because the phone already has the card.
            case none
            case name
            case avatar
        }

        public var person: PersonID?
        /// Two characters, unique in the answer. The apps identify a friend by it.
        public var trackerID: String
        public var name: String
        /// Nil if the position must not be shown. Only the card is sent then.
        public var fix: Fix?
        public var battery: UInt8?
        /// Accuracy of the fix's altitude in metres; 0 = unknown.
        public var altitudeAccuracyMetres: UInt16
        public var card: ShownCard

        public init(
            person: PersonID? = nil, trackerID: String, name: String, fix: Fix?, battery: UInt8?,
            altitudeAccuracyMetres: UInt16 = 0, card: ShownCard = .name
        ) {
            self.altitudeAccuracyMetres = altitudeAccuracyMetres
            self.person = person
            self.card = card
            self.trackerID = trackerID
            self.name = name
            self.fix = fix
            self.battery = battery
        }
    }

    /// A sounding zone alarm, for which the apps raise a notification.
    public struct Ring: Hashable, Sendable {
        public var zoneName: String
        /// The phone's last fix.
        public var fix: Fix
        /// Start of the alarm.
        public var started: Timestamp
        public var rang: Timestamp

        public init(zoneName: String, fix: Fix, started: Timestamp, rang: Timestamp) {
            self.zoneName = zoneName
            self.fix = fix
            self.started = started
            self.rang = rang
        }
    }

    /// The answer to a message, if there are no friends.
    public static let emptyAnswer: [UInt8] = [0x5B, 0x5D]

    /// Content of an answer to a phone.
    public struct AnswerContent: Sendable {
        /// The phone's own user first, then others.
        public var friends: [Friend]
        /// Zone alarms of the phone's own user.
        public var rings: [Ring]
        /// Avatars of friends whose ``Friend/card`` is `avatar`. A missing one is omitted.
        public var avatars: [PersonID: [UInt8]]
        /// Whether the phone is asked to report its position immediately.
        public var requestsLocation: Bool
        public var configuration: Configuration?

        public init(
            friends: [Friend] = [], rings: [Ring] = [], avatars: [PersonID: [UInt8]] = [:],
            requestsLocation: Bool = false, configuration: Configuration? = nil
        ) {
            self.friends = friends
            self.rings = rings
            self.avatars = avatars
            self.requestsLocation = requestsLocation
            self.configuration = configuration
        }
    }

    /// Encodes cards, positions and commands for the apps.
    ///
    /// Android drops the whole array if it contains one unknown element. Elements are therefore
    /// always a `card`, a complete `location` (`lat`, `lon`, `tst` above 0, `tid`, `topic`), a
    /// complete `transition`, or a `cmd` that both apps know.
    public static func answer(_ content: AnswerContent) -> [UInt8] {
        let avatars = content.avatars.values.reduce(0) { $0 + $1.count * 4 / 3 + 64 }
        var text = JSONText(capacity: 320 + content.friends.count * 192 + avatars)
        text.raw("[")
        for friend in content.friends {
            append(friend, avatar: friend.person.flatMap { content.avatars[$0] }, to: &text)
        }
        if let own = content.friends.first {
            for ring in content.rings { append(ring, of: own, to: &text) }
        }
        if content.requestsLocation {
            separate(&text)
            text.raw(#"{"_type":"cmd","action":"reportLocation"}"#)
        }
        if let configuration = content.configuration { append(configuration, to: &text) }
        text.raw("]")
        return text.bytes
    }

    /// Appends a comma unless this is the first element.
    private static func separate(_ text: inout JSONText) {
        if text.bytes.count > 1 { text.raw(",") }
    }

    private static func append(_ friend: Friend, avatar: [UInt8]?, to text: inout JSONText) {
        if friend.card != .none {
            separate(&text)
            text.raw(#"{"_type":"card","tid":"#)
            text.string(friend.trackerID)
            text.raw(#","name":"#)
            text.string(friend.name)
            if friend.card == .avatar, let avatar {
                text.raw(#","face":"#)
                text.string(Base64.encode(avatar))
            }
            text.raw("}")
        }
        guard let fix = friend.fix, fix.time.seconds > 0 else { return }
        separate(&text)
        append(fix, of: friend, to: &text)
    }

    private static func append(_ configuration: Configuration, to text: inout JSONText) {
        separate(&text)
        text.raw(#"{"_type":"cmd","action":"setConfiguration","configuration":"#)
        text.raw(#"{"_type":"configuration","monitoring":"#)
        text.integer(Int64(configuration.monitoring))
        if let seconds = configuration.locatorInterval {
            text.raw(#","locatorInterval":"#)
            text.integer(Int64(seconds))
        }
        if let metres = configuration.locatorDisplacement {
            text.raw(#","locatorDisplacement":"#)
            text.integer(Int64(metres))
        }
        if let seconds = configuration.moveModeLocatorInterval {
            text.raw(#","moveModeLocatorInterval":"#)
            text.integer(Int64(seconds))
        }
        text.raw("}}")
    }

    private static func append(_ ring: Ring, of own: Friend, to text: inout JSONText) {
        separate(&text)
        text.raw(#"{"_type":"transition","tid":"#)
        text.string(own.trackerID)
        text.raw(#","event":"enter","desc":"#)
        text.string(ring.zoneName)
        text.raw(#","lat":"#)
        text.degrees(ring.fix.position.latitudeE7)
        text.raw(#","lon":"#)
        text.degrees(ring.fix.position.longitudeE7)
        text.raw(#","tst":"#)
        text.integer(max(1, ring.rang.seconds))
        text.raw(#","wtst":"#)
        text.integer(max(1, ring.started.seconds))
        text.raw(#","acc":"#)
        text.integer(max(1, Int64(ring.fix.accuracyCentimetres) / 100))
        text.raw(#","t":"c"}"#)
    }

    private static func append(_ fix: Fix, of friend: Friend, to text: inout JSONText) {
        text.raw(#"{"_type":"location","tid":"#)
        text.string(friend.trackerID)
        text.raw(#","topic":"#)
        text.string(friend.trackerID, after: "owntracks/http/")
        text.raw(#","lat":"#)
        text.degrees(fix.position.latitudeE7)
        text.raw(#","lon":"#)
        text.degrees(fix.position.longitudeE7)
        text.raw(#","tst":"#)
        text.integer(fix.time.seconds)
        if fix.accuracyCentimetres > 0 {
            text.raw(#","acc":"#)
            text.integer(Int64(fix.accuracyCentimetres) / 100)
        }
        if let altitude = fix.altitudeCentimetres {
            text.raw(#","alt":"#)
            text.integer(Int64(altitude) / 100)
            if friend.altitudeAccuracyMetres > 0 {
                text.raw(#","vac":"#)
                text.integer(Int64(friend.altitudeAccuracyMetres))
            }
        }
        if let speed = fix.speedCentimetresPerSecond {
            text.raw(#","vel":"#)
            text.integer((Int64(speed) * 36 + 500) / 1000)
        }
        if let course = fix.courseDegrees {
            text.raw(#","cog":"#)
            text.integer(Int64(course))
        }
        if let battery = friend.battery {
            text.raw(#","batt":"#)
            text.integer(Int64(battery))
        }
        text.raw("}")
    }
}
