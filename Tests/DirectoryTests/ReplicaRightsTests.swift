import Directory
import Model
import Testing

@Suite struct ReplicaRightsTests {
    private let anna = Principal.person(person(1))
    private let ben = Principal.device(device(2), of: person(2))

    @Test func `the query contains what is known of the actor`() {
        let replica = replica(family + [aPerson(2, plan: .lapsed)])
        let query = RightsQuery(
            ben, .readHistory, on: .circle(circle(1)), in: replica, at: now)
        #expect(query.role == .member)
        #expect(query.plan == .lapsed)
        #expect(query.platform == .android)
        #expect(query.resource.membersSeePositions)
        #expect(!query.isOperator)
    }

    @Test func `a circle's settings and the other's sharing decide over a position`() {
        var replica = replica(family)
        let target = RightsTarget.member(person(1), in: circle(1))
        #expect(replica.decide(ben, .readPosition, on: target, at: now).isAllowed)
        replica.apply(aCircle(1, [member(1, .admin), member(2)], seePositions: false))
        #expect(
            replica.decide(ben, .readPosition, on: target, at: now) == .denied(.circleSetting))
        let pause = Sharing.pausedUntil(now + .seconds(10))
        replica.apply(aCircle(1, [member(1, .admin, sharing: pause), member(2)]))
        #expect(replica.decide(ben, .readPosition, on: target, at: now) == .denied(.notSharing))
        let later = now + .seconds(10)
        #expect(replica.decide(ben, .readPosition, on: target, at: later).isAllowed)
    }

    @Test func `an invitation gives no role`() {
        let replica = replica(family)
        #expect(replica.decide(ben, .readCircle, on: .circle(circle(2)), at: now).isAllowed)
        #expect(
            replica.decide(ben, .invite, on: .circle(circle(2)), at: now)
                == .denied(.notAMember))
        #expect(
            replica.decide(ben, .readCircle, on: .circle(circle(9)), at: now)
                == .denied(.notAMember))
    }

    @Test func `over an emergency the highest role in a common circle counts`() {
        let replica = replica(
            family + [
                aPerson(3), aCircle(3, [member(1), member(2), member(3, .guardian)]),
                aCircle(4, [member(1), member(3, invited: true)]),
            ])
        func role(_ number: UInt64, over other: UInt64) -> Role? {
            let target = RightsTarget.emergency(
                of: person(other), isRecipient: false, isAcknowledged: false)
            return RightsQuery(
                .person(person(number)), .acknowledge, on: target, in: replica, at: now
            ).role
        }
        #expect(role(1, over: 2) == .admin)
        #expect(role(2, over: 1) == .member)
        #expect(role(3, over: 1) == .guardian)
        let target = RightsTarget.emergency(
            of: person(1), isRecipient: false, isAcknowledged: false)
        #expect(replica.decide(ben, .acknowledge, on: target, at: now) == .denied(.notARecipient))
        #expect(replica.decide(anna, .acknowledge, on: target, at: now) == .denied(.ownEmergency))
        #expect(replica.decide(.operator, .acknowledge, on: target, at: now).isAllowed)
        #expect(
            replica.decide(.person(person(8)), .acknowledge, on: target, at: now)
                == .denied(.notAMember))
    }

    @Test func `a device acts for its person`() {
        let replica = replica(family)
        #expect(replica.decide(ben, .editDevices, on: .person(person(2)), at: now).isAllowed)
        #expect(
            replica.decide(ben, .editDevices, on: .person(person(1)), at: now)
                == .denied(.notYours))
        #expect(replica.decide(ben, .administer, on: .suite, at: now) == .denied(.operatorOnly))
    }
}
