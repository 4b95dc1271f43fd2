extension OwnTracks {
    /// MQTT topic of OwnTracks: `<prefix>/<user>/<device>`, with a suffix for all but positions.
    ///
    /// The broker allows a user to publish only below a level with that user's name. The user is
    /// therefore authenticated, the device is not.
    public struct Topic: Hashable, Sendable {
        /// The user exactly as published: answers go to the same topic.
        public var user: String
        public var device: String
        /// `event`, `info`, `cmd` …; empty for the device itself.
        public var part: String

        /// Maximum bytes of a level.
        private static let levelBytesMax = 128
        /// Prefix of the device names under which Jaga publishes for a phone.
        private static let ownPrefix = "jaga-"

        /// Parts that phones publish. They subscribe to `cmd`.
        private static let parts = [
            "event", "info", "waypoint", "waypoints", "status", "step", "beacon", "dump", "request",
        ]

        public init(user: String, device: String, part: String = "") {
            self.user = user
            self.device = device
            self.part = part
        }

        /// Returns nil if the text is not a phone's topic.
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

        /// Parses `user/device`; nil for any other form.
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

        /// Name of the device in lower case, `user/device`, as in OwnTracks' own recorder.
        public var name: String { "\(user)/\(device)".lowercased() }

        /// Whether Jaga publishes this topic for a phone of the user.
        public var isOwn: Bool { device.hasPrefix(Topic.ownPrefix) }

        /// Topic of commands to the phone.
        public var commands: Topic { Topic(user: user, device: device, part: "cmd") }

        /// Topic under which the phone receives a friend. The app identifies the friend by it.
        public func friend(_ trackerID: String, part: String = "") -> Topic {
            Topic(user: user, device: Topic.ownPrefix + trackerID, part: part)
        }

        /// Whether the text can be a topic prefix.
        public static func isPrefix(_ text: String) -> Bool {
            let levels = text.split(separator: "/", omittingEmptySubsequences: false)
            // A prefix may begin with a slash.
            return (levels.first == "" && levels.count > 1 ? levels.dropFirst() : levels[...])
                .allSatisfy(isLevel)
        }

        public func text(below prefix: String) -> String {
            "\(prefix)/\(user)/\(device)" + (part.isEmpty ? "" : "/" + part)
        }

        /// Filters for everything that phones publish, and nothing that is published for them.
        public static func subscriptions(below prefix: String) -> [String] {
            ["\(prefix)/+/+"] + parts.map { "\(prefix)/+/+/\($0)" }
        }
    }
}
