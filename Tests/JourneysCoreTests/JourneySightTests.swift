import Directory
import Model
import Testing

@testable import JourneysCore

@Suite struct `Others see of a journey` {
    private let id = JourneyID(ID128(high: 70, low: 1))

    /// Anna travels in circle 1 with guardian Cho, and in circle 2 with Dan.
    private func travelling(_ anna: Membership = member(1, .admin)) -> Bench {
        var bench = Bench()
        bench.change(aCircle(1, [anna, member(2), member(3, .guardian)]))
        bench.journey(.start(id, name: ""))
        bench.endTurn()
        return bench
    }

    private func change(_ bench: inout Bench, _ anna: Membership, wait seconds: Int = 10) {
        bench.wait(seconds)
        bench.change(aCircle(1, [anna, member(2), member(3, .guardian)]))
        bench.endTurn()
    }

    /// Seconds after `start`.
    private func windows(
        _ bench: Bench, of viewer: Principal = .person(person(3))
    ) throws -> [[Int64]] {
        let span = try #require(bench.store.journeys[person(1)]?.last)
        let found = try JourneyViewer(
            of: person(1), for: viewer, in: bench.directory, at: bench.now)
        let sights = bench.store.sights[span.number] ?? []
        return try #require(found).windows(of: span, sights).map { window in
            [window.from, window.to].map {
                $0 == .distantFuture ? -1 : ($0 - start).microseconds / 1_000_000
            }
        }
    }

    @Test func `all that was shared`() throws {
        #expect(try windows(travelling()) == [[0, -1]])
        var bench = travelling()
        bench.wait(60)
        bench.journey(.stop, 1)
        #expect(try windows(bench) == [[0, 60]])
        #expect(try windows(bench, of: .person(person(1))) == [[0, 60]], "the person themselves")
    }

    @Test func `nothing while sharing was off, paused or limited to zones`() throws {
        for hidden in [
            member(1, .admin, sharing: .off), member(1, .admin, precision: .zone),
            member(1, .admin, sharing: .pausedUntil(start + .seconds(1000))),
        ] {
            var bench = travelling()
            change(&bench, hidden)
            #expect(throws: Denial.notSharing) { try windows(bench) }
            #expect(try windows(bench, of: .person(person(1))) == [[0, -1]])
            change(&bench, member(1, .admin))
            #expect(try windows(bench) == [[0, 10], [20, -1]])
            bench.restart()
            change(&bench, member(1, .admin))
            #expect(try windows(bench) == [[0, 10], [20, -1]])
        }
    }

    @Test func `what follows a pause that ends by itself`() throws {
        var bench = travelling()
        change(&bench, member(1, .admin, sharing: .pausedUntil(start + .seconds(50))))
        bench.wait(100)
        bench.endTurn()
        #expect(try windows(bench) == [[0, 10], [50, -1]])
        change(&bench, member(1, .admin, sharing: .off))
        change(&bench, member(1, .admin))
        #expect(
            try windows(bench) == [[0, 10], [50, 120], [130, -1]].map { $0.map { Int64($0) } })
    }

    @Test func `the time since both joined the shared circle`() throws {
        var bench = travelling(member(1, .admin, sharing: .off))
        #expect(try windows(bench, of: .person(person(4))) == [[0, -1]], "Dan, in circle 2")
        #expect(throws: Denial.notSharing) { try windows(bench) }
        bench.wait(30)
        var late = member(3, .guardian)
        late.joined = bench.now
        bench.change(aCircle(1, [member(1, .admin), late]))
        bench.endTurn()
        #expect(try windows(bench) == [[30, -1]])
    }

    @Test func `nothing to the phone of another member, whose secret may be in an address`() throws
    {
        let bench = travelling()
        let phone = DeviceID(ID128(high: 2, low: 3))
        let other = try JourneyViewer(
            of: person(1), for: .device(phone, of: person(3)), in: bench.directory, at: bench.now)
        #expect(other == nil)
        let own = try JourneyViewer(
            of: person(1), for: .device(phone, of: person(1)), in: bench.directory, at: bench.now)
        #expect(own?.isOwn == true)
    }

    @Test func `nothing if they are in no circle with the person, or their role forbids it`()
        throws
    {
        let bench = travelling()
        let eve = try JourneyViewer(
            of: person(1), for: .person(person(5)), in: bench.directory, at: start)
        #expect(eve == nil)
        let nobody = try JourneyViewer(
            of: person(77), for: .operator, in: bench.directory, at: start)
        #expect(nobody == nil)
        var strict = travelling()
        strict.change(
            aCircle(1, [member(1, .admin), member(2)], seePositions: false))
        #expect(throws: Denial.circleSetting) {
            try windows(strict, of: .person(person(2)))
        }
    }

    @Test func `changes from their own time, not from their receipt`() throws {
        var bench = travelling()
        bench.wait(100)
        let off = aCircle(1, [member(1, .admin, sharing: .off), member(3, .guardian)])
        bench.handle(.directoryChanging(off, at: start + .seconds(40)))
        bench.directory.apply(off)
        bench.endTurn()
        change(&bench, member(1, .admin))
        #expect(try windows(bench) == [[0, 40], [110, -1]])
    }
}
