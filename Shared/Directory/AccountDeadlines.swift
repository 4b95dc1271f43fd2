import Hashing
import Model

extension Person {
    /// How long before a ward takes over they and their guardians are notified.
    public static let takeOverNoticePeriod = Duration.seconds(7 * 86_400)

    /// What the timer waits for on behalf of membership: the end of a trial; the day on which a
    /// ward takes over, and the notice before it. A changed date is another deadline.
    public var accountDeadlines: [Deadline] {
        var deadlines: [Deadline] = []
        if plan == .trial, let trialEnds { deadlines.append(deadline(.trialEnd, due: trialEnds)) }
        if !guardians.isEmpty, let wardUntil {
            deadlines += [
                deadline(.takeOverNotice, due: wardUntil - Person.takeOverNoticePeriod),
                deadline(.takeOver, due: wardUntil),
            ]
        }
        return deadlines
    }

    private func deadline(_ kind: DeadlineKind, due: Timestamp) -> Deadline {
        let id = Hash.id(
            "account-deadline", .text(kind.rawValue), .id(id.raw), .number(due.microseconds))
        return Deadline(id: DeadlineID(id), kind: kind, person: self.id, due: due)
    }
}
