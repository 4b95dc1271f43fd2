import Directory
import Model
import Testing

/// What others see of a person is what that person agreed to, whatever the circle shows.
@Suite struct AgreedVisibilityTests {
    private let ben = Principal.person(person(2))
    private let anna = Principal.person(person(1))

    /// Anna (1) is a member who agreed to what `edit` sets; Ben (2) has the role.
    private func replica(
        _ role: Role = .member, seePositions: Bool = true, _ edit: (inout Membership) -> Void
    ) -> Replica {
        var annas = member(1)
        edit(&annas)
        return DirectoryTests.replica([
            aPerson(1), aPerson(2),
            aCircle(1, [annas, member(2, role)], seePositions: seePositions),
        ])
    }

    private func sees(_ replica: Replica, _ viewer: Principal, _ other: UInt64) -> Bool {
        replica.decide(
            viewer, .readPosition, on: .member(person(other), in: circle(1)), at: now
        ).isAllowed
    }

    @Test func `members see those who agreed, where the circle lets them`() {
        #expect(sees(replica { _ in }, ben, 1))
        #expect(!sees(replica { $0.membersSee = false }, ben, 1))
        #expect(!sees(replica(seePositions: false) { _ in }, ben, 1))
        #expect(sees(replica(.guardian) { $0.membersSee = false }, ben, 1))
        #expect(sees(replica { $0.membersSee = false }, anna, 2), "agreeing is each person's own")
        #expect(sees(replica { $0.membersSee = false }, anna, 1), "oneself")
    }

    @Test func `a role that was not agreed to sees what members see`() {
        for role in [Role.guardian, .admin] {
            let closed = replica(role, seePositions: false) { $0.withheldFrom = [person(2)] }
            #expect(!sees(closed, ben, 1))
            let open = replica(role) { $0.withheldFrom = [person(2)] }
            #expect(sees(open, ben, 1))
            let others = replica(role, seePositions: false) { $0.withheldFrom = [person(9)] }
            #expect(sees(others, ben, 1))
        }
    }

    @Test(
        arguments: [
            (nil, nil, nil), (30, nil, 30), (nil, 7, 7), (30, 7, 7), (5, 7, 5),
        ] as [(Int?, Int?, Int?)])
    func `the shorter history counts`(ofCircle: Int?, agreed: Int?, shown: Int?) {
        var subject = member(1)
        subject.agreedHistoryDays = agreed
        let circle = Circle(
            id: circle(1), name: "C", members: [subject], historyDays: ofCircle)
        #expect(circle.historyDays(of: subject) == shown)
    }

    @Test func `a person who leaves is withheld nothing any more`() {
        var replica = replica(.guardian) { $0.withheldFrom = [person(2)] }
        replica.apply(.personRemoved(PersonRemoval(person: person(2))))
        #expect(replica.circle(circle(1))?.members.map(\.withheldFrom) == [[]])
    }
}

@Suite struct WardRightsTests {
    private let guardian = Principal.person(person(2))
    private let ward = Principal.person(person(1))

    private func replica(until: Timestamp?) -> Replica {
        DirectoryTests.replica([
            aPerson(2), aPerson(3),
            .personChanged(
                Person(
                    id: person(1), name: "Fitri", guardians: [person(2)], wardUntil: until)),
            aCircle(1, [member(1), member(3, .admin)]),
        ])
    }

    private func may(
        _ replica: Replica, _ who: Principal, _ action: Action, at time: Timestamp = now
    ) -> Bool {
        let target: RightsTarget =
            action.target == .member ? .member(person(1), in: circle(1)) : .person(person(1))
        return replica.decide(who, action, on: target, at: time).isAllowed
    }

    @Test func `a guardian acts for a ward, who cannot hide alone`() {
        let replica = replica(until: now + .seconds(10))
        let alone: [Action] = [
            .changeSharing, .leaveCircle, .optOutOfZones, .erase, .answerConsents,
        ]
        for action in alone {
            #expect(may(replica, guardian, action), "\(action)")
            #expect(!may(replica, ward, action), "\(action)")
            #expect(!may(replica, .person(person(3)), action), "\(action)")
        }
        for action in [Action.panic, .cancelEmergency, .readPerson, .readAccessLog] {
            #expect(may(replica, ward, action), "\(action)")
        }
        #expect(may(replica, guardian, .watch))
        #expect(!may(replica, guardian, .panic))
    }

    @Test func `rights change at the moment the ward takes over`() {
        let end = now + .seconds(10)
        let replica = replica(until: end)
        #expect(!may(replica, ward, .changeSharing, at: end - .microseconds(1)))
        #expect(may(replica, ward, .changeSharing, at: end))
        #expect(!may(replica, guardian, .changeSharing, at: end))
        #expect(may(self.replica(until: nil), guardian, .changeSharing, at: .distantFuture))
    }
}
