import Model

/// How much of everything membership keeps.
///
/// A circle goes through the suite as one record with all its zones, so their number and their
/// points have a bound that keeps such a record below 1 MiB.
public enum Limits {
    public static let nameCharactersMax = 100
    /// Days for which a circle's members see each other's past; 0: as each one's plan keeps.
    public static let historyDays = 0...3650
    public static let categoryCharactersMax = 50
    public static let clientCharactersMax = 50
    public static let contactsPerPersonMax = 10
    public static let contactRankMax = 1000
    public static let devicesPerPersonMax = 10
    /// Credentials that speak for a person themselves; those of devices are apart.
    public static let credentialsPerPersonMax = 20
    /// Points of all zones of one circle, or of one person.
    public static let verticesPerOwnerMax = 20_000
    /// What those zones take in a record for evaluators, of 1 MiB at most.
    public static let zoneBytesPerOwnerMax = 1_000_000
    public static let zonesPerSetMax = 10_000
    /// Body of a request about a set: a file with all of its zones.
    public static let setBodyBytes = 8 << 20
    public static let verticesPerZoneOfSetMax = 500
    /// Some 50 of its zones share a record.
    public static let bytesPerZoneOfSetMax = 20_000
    public static let setsMax = 100
    public static let setsPerCircleMax = 20
    public static let messagesPerOwnerMax = 50
    public static let messagesPerZoneMax = 10
    /// How long a code may be entered, and how often a wrong one.
    public static let codeAgeMax = Duration.seconds(30 * 60)
    public static let codeTriesMax = 5
    /// Codes to one number within ``codeWindow``, whoever asks, and for one person, whatever the
    /// number: nobody's phone is to be filled with them.
    public static let codesPerNumberMax = 3
    public static let codesPerPersonMax = 10
    public static let codeWindow = Duration.seconds(24 * 3600)
    /// Zones mailed to one address within ``codeWindow``, whoever sends them, and by one person.
    public static let mailsPerAddressMax = 5
    public static let mailsPerPersonMax = 20
    /// A larger file is not mailed: with its base64 it has to fit a record of 1 MiB.
    public static let mailedFileBytesMax = 512 << 10
    /// Zones that could not be mailed by then are not.
    public static let mailAgeMax = Duration.seconds(3600)
    public static let monikerCharactersMax = 50
    public static let messageLineCharactersMax = 160
    public static let refusedZonesMax = 500
    public static let alertDistanceMetresMax = 100_000
    public static let insetMetresMax = 100_000.0
    public static let dwellSecondsMax = 7 * 86_400
    public static let scheduleWindowsMax = 50
    public static let scheduleExceptionsMax = 100
    public static let soundCharactersMax = 50
    public static let alarmCycleSeconds = 10...3600
    public static let alarmSleepSeconds = 0...86_400
    public static let audiencePeopleMax = 50
    public static let extraRowsMax = 50
    public static let extraCharactersMax = 200
    public static let zonePriorityMax = 1000
    public static let hysteresisMetresMax = 1000
    /// Processor time that the shapes of one request may take to check and prepare: some 400 times
    /// what a hand-drawn zone takes.
    public static let geometryMicrosecondsPerRequest: Int64 = 4_000_000
    /// Requests whose shapes wait, of one person and of all: more are told to come again.
    public static let geometryRequestsPerRequesterMax = 1
    public static let geometryRequestsMax = 32
    /// A body up to here is parsed even if an earlier request of the same person waits.
    public static let geometryParsedBytesFree = 16 << 10
    /// A request waits for its shapes no longer than that: shortly before its server gives it up.
    public static let geometryWaitMax = Duration.seconds(25)
    /// Turns that answer such a request and are rolled back, before it is given up.
    public static let geometryFailuresMax = 3
    public static let escalationTiersMax = 10
    public static let escalationPeopleMax = 50
    public static let escalationWaitSeconds = 10...3600

    /// What a plan gives, or what the suite bears at all.
    public struct Allowance: Hashable, Sendable {
        /// Circles that a person is in.
        public var circles: Int
        /// Members of a circle, open invitations included.
        public var members: Int
        /// Zones of a circle.
        public var zones: Int
        /// Zones of a person.
        public var privateZones: Int
    }

    /// The most that the suite bears: for the operator.
    public static let suite = Allowance(circles: 50, members: 500, zones: 500, privateZones: 100)

    /// What one may have who acts under a plan.
    public static func allowance(of plan: Plan) -> Allowance {
        switch plan {
        case .trial, .lapsed:
            Allowance(circles: 5, members: 20, zones: 50, privateZones: 20)
        case .paid: suite
        }
    }
}
