import Model
import Parsing
import Web

/// The operator, who changes zones and circles during the run.
final class Operator {
    private unowned let world: World
    private var chance: SeededRandom
    private var made = 0

    init(_ world: World, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
    }

    func live() {
        world.after(Int64(chance.in(500...8000))) { [self] in
            guard !world.isQuiet else { return }
            change()
            live()
        }
    }

    private func change() {
        made += 1
        let household: Household = world.household!
        guard let family = household.circles["Family"], let club = household.circles["Club"],
            let anna = household.people["Anna"], let eve = household.people["Eve"]
        else { return }
        let home = household.zones["Family Home"].map { "/v1/circles/\(family)/zones/\($0)" }
        switch chance.below(8) {
        case 0: ask(.put, home, Place.home.zone(named: "Home \(made)"))
        case 1: ask(.put, home, Place.home.zone(radius: Int64(chance.in(100...300))))
        case 2: ask(.put, home, Place.home.zone(active: chance.happens(700)))
        case 3: ask(.post, "/v1/circles/\(club)/zones", Place.school.zone(named: "Den \(made)"))
        case 4: ask(.delete, "/v1/circles/\(club)/members/\(eve.id)")
        case 5:
            ask(
                .post, "/v1/circles/\(club)/members",
                ["person": .string(eve.id.description), "role": "guardian"])
        case 6: ask(.put, "/v1/people/\(anna.id)", ["name": .string("Anna \(made)")])
        default: ask(.put, home, Place.school.zone(named: "Home \(made)"))
        }
    }

    private func ask(_ method: Web.Method, _ path: String?, _ body: JSON? = nil) {
        guard let path else { return }
        world.clientRequests.begin(
            ClientRequest(
                method, path, of: .membership, body, as: Household.operatorToken,
                key: "change-\(made)"))
    }
}
