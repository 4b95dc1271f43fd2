import Directory
import DirectoryViews
import Model

/// Limits of the directory.
///
/// A circle is published as one record with all its zones. Limits on zones and vertices keep that
/// record below 1 MiB.
public enum Limits {
    public static let nameCharactersMax = FieldLimits.nameCharactersMax
    public static let timeZoneCharactersMax = FieldLimits.timeZoneCharactersMax
    public static let clientCharactersMax = 50
    public static let contactsPerPersonMax = 10
    public static let devicesPerPersonMax = 10
    /// Credentials of a person of the kinds `person` and `help`.
    public static let credentialsPerPersonMax = 20
    /// How long a credential of kind `person` lives, by default and at most.
    public static let credentialAge = Duration.seconds(90 * 86_400)
    public static let credentialAgeMax = Duration.seconds(365 * 86_400)
    /// How long a session lives without use, of people and of staff.
    public static let sessionIdleTime = Duration.seconds(90 * 86_400)
    public static let staffSessionIdleTime = Duration.seconds(8 * 3600)
    /// How long the former credential of a session works after a rotation.
    public static let sessionOverlap = Duration.seconds(60)
    /// Further sessions end the oldest one.
    public static let sessionsPerPersonMax = 50
    /// How long the code of a new account works.
    public static let activationAgeMax = Duration.seconds(7 * 86_400)
    /// Vertices of all zones of one circle or one person.
    public static let verticesPerOwnerMax = 20_000
    /// Bytes of those zones in a record for evaluators, which has at most 1 MiB.
    public static let zoneBytesPerOwnerMax = 1_000_000
    public static let zonesPerSetMax = 10_000
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
    /// People on one never-notify list.
    public static let neverNotifyPeopleMax = 200
    /// Circles excluded by one list.
    public static let neverNotifyCirclesMax = 50
    /// How long a mail with zones is retried.
    public static let mailAgeMax = Duration.seconds(3600)
    /// How long a code for an account is valid: to sign in, and to verify a contact point.
    public static let accountCodeAgeMax = Duration.seconds(10 * 60)
    /// A code is void if the clock was set back by more than this since it was sent.
    public static let codeClockStepMax = Duration.seconds(60)
    /// How long a warning about an account is retried.
    public static let accountNoticeAgeMax = Duration.seconds(24 * 3600)
    /// Codes for contact points, and tests of them, to one address and by one person within
    /// ``codeWindow``.
    public static let contactCodesPerAddressMax = 5
    public static let contactCodesPerPersonMax = 20
    public static let contactTestsPerAddressMax = 5
    public static let contactTestsPerPersonMax = 20
    /// Codes to sign in with one contact within ``signInWindow`` and ``codeWindow``. Each allows
    /// ``codeTriesMax`` guesses.
    public static let signInCodesPerContactMax = 5
    public static let signInCodesPerContactDayMax = 15
    /// Wrong codes from one network within ``signInWindow``.
    public static let wrongCodesPerNetworkMax = 30
    public static let signInWindow = Duration.seconds(3600)
    /// Requests of the last day that are remembered; above it the oldest are forgotten.
    public static let signInAttemptsMax = 100_000
    /// Interval between reminders to verify contact points, each to one person.
    public static let contactReminderInterval = Duration.seconds(10)
    /// How long an invitation is open, by default and at most.
    public static let invitationAgeDefault = Duration.seconds(7 * 86_400)
    public static let invitationAgeMax = Duration.seconds(30 * 86_400)
    /// How long an invitation stays after its end, so that its state can be read.
    public static let invitationKept = Duration.seconds(30 * 86_400)
    /// People who can accept one link.
    public static let invitationUsesMax = 100
    /// Invitations by one person within ``codeWindow``.
    public static let invitationsPerPersonMax = 20
    /// Open invitations of one circle.
    public static let invitationsPerCircleMax = 500
    /// Declines of one link that are counted.
    public static let declinesCountedMax = 1000
    /// How long a request for consent can be agreed to, and stays after that.
    public static let consentAgeMax = Duration.seconds(30 * 86_400)
    /// Further requests within this time after one send no message.
    public static let consentMessagePause = Duration.seconds(3600)
    /// Messages about requests for consent to one person within ``codeWindow``.
    public static let consentMessagesPerDayMax = 3
    /// Pairs of members of a circle where one has not agreed to the role of the other. With it a
    /// circle fits into one record.
    public static let withheldPerCircleMax = 2000
    public static let wardsPerGuardianMax = 20
    public static let guardiansPerWardMax = 5
    /// How far ahead a ward may take over.
    public static let wardAgeMax = Duration.seconds(21 * 366 * 86_400)
    /// How long before they take over a ward and the guardians are notified.
    public static let wardNoticePeriod = Person.takeOverNoticePeriod
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
    /// Largest body of a change by anybody but an operator: the largest zone fits. A body is parsed
    /// in one turn, so this bounds how long it delays everybody else.
    public static let geometryBodyBytesMax = 320 << 10
    /// How long a request waits for its shapes: slightly less than its server's timeout.
    public static let geometryWaitMax = Duration.seconds(25)
    /// Rolled-back turns after which such a request is abandoned.
    public static let geometryFailuresMax = 3
    /// How long a sign-in at a provider may take.
    public static let signInFlowAgeMax = Duration.seconds(600)
    /// Such sign-ins that have not come back; further ones get 503.
    public static let signInFlowsMax = 10_000
    /// When a provider's metadata and keys are read again.
    public static let providerMetadataAge = Duration.seconds(86_400)
    public static let providerKeysAge = Duration.seconds(3600)
    /// How long unknown keys do not make the keys be read again.
    public static let providerKeysPause = Duration.seconds(60)
    public static let providersMax = 20
    public static let passkeysPerPersonMax = 20
    /// How long the challenge of a passkey is valid.
    public static let passkeyChallengeAgeMax = Duration.seconds(300)
    /// Challenges that were not answered; further ones get 503.
    public static let passkeyChallengesMax = 10_000
    public static let escalationTiersMax = 10
    public static let escalationPeopleMax = FieldLimits.escalationPeopleMax

    /// Limits per plan, or of the suite.
    public struct Allowance: Hashable, Sendable {
        /// Circles per person.
        public var circles: Int
        /// Members per circle.
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
