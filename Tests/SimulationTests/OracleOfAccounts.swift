import Directory
import Hosting
import Model

// Checks consents and wards.
extension Oracle {
    /// The directories of all services.
    private var directories: [(name: String, replica: Replica)] {
        world.slots.compactMap { slot in
            guard let life = slot.life else { return nil }
            let own = (life.service.inner as? any OwnsDirectory)?.ownDirectory
            return (own ?? life.host.directory?.replica).map { (slot.name, $0) }
        }
    }

    func checkAccounts() throws {
        for (name, replica) in directories {
            try checkConsents(replica, of: name)
            try checkWard(replica, of: name)
        }
    }

    /// Nobody is shown to members without having agreed.
    private func checkConsents(_ replica: Replica, of name: String) throws {
        guard let person = world.household.people[Household.reserved]?.id,
            let club = world.household.circles["Club"].flatMap(replica.circle),
            let member = club.member(person)
        else { return }
        if club.membersSee(member) {
            throw Objection("\(name) shows \(Household.reserved), who never agreed")
        }
    }

    /// Nobody remains a ward after the date, by the clock of the timer.
    private func checkWard(_ replica: Replica, of name: String) throws {
        guard let ward = lateWard, replica.person(ward)?.guardians.isEmpty == false else { return }
        throw Objection("\(name): \(ward) has not taken over")
    }

    /// The ward, if the date of the takeover has come.
    private var lateWard: PersonID? {
        guard let ward = world.household.ward, let now = world.slot(.timer).life?.host.now,
            ward.until < now
        else { return nil }
        return ward.id
    }

    /// Whether the timer or membership still has to act.
    var waitsForTakeover: Bool {
        guard let ward = lateWard else { return false }
        return directories.contains { $0.replica.person(ward)?.guardians.isEmpty == false }
    }
}
