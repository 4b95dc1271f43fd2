import Directory
import JourneysCore
import Model

extension Core {
    /// Everything that survives the process.
    public struct Stored: Sendable {
        public var devices: [DeviceRow] = []
        public var firstDevices = Table<PersonID, DeviceID>()
        /// Ordered by number.
        public var waiting: [WaitingRow] = []
        public var emergencies: [EmergencyRow] = []
        public var followed: [FollowedRow] = []
        public var liveViews: [LiveViewRow] = []
        public var configuredCircles: [ConfiguredCircleRow] = []
        public var configuredPeople: [ConfiguredPersonRow] = []
        public var configuredSets: [ConfiguredSetRow] = []
        public var configuredPages: [ConfiguredPageRow] = []
        public var disarmed: [PersonID] = []
        public var alarms: [AlarmRow] = []
        public var policies: [PolicyRow] = []
        public var watches: [WatchRow] = []
        public var conditions: [ConditionRow] = []
        public var cards: [PersonID: CardHead] = [:]
        public var locates: [LocateRow] = []
        /// Devices whose last message had a tag that calls for help, and their people.
        public var tagged: [DeviceID: PersonID] = [:]
        public var journeys = Journeys.Stored()
        public var contactStates: [ContactRow] = []
        public var expectations: [ExpectationRow] = []
        /// Start of the contact-loss hold; nil = none.
        public var contactLossHeldSince: Timestamp?
        public var partitions: [Partition] = []
        public var time = Timestamp.zero
        public var logic = Limits.logicVersion

        public init() {}
    }
}
