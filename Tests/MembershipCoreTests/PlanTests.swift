import Directory
import MembershipCore
import Model
import Testing

@Suite struct PlanTests {
    private func change(_ change: (inout PersonPatch) -> Void) -> Change {
        .updatePerson(person(1), personPatch(change))
    }

    @Test func `a trial lapses after 30 days, once`() {
        let scene = Scene()
        let end = scene.now + .seconds(30 * 86_400)
        #expect(scene.core.directory.person(person(1))?.trialEnds == end)
        #expect(scene.core.nextTrialEnd == end)
        scene.now = end - .seconds(1)
        #expect(scene.endTrials().isEmpty)
        scene.now = end
        let lapsed = scene.endTrials()
        #expect(lapsed.count == 3)
        #expect(lapsed.allSatisfy { $0.plan == .lapsed && $0.trialEnds == nil && $0.version == 2 })
        #expect(scene.core.nextTrialEnd == nil)
        #expect(scene.endTrials().isEmpty)
    }

    @Test func `a trial that is paid for does not lapse, and a new one has its own end`() {
        let scene = Scene()
        scene.ask(.operator, change { $0.plan = .paid })
        #expect(scene.core.directory.person(person(1))?.trialEnds == nil)
        scene.now = scene.now + .seconds(30 * 86_400)
        #expect(scene.endTrials().map(\.id).sorted() == [person(2), person(3)])
        scene.ask(.operator, change { $0.plan = .trial })
        #expect(scene.core.nextTrialEnd == scene.now + .seconds(30 * 86_400))
    }

    @Test func `trials of an older store get their end at the start`() {
        var directory = Replica()
        for number in 1...300 {
            directory.apply(.personChanged(Person(id: person(number), name: "P")))
        }
        let scene = Scene()
        scene.core = MembershipCore(directory: directory)
        #expect(scene.core.nextTrialEnd == .zero)
        #expect(scene.endTrials().count == 256)
        let rest = scene.endTrials()
        #expect(rest.count == 44)
        #expect(rest.allSatisfy { $0.plan == .trial })
        #expect(scene.core.nextTrialEnd == scene.now + .seconds(30 * 86_400))
    }

    @Test func `the operator's file sets the length of a trial`() throws {
        let scene = Scene()
        scene.core = MembershipCore(
            directory: Replica(rights: try RightsOverrides.apply("trial-days.trial = 7")))
        scene.ask(.operator, .createPerson(person(9), personPatch { $0.name = "Z" }))
        #expect(scene.core.nextTrialEnd == scene.now + .seconds(7 * 86_400))
    }

    @Test func `the store changes the plans that it bills, and no others`() {
        let scene = Scene()
        #expect(scene.bill(person(1), .paid).rejection?.reason == .conflict)
        #expect(scene.bill(person(9), .paid).rejection?.reason == .missing)
        scene.ask(.operator, change { $0.billing = .store })
        #expect(scene.bill(person(1), .paid).person?.plan == .paid)
        #expect(scene.bill(person(1), .paid).person?.version == 3)
        #expect(scene.bill(person(1), .lapsed).person?.plan == .lapsed)
        #expect(scene.ask(.operator, change { $0.plan = .paid }).denial == .billedByStore)
        scene.ask(.operator, change { $0.billing = .operator })
        #expect(scene.ask(.operator, change { $0.plan = .paid }).person?.plan == .paid)
    }

    @Test func `a person who is no subscriber gets at most five members into a circle`() {
        let scene = Scene()
        scene.ask(.operator, change { $0.affiliation = Affiliation.none })
        for number in 4...9 {
            scene.ask(.operator, .createPerson(person(number), personPatch { $0.name = "P" }))
        }
        scene.ask(anna, .createCircle(circle(1), circlePatch { $0.name = "Friends" }))
        let link = NewInvitation(
            id: invitation(1), tokenHash: "t", role: nil, contact: nil, expires: nil,
            usesMax: 50)
        scene.ask(anna, .invite(circle(1), link))
        func join(_ number: Int) -> CommandRejection? {
            let change = Change.acceptInvitation(
                tokenHash: "t", person(number), MemberPatch())
            return scene.ask(.person(person(number)), change).rejection
        }
        for number in 2...5 { #expect(join(number) == nil) }
        #expect(join(6)?.detail.contains("5 members of a circle") == true)
        scene.ask(.operator, change { $0.affiliation = .subscriber })
        #expect(join(6) == nil)
    }

    @Test func `name and contact points of a person with sso stay as the provider says`() {
        let scene = Scene()
        scene.ask(.operator, change { $0.signIn = .sso })
        #expect(scene.ask(anna, change { $0.name = "Ann" }).denial == .fromProvider)
        #expect(scene.ask(.operator, change { $0.name = "Ann" }).denial == .fromProvider)
        #expect(scene.ask(anna, change { $0.contacts = [] }).rejection == nil)
        #expect(
            scene.ask(anna, change { $0.contacts = [contact(1, "+6012")] }).denial == .fromProvider)
        let whole = change {
            $0.name = "Anna"
            $0.locale = "ms"
        }
        #expect(scene.ask(anna, whole).person?.locale == "ms")
    }

    @Test
    func `staff are named by the operator, and an operator among them may what the token may`() {
        let scene = Scene()
        #expect(scene.ask(anna, change { $0.staff = .some(.operator) }).denial == .operatorOnly)
        scene.ask(.operator, change { $0.staff = .some(.operator) })
        let created = scene.ask(anna, .createPerson(person(7), personPatch { $0.name = "G" }))
        #expect(created.person?.name == "G")
        let other = Change.updatePerson(person(2), personPatch { $0.staff = .some(.officer) })
        #expect(scene.ask(anna, other).person?.staff == .officer)
        #expect(scene.ask(ben, .createPerson(person(8), PersonPatch())).denial == .operatorOnly)
        scene.ask(.operator, change { $0.staff = .some(nil) })
        #expect(scene.ask(anna, .removePerson(person(7))).denial == .notYours)
    }
}

extension Scene {
    /// Ends the trials that are due, and returns the changed people.
    fileprivate func endTrials() -> [Person] {
        var effects: [Effect] = []
        core.handle(.trials, at: now, into: &effects)
        return effects.compactMap {
            if case .record(.personChanged(let person)) = $0 { person } else { nil }
        }
    }

    fileprivate func bill(_ person: PersonID, _ plan: Plan) -> Answer {
        let notice = BillingNotice(person: person, plan: plan)
        let rejection = core.rejection(of: notice, at: now)
        var effects: [Effect] = []
        core.handle(.billing(notice), at: now, into: &effects)
        if let rejection { return .rejected(rejection) }
        guard let changed = core.directory.person(person) else { return .gone }
        return .person(changed)
    }
}
