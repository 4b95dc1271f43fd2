import Model

extension OwnTracks {
    /// Somebody whom the phone shows on its map.
    public struct Friend: Hashable, Sendable {
        /// Two characters, unique in the answer: the apps key a friend by it.
        public var trackerID: String
        public var name: String
        /// Nil where the place is not to be seen: the card goes out alone.
        public var fix: Fix?
        public var battery: UInt8?

        public init(trackerID: String, name: String, fix: Fix?, battery: UInt8?) {
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

    /// Cards and positions as the apps take them.
    ///
    /// Android drops the whole array for one element that it does not know, so an element is only
    /// ever a `card`, a complete `location` (`lat`, `lon`, `tst` above 0, `tid`, `topic`) or a
    /// complete `transition`.
    ///
    /// - Parameters:
    ///   - friends: oneself first.
    ///   - rings: alarms of oneself.
    public static func answer(_ friends: [Friend], rings: [Ring] = []) -> [UInt8] {
        var text = JSONText(capacity: 2 + friends.count * 192)
        text.raw("[")
        for (index, friend) in friends.enumerated() {
            if index > 0 { text.raw(",") }
            text.raw(#"{"_type":"card","tid":"#)
            text.string(friend.trackerID)
            text.raw(#","name":"#)
            text.string(friend.name)
            text.raw("}")
            if let fix = friend.fix, fix.time.seconds > 0 {
                text.raw(",")
                append(fix, of: friend, to: &text)
            }
        }
        if let own = friends.first {
            for ring in rings { append(ring, of: own, to: &text) }
        }
        text.raw("]")
        return text.bytes
    }

    private static func append(_ ring: Ring, of own: Friend, to text: inout JSONText) {
        text.raw(#",{"_type":"transition","tid":"#)
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
        text.string("owntracks/http/" + friend.trackerID)
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
