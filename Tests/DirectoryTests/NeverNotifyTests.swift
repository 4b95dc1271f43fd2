import Directory
import Model
import Testing

@Suite struct `A never-notify list` {
    /// Anna (1), Ben (2) and Cho (3) in circle 1; Anna and Cho in circle 2.
    private func world(_ list: NeverNotifyList? = nil) -> Replica {
        var events = [
            aPerson(1), aPerson(2), aPerson(3),
            aCircle(1, [member(1, .admin), member(2, .guardian), member(3)]),
            aCircle(2, [member(1, .admin), member(3, .guardian)]),
        ]
        if let list { events.append(.neverNotifyChanged(list)) }
        return replica(events)
    }

    private func list(people: [PersonID] = [], circles: [CircleID] = []) -> NeverNotifyList {
        NeverNotifyList(person: person(1), people: people, circles: circles)
    }

    private func decision(_ viewer: UInt64, _ replica: Replica) -> Decision {
        replica.decide(
            .person(person(viewer)), .acknowledge,
            on: .emergency(of: person(1), isRecipient: true, isAcknowledged: false), at: now)
    }

    @Test func `hides everything from people on it`() {
        let hidden = world(list(people: [person(2)]))
        #expect(hidden.hides(person(1), from: person(2)))
        #expect(hidden.hidesEmergencies(of: person(1), from: person(2)))
        #expect(
            !hidden.hides(person(1), from: person(3)) && !hidden.hides(person(2), from: person(1)))
        #expect(decision(2, world()) == .allowed)
        #expect(decision(2, hidden) == .denied(.notAMember), "the emergency does not exist")
        #expect(decision(3, hidden) == .allowed)
        #expect(decision(2, hidden.withoutNeverNotifyLists) == .allowed, "asked in advance")
    }

    @Test func `hides emergencies from members of excluded circles only`() {
        let one = world(list(circles: [circle(1)]))
        #expect(one.hidesEmergencies(of: person(1), from: person(2)))
        #expect(!one.hidesEmergencies(of: person(1), from: person(3)), "also in circle 2")
        #expect(!one.hides(person(1), from: person(2)), "crossings still notify")
        let both = world(list(circles: [circle(1), circle(2)]))
        #expect(both.hidesEmergencies(of: person(1), from: person(3)))
        #expect(NeverNotifyRules(in: both).hidesEmergenciesFromAll(of: person(1)))
        #expect(!NeverNotifyRules(in: one).hidesEmergenciesFromAll(of: person(1)))
        #expect(!both.hidesEmergencies(of: person(1), from: person(1)))
    }

    @Test func `hides timeline entries, also of former members`() {
        var hidden = world(list(people: [person(2)], circles: [circle(1)]))
        #expect(
            NeverNotifyRules(in: hidden).hiddenPeople(from: person(2), in: circle(1)).all == [
                person(1)
            ])
        let chos = NeverNotifyRules(in: hidden).hiddenPeople(from: person(3), in: circle(1))
        #expect(chos.all.isEmpty && chos.emergencies.isEmpty)
        hidden.apply(aCircle(1, [member(2, .admin), member(3)]))
        #expect(
            NeverNotifyRules(in: hidden).hiddenPeople(from: person(2), in: circle(1)).all == [
                person(1)
            ])
        hidden.apply(.circleRemoved(CircleRemoval(circle: circle(2))))
        #expect(
            NeverNotifyRules(in: hidden).hiddenPeople(from: person(3), in: circle(1)).emergencies
                == [person(1)])
    }

    @Test func `counts only verified addresses as those of people on it`() {
        func world(verified: Timestamp?) -> Replica {
            let contact = ContactPoint(
                id: ContactID(.zero), channel: .sms, address: "+15550101", verified: verified)
            return replica([
                aPerson(1), .personChanged(Person(id: person(2), name: "B", contacts: [contact])),
                .neverNotifyChanged(list(people: [person(2)])),
            ])
        }
        #expect(
            NeverNotifyRules(in: world(verified: now)).hides(person(1), fromAddress: "+15550101"))
        #expect(
            !NeverNotifyRules(in: world(verified: now)).hides(person(1), fromAddress: "+15550102"))
        #expect(
            !NeverNotifyRules(in: world(verified: nil)).hides(person(1), fromAddress: "+15550101"),
            "a stranger's number, entered to silence it")
    }

    @Test func `changes nothing else that the directory says`() {
        var before = world()
        let after = world(list(people: [person(2)]))
        #expect(
            DirectorySnapshot(of: before).events
                == Array(DirectorySnapshot(of: after).events.dropLast()))
        #expect(before.person(person(1)) == after.person(person(1)))
        before.apply(.neverNotifyChanged(list(people: [person(2)])))
        #expect(before == after)
    }

    @Test func `is part of snapshots and disappears with its people and circles`() {
        let full = world(list(people: [person(2), person(3)], circles: [circle(2)]))
        #expect(replica(DirectorySnapshot(of: full).events) == full)
        let differences = DirectorySnapshot(of: world()).difference(from: full)
        #expect(differences == [.neverNotifyChanged(NeverNotifyList(person: person(1)))])
        #expect(differences[0].mayRevoke(in: full))
        var changed = full
        changed.apply(.personRemoved(PersonRemoval(person: person(2))))
        changed.apply(.circleRemoved(CircleRemoval(circle: circle(2))))
        #expect(changed.neverNotifyList(of: person(1)) == list(people: [person(3)]))
        let steps = changed.apply(.personRemoved(PersonRemoval(person: person(1))))
        #expect(steps.contains(.neverNotifyChanged(NeverNotifyList(person: person(1)))))
        #expect(changed.neverNotifyList(of: person(1)).isEmpty)
        #expect(
            changed.apply(.neverNotifyChanged(list(people: [person(3)]))).isEmpty,
            "of somebody who does not exist")
    }

    @Test func `belongs to its person alone`() {
        func decide(_ principal: Principal, guardians: Bool = false) -> Decision {
            world().decide(principal, .editNeverNotifyList, on: .person(person(1)), at: now)
        }
        #expect(decide(.person(person(1))) == .allowed)
        #expect(decide(.person(person(2))) == .denied(.notYours))
        #expect(decide(.operator) == .denied(.personOnly))
        for guardianship in [Guardianship.guardian, .ward] {
            let query = RightsQuery(
                guardianship: guardianship, action: .editNeverNotifyList,
                resource: Resource(isOwn: guardianship == .ward))
            #expect(!Rights.decide(query).isAllowed)
        }
    }
}
