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
        _ bench: inout Bench, _ status: DeviceStatus, from number: UInt64 = 1,
        _ observations: [Observation] = []
    ) -> ReportsAnswer? {
        let answer = bench.deliver(
            observations, from: number, requestsFriends: true, status: status, ownTracks: .android)
        guard case .reports(let reports) = answer else { return nil }
        return reports
    }

    @Test func `a phone is asked in each response until it sends a newer fix`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(10)
        guard case .located(let view)? = bench.locate(1, as: ben) else {
            Issue.record("a member may ask")
            return
        }
        #expect(view.requested == bench.now && view.lastSeen == start)
        #expect(tell(&bench, DeviceStatus())?.requestsLocation == true)
        bench.restart()
        #expect(
            tell(&bench, DeviceStatus(), [observation(at: 9)])?.requestsLocation == true,
            "taken before")
        #expect(tell(&bench, DeviceStatus(), from: 2)?.requestsLocation == false, "another phone")
        #expect(tell(&bench, DeviceStatus(), [observation(at: 10)])?.requestsLocation == false)
        #expect(tell(&bench, DeviceStatus())?.requestsLocation == false)
        #expect(bench.store.locates.isEmpty)
    }

    @Test func `a reply with an older fix does not repeat the request`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(100)
        _ = bench.locate(1, as: ben)
        var reply = DeviceStatus()
        reply.isReply = true
        #expect(
            tell(&bench, reply, [observation(at: 10)])?.requestsLocation == true, "asked before")
        #expect(tell(&bench, DeviceStatus(), [observation(at: 20)])?.requestsLocation == false)
        bench.wait(Int(Limits.locateAgainSeconds) - 1)
        #expect(tell(&bench, DeviceStatus(), [observation(at: 30)])?.requestsLocation == false)
        bench.wait(1)
        #expect(
            tell(&bench, DeviceStatus(), [observation(at: 40)])?.requestsLocation == true,
            "in vain so far")
        #expect(tell(&bench, reply, [observation(at: 50)])?.requestsLocation == false)
        #expect(bench.store.locates.isEmpty, "it has said what it knows")
    }

    @Test func `a fix in the second of the request answers it`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.now = start + .milliseconds(10_700)
        _ = bench.locate(1, as: ben)
        #expect(tell(&bench, DeviceStatus(), [observation(at: 10)])?.requestsLocation == false)
        #expect(bench.store.locates.isEmpty)
    }

    @Test func `a new request is sent at once`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(100)
        _ = bench.locate(1, as: ben)
        #expect(tell(&bench, DeviceStatus())?.requestsLocation == true)
        bench.wait(5)
        _ = bench.locate(1, as: .person(person(3)))
        bench.deliver([observation(at: 10)], client: .osmAnd)
        #expect(tell(&bench, DeviceStatus())?.requestsLocation == true)
        bench.wait(5)
        bench.deliver([observation(at: 106)], client: .osmAnd)
        #expect(bench.store.locates.isEmpty, "another app of the phone answers as well")
    }

    @Test func `clients of Jaga's own JSON are asked, too`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(100)
        _ = bench.locate(1, as: ben)
        func isRequested(_ answer: Answer?) -> Bool? {
            guard case .reports(let reports)? = answer else { return nil }
            return reports.requestsLocation
        }
        #expect(
            isRequested(bench.deliver([], client: .overland)) == false, "it would not understand")
        #expect(isRequested(bench.deliver([observation(at: 10)])) == true)
        var reply = DeviceStatus()
        reply.isReply = true
        #expect(isRequested(bench.deliver([observation(at: 20)], status: reply)) == false)
        #expect(bench.store.locates.isEmpty)
    }

    @Test func `a location request expires`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.wait(10)
        _ = bench.locate(1, as: ben)
        bench.wait(Int(Limits.locateWaitSeconds))
        #expect(tell(&bench, DeviceStatus())?.requestsLocation == true)
        bench.wait(1)
        #expect(tell(&bench, DeviceStatus())?.requestsLocation == false)
    }

    @Test func `a viewer can ask once a minute, and the person sees who asked`() {
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

    @Test func `only viewers of a position may request it`() {
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
