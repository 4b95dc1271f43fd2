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
        switch chance.below(11) {
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
        case 7...9: changeVisibility(of: club)
        default: ask(.put, home, Place.school.zone(named: "Home \(made)"))
        }
    }

    /// Lets the members of a circle see each other, or not. Each member replies: all but one agree.
    private func changeVisibility(of circle: CircleID) {
        ask(.put, "/v1/circles/\(circle)", ["membersSeePositions": .bool(chance.happens(700))])
        world.after(Int64(chance.in(500...4000))) { [self] in
            for name in ["Anna", Household.reserved, "Eve"] { reply(name) }
        }
    }

    private func reply(_ name: String) {
        guard let person = world.household.people[name] else { return }
        let path = "/v1/people/\(person.id)/consents"
        world.clientRequests.begin(
            ClientRequest(.get, path, of: .membership, as: person.token) { [self] response, _ in
                let json = (try? JSON.parse(response.body)) ?? .null
                for consent in json["items"]?.array ?? [] where consent["state"] == "open" {
                    guard let id = consent["id"]?.string else { continue }
                    world.clientRequests.begin(
                        ClientRequest(
                            .put, "\(path)/\(id)", of: .membership,
                            ["agreed": .bool(name != Household.reserved)], as: person.token))
                }
            })
    }

    private func ask(_ method: Web.Method, _ path: String?, _ body: JSON? = nil) {
        guard let path else { return }
        world.clientRequests.begin(
            ClientRequest(
                method, path, of: .membership, body, as: Household.operatorToken,
                key: "change-\(made)"))
    }
}
