extension OwnTracks {
    /// Where something is published over MQTT: `<prefix>/<user>/<device>`, with a part behind for
    /// all but positions.
    ///
    /// A broker lets a user publish below a level of that name alone: the user is vouched for, and
    /// the device is whatever that user says.
    public struct Topic: Hashable, Sendable {
        /// As published: answers go to the very same.
        public var user: String
        public var device: String
        /// `event`, `info`, `cmd` …; empty for the device itself.
        public var part: String

        /// Longest level, bytes.
        private static let levelBytesMax = 128
        /// What the suite itself publishes for a phone stands under devices of such names.
        private static let ownPrefix = "jaga-"

        /// The parts under which phones speak. `cmd` is what they listen to.
        private static let parts = [
            "event", "info", "waypoint", "waypoints", "status", "step", "beacon", "dump", "request",
        ]

        public init(user: String, device: String, part: String = "") {
            self.user = user
            self.device = device
            self.part = part
        }

        /// Nil for what is no topic of a phone.
        ///
        /// - Parameter prefix: one or more levels, such as `owntracks`
        public init?(_ text: String, below prefix: String) {
            guard text.hasPrefix(prefix + "/") else { return nil }
            let levels = text.dropFirst(prefix.count + 1)
                .split(separator: "/", omittingEmptySubsequences: false)
            guard (2...3).contains(levels.count), levels.allSatisfy(Topic.isLevel) else {
                return nil
            }
            self.init(
                user: String(levels[0]), device: String(levels[1]),
                part: levels.count == 3 ? String(levels[2]) : "")
        }

        /// `user/device` as somebody wrote it; nil where it is not that.
        public init?(name: String) {
            self.init("/" + name, below: "")
            guard part.isEmpty else { return nil }
        }

        private static func isLevel(_ level: Substring) -> Bool {
            (1...levelBytesMax).contains(level.utf8.count)
                && level.unicodeScalars.allSatisfy {
                    $0.value > 0x20 && $0.value != 0x7F && $0 != "+" && $0 != "#"
                }
        }

        /// By which a device is known: `user/device` in lower case, as OwnTracks' own recorder has
        /// it.
        public var name: String { "\(user)/\(device)".lowercased() }

        /// Published by the suite, for a phone of this user.
        public var isOwn: Bool { device.hasPrefix(Topic.ownPrefix) }

        /// Where the phone listens.
        public var commands: Topic { Topic(user: user, device: device, part: "cmd") }

        /// Where the phone finds a friend, whom it tells from others by this topic.
        public func friend(_ trackerID: String, part: String = "") -> Topic {
            Topic(user: user, device: Topic.ownPrefix + trackerID, part: part)
        }

        /// Whether topics can begin so.
        public static func isPrefix(_ text: String) -> Bool {
            let levels = text.split(separator: "/", omittingEmptySubsequences: false)
            // Some have all topics begin with a slash.
            return (levels.first == "" && levels.count > 1 ? levels.dropFirst() : levels[...])
                .allSatisfy(isLevel)
        }

        public func text(below prefix: String) -> String {
            "\(prefix)/\(user)/\(device)" + (part.isEmpty ? "" : "/" + part)
        }

        /// Everything that phones say, and nothing that is said to them.
        public static func subscriptions(below prefix: String) -> [String] {
            ["\(prefix)/+/+"] + parts.map { "\(prefix)/+/+/\($0)" }
        }
    }
}
