import Directory
import Model
import TimerCore

/// Maps events of streams to inputs of the core.
struct EventInputs {
    let deadlines: DeadlineRows
    let replica: Replica
    let reachability: Reachability
    /// Whether the timer has returned from an outage.
    let hadOutage: Bool

    /// The input of an event; nil if the timer does not depend on it.
    func input(of event: Event) throws -> Input? {
        switch event.body {
        case .deadlineScheduled(let deadline):
            // After an outage streams are read again: nobody waits for a deadline that has already
            // expired.
            if hadOutage, try deadlines.hasExpired(deadline.id) { return nil }
            return .deadlineScheduled(deadline, trace: event.trace)
        case .deadlineCancelled(let deadline): return .deadlineCancelled(deadline.id)
        case .sosRaised(let signal): return .signal(signal)
        case .sosCancelled(let cancel): return .signalCancelled(cancel)
        case .emergencyCountdown(let change), .emergencyOpened(let change),
            .emergencyJoined(let change), .emergencyCancelled(let change),
            .emergencyAcknowledged(let change), .emergencyResolved(let change):
            return .emergency(change)
        case .notificationChanged(let change):
            return .notification(change, isReachable: isReachable(by: change))
        case .escalationTierStarted(let change), .escalationExhausted(let change):
            return .escalated(change.emergency)
        case .reachabilityChanged(let change): return .reachability(change)
        case .acknowledgementCommitted(let answer): return .acknowledged(answer)
        case .resolutionCommitted(let answer): return .resolved(answer)
        case .watchCommandReceived(let command): return .command(command)
        case .safetyAnswerReceived(let answer), .sosAnswered(let answer):
            return .answered(answer)
        case .checkInReceived(let contact):
            return .answered(
                SafetyAnswer(
                    person: contact.person, outcome: .safe, at: contact.at, trace: contact.trace))
        case .personChanged(let person): return .timeZone(person.id, person.timeZone)
        case .zoneEntered(let crossing): return .entered(crossing)
        case .personRemoved(let removal): return .personRemoved(removal.person)
        default: return nil
        }
    }

    /// The reachability of a removed person's contact points is removed. If others share one, the
    /// notifier publishes it again.
    func reachabilityRemoved(by event: Event) -> Input? {
        guard case .personRemoved(let removal) = event.body,
            let person = replica.person(removal.person)
        else { return nil }
        let known = person.contacts.map(\.key).filter { reachability.problems[$0] != nil }
        guard !known.isEmpty else { return nil }
        let states = known.map { ContactPointState(contact: $0, problem: nil) }
        return .reachability(ReachabilityChange(contacts: states))
    }

    /// Whether a message's recipient has a contact point of its channel that is neither opted out
    /// nor dead. An unknown recipient counts as reachable.
    private func isReachable(by change: NotificationChanged) -> Bool {
        let contacts = (replica.person(change.recipient)?.contacts ?? []).filter {
            $0.channel == change.channel && !$0.address.isEmpty
        }
        return contacts.isEmpty || contacts.contains { reachability.problems[$0.key] == nil }
    }
}
