import Directory
import Model

/// Asks people once to verify contact points that they had before contact points were verified.
///
/// One person at a time and only by day, so that neither gateways nor people are overrun.
public struct ContactReminders: Sendable {
    /// Hours of the person's day in which they are asked.
    static let hours = 9..<20
    /// People whom one step looks at.
    static let examinedMax = 500

    /// People who were not asked yet.
    private var waiting: [PersonID]
    private var index = 0
    /// When the next person may be asked; nil = all were.
    public private(set) var nextDue: Timestamp?

    public init(waiting: [PersonID] = [], at now: Timestamp = .zero) {
        self.waiting = waiting
        nextDue = waiting.isEmpty ? nil : now + Limits.contactReminderInterval
    }

    /// Returns the next messages, and the people who are done.
    ///
    /// - Parameter hour: the hour of day in a time zone
    mutating func next(
        in directory: Replica, hour: (String) -> Int, at now: Timestamp
    ) -> (notices: [AccountNotice], done: [PersonID]) {
        guard let due = nextDue, due <= now else { return ([], []) }
        var done: [PersonID] = []
        var notices: [AccountNotice] = []
        for _ in 0..<min(waiting.count, ContactReminders.examinedMax) where notices.isEmpty {
            if index >= waiting.count { index = 0 }
            guard index < waiting.count else { break }
            let person = directory.person(waiting[index])
            let all = person?.verificationReminders(at: now) ?? []
            if !all.isEmpty, let person,
                !ContactReminders.hours.contains(hour(person.timeZone))
            {
                index += 1
                continue
            }
            notices = all
            done.append(waiting.remove(at: index))
        }
        nextDue = waiting.isEmpty ? nil : now + Limits.contactReminderInterval
        return (notices, done)
    }
}
