import Directory
import Model
import TimerCore
import Web

extension Replica {
    /// Whether evaluators decide about entries of a person into a zone.
    func appliesEntries(of zone: Zone, to person: PersonID, at now: Timestamp) -> Bool {
        guard zone.active, self.person(person)?.zoneOptOuts.contains(zone.id) == false else {
            return false
        }
        switch zone.owner {
        case .person(let owner): return owner == person
        case .circle(let circle): return shares(person, with: circle, for: zone, at: now)
        case .set(let set):
            return circles(subscribedTo: set).contains {
                shares(person, with: $0, for: zone, at: now)
            }
        }
    }

    private func shares(
        _ person: PersonID, with circle: CircleID, for zone: Zone, at now: Timestamp
    ) -> Bool {
        guard let member = self.circle(circle)?.member(person) else { return false }
        guard zone.kind.rules.requiresSharing else { return true }
        return switch member.sharing {
        case .on: true
        case .pausedUntil(let end): end <= now
        case .off: false
        }
    }

    /// Checks that everybody in a list shares a circle with a person.
    ///
    /// People on the person's never-notify list are accepted: the answer is the same for everybody
    /// in the circle.
    func checkRecipients(_ recipients: [PersonID]?, of person: PersonID) throws(Problem) {
        for recipient in recipients ?? [] {
            if recipient == person || commonCircles(of: person, and: recipient).isEmpty {
                throw .invalid(
                    "\(recipient) is not another member of your circles", field: "recipients")
            }
        }
    }
}
