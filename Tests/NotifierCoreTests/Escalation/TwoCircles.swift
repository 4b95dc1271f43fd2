import Model
import NotifierCore

/// Aisha is in two circles: the family, guarded by Budi, and the team, guarded by Eko.
extension Town {
    static let bothInTeam = team(member(eko, .guardian, "EK"))

    static func team(_ others: Membership..., isAishaIn: Bool = true) -> EventBody {
        let aisha = isAishaIn ? [member(aisha, .member, "AI")] : []
        return .circleChanged(Circle(id: teamID, name: "Team", members: aisha + others))
    }
}

extension World {
    /// Aisha's emergency is open, and everything so far is cleared.
    static func inTwoCircles(
        hasReplies: Bool = false, _ team: EventBody = Town.bothInTeam
    ) -> World {
        var world = World(hasReplies: hasReplies)
        world.change(team)
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        return world
    }

    mutating func acknowledge(_ request: UInt64, by person: Person) {
        handle(.acknowledge(Town.command(request, by: .person(person.id))))
    }

    mutating func resolve(_ request: UInt64, by person: Person) {
        handle(.resolve(Town.command(request, by: .person(person.id))))
    }

    var emergency: Emergency? { emergency(Town.emergency(1)) }

    var resolutions: [EmergencyAnswer] {
        published.compactMap {
            if case .resolutionCommitted(let answer) = $0 { answer } else { nil }
        }
    }

    func texts(to person: Person) -> [String] {
        let addresses = person.contacts.map(\.address)
        return sent.filter { addresses.contains($0.address) }.map(\.text)
    }
}
