import Model

/// Limits of the directory.
///
/// A circle is published as one record with all its zones. Limits on zones and vertices keep that
/// record below 1 MiB.
public enum Limits {
    public static let nameCharactersMax = 100
    /// How long members see each other's history, days; 0 = as long as each member's plan allows.
    public static let historyDays = 0...3650
    public static let timeZoneCharactersMax = 64
    public static let clientCharactersMax = 50
    public static let contactsPerPersonMax = 10
    public static let contactRankMax = 1000
    public static let devicesPerPersonMax = 10
    /// Credentials of a person that are not bound to a device.
    public static let credentialsPerPersonMax = 20
    /// Vertices of all zones of one circle or one person.
    public static let verticesPerOwnerMax = 20_000
    /// Bytes of those zones in a record for evaluators, which has at most 1 MiB.
    public static let zoneBytesPerOwnerMax = 1_000_000
    public static let zonesPerSetMax = 10_000
    /// Body of a request about a set, such as a file with all its zones.
    public static let setBodyBytes = 8 << 20
    public static let verticesPerZoneOfSetMax = 500
    /// About 50 zones of a set share a record.
    public static let bytesPerZoneOfSetMax = 20_000
    public static let setsMax = 100
    public static let setsPerCircleMax = 20
    public static let messagesPerOwnerMax = 50
    /// How long a code is valid, and how many wrong attempts it allows.
    public static let codeAgeMax = Duration.seconds(30 * 60)
    public static let codeTriesMax = 5
    /// Codes to one number, and on behalf of one person, within ``codeWindow``. Protects phones
    /// from floods of codes.
    public static let codesPerNumberMax = 3
    public static let codesPerPersonMax = 10
    public static let codeWindow = Duration.seconds(24 * 3600)
    /// Mails with zones to one address, and by one person, within ``codeWindow``.
    public static let mailsPerAddressMax = 5
    public static let mailsPerPersonMax = 20
    /// Maximum size of a mailed file. In base64 it must fit into a record of 1 MiB.
    public static let mailedFileBytesMax = 512 << 10
    /// How long a mail with zones is retried.
    public static let mailAgeMax = Duration.seconds(3600)
    public static let displayNameCharactersMax = 50
    public static let messageLineCharactersMax = 160
    public static let zoneOptOutsMax = 500
    /// CPU time to check and prepare the shapes of one request, about 400 times that of a
    /// hand-drawn zone.
    public static let geometryMicrosecondsPerRequest: Int64 = 4_000_000
    /// Requests waiting for their shapes, per requester and in total; further ones get 429 or 503.
    public static let geometryRequestsPerRequesterMax = 1
    public static let geometryRequestsMax = 32
    /// Bodies up to this size are parsed even if an earlier request of the same requester is
    /// waiting.
    public static let geometryParsedBytesFree = 16 << 10
    /// How long a request waits for its shapes: slightly less than its server's timeout.
    public static let geometryWaitMax = Duration.seconds(25)
    /// Rolled-back turns after which such a request is abandoned.
    public static let geometryFailuresMax = 3
    public static let escalationTiersMax = 10
    public static let escalationPeopleMax = 50
    public static let escalationWaitSeconds = 10...3600

    /// Limits per plan, or of the suite.
    public struct Allowance: Hashable, Sendable {
        /// Circles per person.
        public var circles: Int
        /// Members per circle, including open invitations.
        public var members: Int
        /// Zones per circle.
        public var zones: Int
        /// Private zones per person.
        public var privateZones: Int
    }

    /// Limits of the suite, which apply to the operator.
    public static let suite = Allowance(circles: 50, members: 500, zones: 500, privateZones: 100)

    /// Limits that apply to callers with a plan.
    public static func allowance(of plan: Plan) -> Allowance {
        switch plan {
        case .trial, .lapsed:
            Allowance(circles: 5, members: 20, zones: 50, privateZones: 20)
        case .paid: suite
        }
    }
}
