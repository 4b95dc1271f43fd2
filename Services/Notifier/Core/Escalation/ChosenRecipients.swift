import Directory
import Model

// Emergencies of watches and check-ins whose person chose who is notified.
extension Emergency {
    /// Adds the recipients of another signal.
    ///
    /// - Parameter recipients: nil = everyone
    /// - Returns: whether more people are to be notified now
    mutating func widen(to recipients: [PersonID]?) -> Bool {
        guard let known = onlyRecipients else { return false }
        onlyRecipients = recipients.map { Set(known + $0).sorted() }
        return onlyRecipients != known
    }

    /// Whether a circle may learn of it by its timeline.
    func concerns(_ circle: CircleID, _ directory: Replica) -> Bool {
        guard let onlyRecipients else { return true }
        let members = directory.circle(circle)?.members ?? []
        return members.contains { onlyRecipients.contains($0.person) }
    }
}

extension Reachability {
    /// The people to whom an emergency's messages are limited; nil = no limit.
    ///
    /// The limit ends when none of them can be reached any more: an emergency that nobody gets is
    /// worse than one that too many get.
    func limit(of emergency: Emergency, in directory: Replica) -> Set<PersonID>? {
        guard let chosen = emergency.onlyRecipients else { return nil }
        let directory = directory.seen(by: emergency)
        let isAnyReachable = chosen.contains { person in
            !directory.commonCircles(of: emergency.person, and: person).isEmpty
                && !directory.hidesEmergencies(of: emergency.person, from: person)
                && directory.person(person).map {
                    obstacle(to: $0, unverified: true, at: nil) == nil
                } ?? false
        }
        return isAnyReachable ? Set(chosen) : nil
    }
}
