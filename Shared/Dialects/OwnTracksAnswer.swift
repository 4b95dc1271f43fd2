import Hashing
import Model

extension OwnTracks {
    /// Somebody whom the phone shows on its map.
    public struct Friend: Hashable, Sendable {
        /// What the answer says of how somebody is to be shown.
        public enum ShownCard: Hashable, Sendable {
            /// Nothing: the phone has it.
            case none
            case name
            case face
        }

        public var person: PersonID?
        /// Two characters, unique in the answer: the apps key a friend by it.
        public var trackerID: String
        public var name: String
        /// Nil where the place is not to be seen: the card goes out alone.
        public var fix: Fix?
        public var battery: UInt8?
        /// Of the fix's altitude, metres; 0 = unknown.
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

    /// An alarm of a zone that rings on the phone: the apps raise a notification for it.
    public struct Ring: Hashable, Sendable {
        public var zoneName: String
        /// Where the phone was last.
        public var fix: Fix
        /// When the alarm began.
        public var started: Timestamp
        public var rang: Timestamp

        public init(zoneName: String, fix: Fix, started: Timestamp, rang: Timestamp) {
            self.zoneName = zoneName
            self.fix = fix
            self.started = started
            self.rang = rang
        }
    }

    /// The answer to anything without friends.
    public static let emptyAnswer: [UInt8] = [0x5B, 0x5D]

    /// What an answer tells a phone.
    public struct Telling: Sendable {
        /// Oneself first.
        public var friends: [Friend]
        /// Alarms of oneself.
        public var rings: [Ring]
        /// Pictures of those friends whose face is to be shown; one that is missing is left out.
        public var faces: [PersonID: [UInt8]]
        /// It is to say at once where it is.
        public var locates: Bool
        public var configuration: Configuration?

        public init(
            friends: [Friend] = [], rings: [Ring] = [], faces: [PersonID: [UInt8]] = [:],
            locates: Bool = false, configuration: Configuration? = nil
        ) {
            self.friends = friends
            self.rings = rings
            self.faces = faces
            self.locates = locates
            self.configuration = configuration
        }
    }

    /// Cards, positions and commands as the apps take them.
    ///
    /// Android drops the whole array for one element that it does not know, so an element is only
    /// ever a `card`, a complete `location` (`lat`, `lon`, `tst` above 0, `tid`, `topic`), a
    /// complete `transition`, or a `cmd` that both apps know.
    public static func answer(_ telling: Telling) -> [UInt8] {
        let faces = telling.faces.values.reduce(0) { $0 + $1.count * 4 / 3 + 64 }
        var text = JSONText(capacity: 320 + telling.friends.count * 192 + faces)
        text.raw("[")
        for friend in telling.friends {
            append(friend, face: friend.person.flatMap { telling.faces[$0] }, to: &text)
        }
        if let own = telling.friends.first {
            for ring in telling.rings { append(ring, of: own, to: &text) }
        }
        if telling.locates {
            separate(&text)
            text.raw(#"{"_type":"cmd","action":"reportLocation"}"#)
        }
        if let configuration = telling.configuration { append(configuration, to: &text) }
        text.raw("]")
        return text.bytes
    }

    /// A comma, unless nothing stands before.
    private static func separate(_ text: inout JSONText) {
        if text.bytes.count > 1 { text.raw(",") }
    }

    private static func append(_ friend: Friend, face: [UInt8]?, to text: inout JSONText) {
        if friend.card != .none {
            separate(&text)
            text.raw(#"{"_type":"card","tid":"#)
            text.string(friend.trackerID)
            text.raw(#","name":"#)
            text.string(friend.name)
            if friend.card == .face, let face {
                text.raw(#","face":"#)
                text.string(Base64.encode(face))
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
