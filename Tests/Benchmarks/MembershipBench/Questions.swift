import Directory
import Glibc
import Hashing
import Model

/// Asks questions about rights in one thread, and prints how many it answers in a second.
struct Questions {
    let count: Int

    func measure() {
        measurePure()
        measureReplica()
    }

    /// The pure function alone, over queries of every action, role, plan and relation.
    private func measurePure() {
        var queries: [RightsQuery] = []
        for action in Action.allCases {
            for role in Role.allCases.map(Optional.some) + [nil] {
                for plan in Plan.allCases {
                    for bits in 0..<16 {
                        queries.append(
                            RightsQuery(
                                isOperator: bits == 15, role: role, plan: plan, action: action,
                                resource: Resource(
                                    isOwn: bits & 1 != 0, isSharing: bits & 2 != 0,
                                    isRecipient: bits & 4 != 0, isAcknowledged: bits & 8 != 0)))
                    }
                }
            }
        }
        let table = RightsTable.standard
        report("pure") { index in
            Rights.decide(queries[index % queries.count], by: table).isAllowed
        }
    }

    /// With the lookups in a directory of 10,000 people in circles of five.
    private func measureReplica() {
        var replica = Replica()
        let people = (0..<10_000).map { PersonID(Hash.id("person", .number($0))) }
        for person in people { replica.apply(.personChanged(Person(id: person, name: "P"))) }
        let circles = (0..<2_000).map { CircleID(Hash.id("circle", .number($0))) }
        for (index, circle) in circles.enumerated() {
            let members = (0..<5).map { number in
                Membership(
                    person: people[index * 5 + number], role: number == 0 ? .admin : .member,
                    joined: .zero, trackerID: "A\(number)")
            }
            replica.apply(.circleChanged(Circle(id: circle, name: "C", members: members)))
        }
        let actions: [Action] = [.readPosition, .readHistory, .locate, .changeSharing]
        report("replica") { index in
            let circle = index &* 7919 % circles.count
            let (viewer, other) = (people[circle * 5 + index % 5], people[circle * 5 + 1])
            return replica.decide(
                .person(viewer), actions[index % actions.count],
                on: .member(other, in: circles[circle]), at: .zero
            ).isAllowed
        }
    }

    private func report(_ name: String, _ ask: (Int) -> Bool) {
        var allowed = 0
        let start = seconds()
        for index in 0..<count where ask(index) { allowed += 1 }
        let rate = Double(count) / (seconds() - start)
        Main.printLine(#"{"name":"\#(name)","rate":\#(Int(rate)),"allowed":\#(allowed)}"#)
    }

    private func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
