import Dialects
import Directory
import Model

/// The response to a request.
public enum Answer: Hashable, Sendable {
    case reports(ReportsAnswer)
    case quarantineRetried(QuarantineRetryAnswer)
    /// The backlog is full: retry later.
    case overloaded
    case emergency(EmergencyView)
    case positions([MemberPosition])
    case alarm(AlarmView)
    case policy(PolicyView)
    case located(LocateView)
    /// The next request is allowed after this many seconds.
    case tooSoon(seconds: Int)
    /// Recorded at this time.
    case checkIn(at: Timestamp)
    case denied(Denial)
    case notFound
    /// The call can no longer be cancelled: people are being notified.
    case tooLate
    /// Cancelling needs the PIN.
    case pinNeeded
    case wrongPIN
    /// After five wrong PINs one is compared at a time.
    case tooManyPINs(seconds: Int)
    /// Too many calls were cancelled recently: this one continues.
    case tooManyCancels(seconds: Int)
    /// A call on somebody's behalf does not say whose.
    case personNeeded
}

/// The result of a request with reports.
public struct ReportsAnswer: Hashable, Sendable {
    public var accepted: Int
    public var duplicates: Int
    public var rejections: [Rejection]
    /// Friends for the phone's map; empty unless requested.
    public var friends: [OwnTracks.Friend]
    /// Alarms that ring on this phone now.
    public var rings: [OwnTracks.Ring]
    /// The policy to follow from now on; nil = unchanged.
    public var policy: PolicyView?
    /// The phone is asked for its location.
    public var requestsLocation: Bool

    public init(
        accepted: Int, duplicates: Int, rejections: [Rejection] = [],
        friends: [OwnTracks.Friend] = [], rings: [OwnTracks.Ring] = [], policy: PolicyView? = nil,
        requestsLocation: Bool = false
    ) {
        self.requestsLocation = requestsLocation
        self.accepted = accepted
        self.duplicates = duplicates
        self.rejections = rejections
        self.friends = friends
        self.rings = rings
        self.policy = policy
    }
}
