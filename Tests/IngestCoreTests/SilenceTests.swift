import Dialects
import Model
import Testing

@testable import IngestCore

@Suite struct SilenceTests {
    private func policy(_ number: UInt64, silence: Int32 = 1800) -> EventBody {
        .policyChanged(
            ReportingPolicy(
                person: person(number), device: device(number), mode: .significant,
                intervalSeconds: 180, maxSilenceSeconds: silence))
    }

    /// The phone of a person reports, and says by which mark it goes.
    @discardableResult
    private func report(_ bench: inout Bench, _ number: UInt64 = 1, mark: String? = nil)
        -> PolicyView?
    {
        bench.wait(1)
        let seconds = (bench.now - start).microseconds / 1_000_000
        guard
            case .reports(let answer) = bench.deliver(
                [observation(at: seconds)], from: number, of: number, policyMark: mark)
        else { return nil }
        return answer.policy
    }

    /// A phone that goes by a hint.
    private func hinted(_ bench: inout Bench, _ number: UInt64 = 1, silence: Int32 = 1800) {
        report(&bench, number)
        bench.compute(policy(number, silence: silence))
        let mark = report(&bench, number)?.mark
        report(&bench, number, mark: mark)
    }

    private func terms(_ bench: Bench) -> [Int32?] {
        bench.bodies(.inputSilenceTerms).map {
            if case .inputSilenceTerms(let terms) = $0 { terms.maxSilenceSeconds } else { nil }
        }
    }

    private func news(
        _ number: UInt64, _ state: SilenceState, _ bench: Bench, end: SilenceEnd? = nil
    ) -> SilenceNews {
        SilenceNews(
            person: person(number), device: device(number), state: state, at: bench.now,
            since: bench.now - .seconds(1800), maxSilenceSeconds: 1800, isWatched: false, end: end)
    }

    private func quiet(_ bench: inout Bench, _ number: UInt64) {
        bench.compute(.silenceQuiet(news(number, .quiet, bench)))
    }

    private func heard(_ bench: inout Bench, _ number: UInt64) {
        bench.compute(.silenceEnded(news(number, .quiet, bench, end: .heard)))
    }

    private func holds(_ bench: Bench) -> [Bool] {
        bench.bodies(.inputSilenceHold).map {
            if case .inputSilenceHold(let hold) = $0 { hold.isHeld } else { false }
        }
    }

    // MARK: Who goes by hints

    @Test func `the evaluator hears once that a phone goes by a hint, and of another silence`() {
        var bench = Bench()
        report(&bench)
        bench.compute(policy(1))
        let mark = report(&bench)?.mark
        #expect(terms(bench) == [], "told is not taken")
        report(&bench, mark: mark)
        report(&bench, mark: mark)
        report(&bench)
        #expect(terms(bench) == [1800])
        bench.restart()
        report(&bench, mark: mark)
        #expect(terms(bench) == [1800])
        bench.compute(policy(1, silence: 180))
        let next = report(&bench, mark: mark)?.mark
        #expect(terms(bench) == [1800], "still by the one before")
        report(&bench, mark: next)
        #expect(terms(bench) == [1800, 180])
    }

    @Test func `a phone that goes by none of ours is not missed any more`() {
        var bench = Bench()
        hinted(&bench)
        report(&bench, mark: "its own way")
        report(&bench, mark: "its own way")
        #expect(terms(bench) == [1800, nil])
    }

    @Test func `a phone that is told of a longer silence may keep it before it says so`() {
        var bench = Bench()
        hinted(&bench, silence: 180)
        bench.compute(policy(1, silence: 1800))
        let next = report(&bench)?.mark
        #expect(terms(bench) == [180, 1800])
        report(&bench, mark: next)
        #expect(terms(bench) == [180, 1800])
    }

    @Test func `an OwnTracks phone is missed while it moves for us, not once it may stand`() {
        var bench = Bench()
        func say(_ mode: Int) {
            bench.wait(1)
            let seconds = (bench.now - start).microseconds / 1_000_000
            let monitoring = Monitoring(mode: mode, said: bench.now)
            bench.deliver(
                [observation(at: seconds)], news: PhoneNews(monitoring: monitoring),
                ownTracks: .android)
        }
        say(1)
        bench.compute(policy(1))
        for _ in 0..<3 { say(1) }
        #expect(terms(bench) == [])
        func watch(_ state: WatchState) -> EventBody {
            .watchChanged(
                Watch(
                    id: WatchID(ID128(high: 8, low: 1)), person: person(1), started: bench.now,
                    deadline: bench.now + .seconds(600), state: state))
        }
        bench.fire(watch(.active))
        for mode in [1, 2, 2] { say(mode) }
        #expect(terms(bench) == [180])
        bench.fire(watch(.ended))
        say(2)
        #expect(terms(bench) == [180, nil], "it may stand still from here on")
        for mode in [2, 1, 1] { say(mode) }
        #expect(terms(bench) == [180, nil])
    }

    @Test func `a hint that is old when it is confirmed counts as long as it is gone by`() {
        var bench = Bench()
        report(&bench)
        bench.compute(policy(1, silence: 600))
        let mark = report(&bench)?.mark
        bench.compute(policy(1, silence: 900))
        report(&bench, mark: mark)
        #expect(terms(bench) == [900], "the next one allows more, and was told")
    }

    @Test func `who is gone is missed by nobody`() {
        var bench = Bench()
        hinted(&bench)
        quiet(&bench, 1)
        bench.change(.personRemoved(PersonRemoval(person: person(1))))
        #expect(bench.store.terms.isEmpty && bench.store.silences.isEmpty)
    }

    @Test func `a phone that brings nothing new is heard, if it would be missed`() {
        var bench = Bench()
        bench.deliver([], from: 1)
        #expect(bench.bodies(.inputContact).isEmpty)
        hinted(&bench)
        bench.deliver([], from: 1)
        bench.deliver([], from: 1)
        let contacts = bench.input.filter { $0.event.kind == .inputContact }
        #expect(contacts.count == 2)
        #expect(Set(contacts.map(\.event.id)).count == 2)
    }

    @Test func `a last will is no sign of a phone, whatever brings it`() {
        var bench = Bench()
        hinted(&bench)
        quiet(&bench, 1)
        let heard = bench.core.device(device(1))?.seen
        var will = PhoneNews()
        will.isLastWill = true
        bench.wait(10)
        bench.deliver([], news: will, ownTracks: .android)
        #expect(bench.bodies(.inputContact).isEmpty && bench.core.silentCount == 1)
        #expect(bench.core.device(device(1))?.seen == heard)
        let card = PhoneNews(card: Card(name: "Anna"))
        bench.deliver([], news: card, ownTracks: .iOS, wasKept: true)
        #expect(bench.bodies(.inputContact).isEmpty, "a broker tells it at each connection")
        #expect(bench.core.device(device(1))?.seen == heard && bench.core.silentCount == 1)
        bench.deliver([], news: PhoneNews(), ownTracks: .android)
        #expect(bench.bodies(.inputContact).count == 1)
    }

    @Test func `a position that comes with a last will is kept, also of a new phone`() {
        var bench = Bench()
        var will = PhoneNews()
        will.isLastWill = true
        bench.deliver([observation(at: -60, lat: 7)], news: will, ownTracks: .android)
        #expect(bench.reports.map(\.fix.position.latitudeE7) == [7])
        #expect(bench.core.device(device(1)) != nil)
    }

    @Test func `a watch is told when it begins, is extended and ends`() {
        var bench = Bench()
        func watch(_ state: WatchState, seconds: Int64 = 600) -> EventBody {
            .watchChanged(
                Watch(
                    id: WatchID(ID128(high: 8, low: 1)), person: person(1), started: start,
                    deadline: start + .seconds(seconds), state: state))
        }
        for body in [
            watch(.active), watch(.active), watch(.reminded), watch(.active, seconds: 900),
        ]
            + [watch(.ended), watch(.ended)]
        {
            bench.fire(body)
        }
        let told = bench.bodies(.inputWatch).map { body -> Timestamp? in
            if case .inputWatch(let span) = body { span.until } else { .zero }
        }
        #expect(told == [start + .seconds(720), start + .seconds(1020), nil])
    }

    @Test func `only the person says that they are all right`() {
        var bench = Bench()
        func say(_ principal: Principal) -> Answer? {
            bench.handle(
                .allRight(
                    AllRightRequest(
                        request: 77, principal: principal, person: person(1),
                        cause: ID128(high: 9, low: 9))))
            return bench.answers[77]
        }
        #expect(say(.person(person(1))) == .allRight(at: bench.now))
        #expect(bench.bodies(.inputContact).count == 1)
        #expect(say(.person(person(2))) == .denied(.notYours))
        #expect(bench.bodies(.inputContact).count == 1)
    }

    // MARK: Deafness

    @Test func `what was missed while ingest was away is told before anything else`() throws {
        var bench = Bench()
        hinted(&bench)
        let from = bench.now
        bench.restart()
        bench.wait(600)
        let before = bench.input.count
        report(&bench)
        let first = try #require(bench.input.dropFirst(before).first)
        #expect(
            first.event.body == .inputDeafness(Deafness(from: from, to: from + .seconds(601))))
        #expect(first.partition == Partition.of(person(1)))
        report(&bench)
        #expect(bench.bodies(.inputDeafness).count == 1)
    }

    @Test func `a short absence, and one that nobody minds, is not told`() {
        var bench = Bench()
        report(&bench)
        bench.restart()
        bench.wait(6000)
        report(&bench)
        hinted(&bench)
        bench.restart()
        bench.wait(5)
        report(&bench)
        #expect(bench.bodies(.inputDeafness).isEmpty)
    }

    @Test func `an idle ingest receives, and says so by writing down the time`() {
        var bench = Bench()
        hinted(&bench)
        for _ in 0..<60 {
            bench.wait(61)
            bench.endTurns()
        }
        let heard = bench.now
        bench.restart()
        bench.wait(20)
        bench.endTurns()
        let told = bench.bodies(.inputDeafness)
        #expect(told == [.inputDeafness(Deafness(from: heard, to: bench.now))])
    }

    // MARK: The suite's own deafness

    /// So many phones that go by hints.
    private func crowd(_ count: UInt64) -> Bench {
        var bench = Bench()
        for number in 1...count {
            bench.change(.personChanged(Person(id: person(number), name: "P\(number)")))
            bench.change(
                .deviceChanged(Device(id: device(number), person: person(number), name: "phone")))
            hinted(&bench, number)
        }
        return bench
    }

    @Test func `five of twenty that fall silent together are the suite's deafness`() {
        var bench = crowd(20)
        for number in 1...4 as ClosedRange<UInt64> { quiet(&bench, number) }
        #expect(bench.core.silenceHeldSince == nil)
        quiet(&bench, 5)
        #expect(bench.core.silenceHeldSince != nil)
        let partitions = Set(bench.input.map(\.partition))
        #expect(holds(bench) == Array(repeating: true, count: partitions.count))
        bench.restart()
        heard(&bench, 5)
        #expect(bench.core.silenceHeldSince == nil)
        #expect(holds(bench).suffix(partitions.count).allSatisfy { !$0 })
    }

    @Test func `five of thirty, or five one after the other, are silent by themselves`() {
        var many = crowd(30)
        for number in 1...5 as ClosedRange<UInt64> { quiet(&many, number) }
        #expect(many.core.silenceHeldSince == nil)
        var slow = crowd(20)
        for number in 1...10 as ClosedRange<UInt64> {
            quiet(&slow, number)
            slow.wait(240)
        }
        #expect(slow.core.silenceHeldSince == nil)
    }

    @Test func `all of four are too few to tell`() {
        var bench = crowd(4)
        for number in 1...4 as ClosedRange<UInt64> { quiet(&bench, number) }
        #expect(bench.core.silenceHeldSince == nil)
    }

    @Test func `those that stay away for an hour are silent by themselves`() {
        var bench = crowd(20)
        for number in 1...6 as ClosedRange<UInt64> { quiet(&bench, number) }
        bench.wait(3000)
        bench.endTurns()
        #expect(bench.core.silenceHeldSince != nil)
        bench.wait(700)
        bench.endTurns()
        #expect(bench.core.silenceHeldSince == nil)
        bench.endTurns()
        #expect(bench.core.silenceHeldSince == nil)
    }

    // MARK: What others see

    @Test func `a position says how far the silence has come`() throws {
        var bench = Bench()
        hinted(&bench)
        func shown() throws -> MemberPosition {
            guard
                case .positions(let members) = bench.positions(
                    of: circle(1), as: .person(person(1)))
            else { throw Missing() }
            return try #require(members.first { $0.person == person(1) })
        }
        #expect(try shown().silence == nil)
        quiet(&bench, 1)
        bench.compute(.silenceOverdue(news(1, .overdue, bench)))
        #expect(try shown().silence == .overdue)
        #expect(try shown().silentSince == bench.now - .seconds(1800))
        bench.restart()
        #expect(try shown().silence == .overdue)
        heard(&bench, 1)
        #expect(try shown().silence == nil)
    }

    private struct Missing: Error {}
}
