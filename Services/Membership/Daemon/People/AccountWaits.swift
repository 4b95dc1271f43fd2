import MembershipCore
import Model

/// What the timer waited for on behalf of membership (``Person/accountDeadlines``).
///
/// The machines that schedule by the directory decide what is due. The timer's clock may be a bit
/// ahead of this one, so that they decide as of the deadline.
struct AccountWaits {
    /// An input for the core, and the earliest time of the decision.
    struct Due {
        var input: Input
        var notBefore: Timestamp
    }

    /// The input of an expired deadline; nil for one of another service.
    static func due(_ expired: ExpiredDeadline) -> Due? {
        let due = expired.deadline.due
        switch expired.deadline.kind {
        case .trialEnd: return Due(input: .trials, notBefore: due)
        case .takeOverNotice, .takeOver: return Due(input: .wards, notBefore: due)
        default: return nil
        }
    }
}
