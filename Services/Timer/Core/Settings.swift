extension TimerCore {
    /// The operator's settings.
    public struct Settings: Hashable, Sendable {
        /// Time from a watch's deadline until it becomes an emergency.
        public var graceSeconds: Int
        /// The reminder comes this long before the deadline, or a tenth of the watch before it,
        /// whichever is shorter.
        public var reminderSeconds: Int
        /// Time after a countdown by which a message about the emergency must be accepted.
        public var undeliveredSeconds: Int
        /// Whether there is an alarm URL to call.
        public var callsAlarm: Bool

        public init(
            graceSeconds: Int = 120, reminderSeconds: Int = 300, undeliveredSeconds: Int = 15,
            callsAlarm: Bool = false
        ) {
            self.graceSeconds = graceSeconds
            self.reminderSeconds = reminderSeconds
            self.undeliveredSeconds = undeliveredSeconds
            self.callsAlarm = callsAlarm
        }
    }
}
