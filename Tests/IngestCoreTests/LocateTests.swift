import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

/// Somebody wants to know where a phone is now.
@Suite struct LocateTests {
    private let anna = Principal.person(person(1))
    private let ben = Principal.person(person(2))

    private func tell(
        _ bench: inout Bench, _ news: PhoneNews, from number: UInt64 = 1,
        _ observations: [Observation] = []
    ) -> ReportsAnswer? {
        let answer = bench.deliver(
            observations, from: number, wantsFriends: true, news: news, ownTracks: .android)
        guard case .reports(let reports) = answer else { return nil }
        return reports
    }

    @Test func `a phone is asked in its next answers until a fix taken since has come`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(10)
        guard case .located(let view)? = bench.locate(1, as: ben) else {
            Issue.record("a member may ask")
            return
        }
        #expect(view.asked == bench.now && view.heard == start)
        #expect(tell(&bench, PhoneNews())?.locates == true)
        bench.restart()
        #expect(tell(&bench, PhoneNews(), [observation(at: 9)])?.locates == true, "taken before")
        #expect(tell(&bench, PhoneNews(), from: 2)?.locates == false, "another phone")
        #expect(tell(&bench, PhoneNews(), [observation(at: 10)])?.locates == false)
        #expect(tell(&bench, PhoneNews())?.locates == false)
        #expect(bench.store.locates.isEmpty)
    }

    @Test func `a phone whose fix is older than the question is not told again by its answer`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(100)
        _ = bench.locate(1, as: ben)
        var reply = PhoneNews()
        reply.isReply = true
        #expect(tell(&bench, reply, [observation(at: 10)])?.locates == true, "asked before")
        #expect(tell(&bench, PhoneNews(), [observation(at: 20)])?.locates == false)
        bench.wait(Int(Limits.locateAgainSeconds) - 1)
        #expect(tell(&bench, PhoneNews(), [observation(at: 30)])?.locates == false)
        bench.wait(1)
        #expect(tell(&bench, PhoneNews(), [observation(at: 40)])?.locates == true, "in vain so far")
        #expect(tell(&bench, reply, [observation(at: 50)])?.locates == false)
        #expect(bench.store.locates.isEmpty, "it has said what it knows")
    }

    @Test func `a fix of the second of the question answers it, for phones say whole seconds`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.now = start + .milliseconds(10_700)
        _ = bench.locate(1, as: ben)
        #expect(tell(&bench, PhoneNews(), [observation(at: 10)])?.locates == false)
        #expect(bench.store.locates.isEmpty)
    }

    @Test func `who asks anew has the phone told at once, and a silent one costs nothing`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(100)
        _ = bench.locate(1, as: ben)
        #expect(tell(&bench, PhoneNews())?.locates == true)
        bench.wait(5)
        _ = bench.locate(1, as: .person(person(3)))
        bench.deliver([observation(at: 10)], client: .osmAnd)
        #expect(tell(&bench, PhoneNews())?.locates == true)
        bench.wait(5)
        bench.deliver([observation(at: 106)], client: .osmAnd)
        #expect(bench.store.locates.isEmpty, "another app of the phone answers as well")
    }

    @Test func `what speaks Jaga's own JSON is asked, too`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(100)
        _ = bench.locate(1, as: ben)
        func isAsked(_ answer: Answer?) -> Bool? {
            guard case .reports(let reports)? = answer else { return nil }
            return reports.locates
        }
        #expect(isAsked(bench.deliver([], client: .overland)) == false, "it would not understand")
        #expect(isAsked(bench.deliver([observation(at: 10)])) == true)
        var reply = PhoneNews()
        reply.isReply = true
        #expect(isAsked(bench.deliver([observation(at: 20)], news: reply)) == false)
        #expect(bench.store.locates.isEmpty)
    }

    @Test func `nobody waits for a phone for ever`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(10)
        _ = bench.locate(1, as: ben)
        bench.wait(Int(Limits.locateWaitSeconds))
        #expect(tell(&bench, PhoneNews())?.locates == true)
        bench.wait(1)
        #expect(tell(&bench, PhoneNews())?.locates == false)
    }

    @Test func `a viewer asks once a minute, and the person reads who`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.deliver([observation(at: 0)], from: 3)
        bench.access = []
        _ = bench.locate(1, as: ben)
        bench.wait(20)
        #expect(bench.locate(1, as: ben) == .tooSoon(seconds: 40))
        _ = bench.locate(3, as: ben)
        _ = bench.locate(1, as: .person(person(3)))
        bench.wait(40)
        _ = bench.locate(1, as: ben)
        let asked = bench.access.filter { $0.person == person(1) }
        #expect(asked.map(\.viewer) == [person(2), person(3), person(2)])
        #expect(
            asked.map(\.asked) == [start, start + .seconds(20), start + .seconds(60)])
        _ = bench.locate(1, as: anna)
        #expect(bench.access.filter { $0.person == person(1) }.count == 3, "asking for oneself")
    }

    @Test func `only who may see a position asks for it`() {
        var bench = Bench()
        #expect(bench.locate(9, as: ben) == .denied(.notAMember))
        #expect(bench.locate(1, as: ben) == .notFound, "no phone has ever reported")
        bench.deliver([observation(at: 0)])
        #expect(bench.locate(1, as: .person(person(5))) == .denied(.notAMember))
        bench.change(aCircle(1, [member(1, sharing: .off), member(2), member(3, .guardian)]))
        #expect(bench.locate(1, as: ben) == .denied(.notSharing))
        bench.change(aCircle(1, [member(1), member(2)], seePositions: false))
        #expect(bench.locate(1, as: ben) == .denied(.circleSetting))
        #expect(bench.store.locates.isEmpty && bench.access.allSatisfy { $0.asked == nil })
    }
}
