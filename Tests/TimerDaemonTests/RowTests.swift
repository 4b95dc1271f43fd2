import Directory
import Model
import Store
import TestSupport
import Testing
import TimerCore

@testable import TimerDaemon

@Suite struct `The timer's store` {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(
            path: folder.file("store.sqlite"), migrations: Tables.migrations)
    }

    private func clock(_ number: UInt64, due second: Int64) -> WantedClock {
        WantedClock(
            id: ClockID(ID128(high: 1, low: number)), rule: .tier,
            person: PersonID(ID128(high: 2, low: 2)),
            emergency: EmergencyID(ID128(high: 3, low: 3)), subject: "cir_x",
            due: Timestamp(seconds: second))
    }

    private func watch(
        _ number: UInt64, by person: UInt64 = 1, started second: Int64,
        _ state: WatchState = .active
    ) -> TimedWatch {
        let start = Timestamp(seconds: second)
        return TimedWatch(
            watch: Watch(
                id: WatchID(ID128(high: 4, low: number)),
                person: PersonID(ID128(high: 2, low: person)), started: start,
                deadline: start + .seconds(600), graceSeconds: 60, note: "n", state: state,
                trace: "t", version: 3),
            reminder: start + .seconds(540))
    }

    @Test func `keeps who can be reached, and what a vigil knows`() throws {
        let rows = ReachabilityRows(database: database)
        #expect(try rows.all().gateways == nil)
        let number = ContactPoint(
            id: ContactID(.zero), channel: .sms, address: "+15550100")
        let gateway = GatewayState(
            name: "kannel", kind: .external, channels: [.sms], failing: Timestamp(seconds: 7))
        try rows.save(
            ReachabilityNews(
                gateways: [gateway],
                contacts: [ContactPointState(contact: number.key, problem: .dead)]))
        #expect(try rows.all().gateways == [gateway])
        #expect(try rows.all().problems == [number.key: .dead])
        try rows.save(
            ReachabilityNews(contacts: [ContactPointState(contact: number.key, problem: nil)]))
        #expect(try rows.all().problems.isEmpty && rows.all().gateways?.count == 1)
        let vigils = VigilRows(database: database)
        let vigil = Vigil(
            emergency: EmergencyID(ID128(high: 3, low: 1)), person: PersonID(.zero),
            countdownEnds: .zero, state: .told, due: .zero, heard: .zero,
            messages: [1, 2].map { NotificationID(ID128(high: 5, low: $0)) }, isAnswered: true)
        try vigils.save(vigil)
        #expect(try vigils.all() == [vigil])
    }

    @Test func `fires a clock once and tells it whole`() throws {
        let rows = ClockRows(database: database)
        let clock = clock(1, due: 100)
        try rows.save(clock, trace: "request-1")
        #expect(try rows.pending().map(\.due) == [clock.due])
        let now = Timestamp(seconds: 130)
        let event = try #require(try rows.fire(clock.id, late: true, at: now))
        #expect(event.body == .clockFired(FiredClock(clock: clock, fired: now, late: true)))
        #expect(event.trace == "request-1" && event.time == now)
        #expect(try rows.fire(clock.id, late: true, at: now) == nil)
        #expect(try rows.pending().isEmpty)
        #expect(try rows.fired(since: now, limit: 10) == [event])
    }

    @Test func `keeps one row a clock, with the end asked for last, until it has fired`() throws {
        let rows = ClockRows(database: database)
        try rows.save(clock(1, due: 100), trace: "")
        try rows.save(clock(1, due: 200), trace: "")
        #expect(try rows.pending().map(\.due) == [Timestamp(seconds: 200)])
        let id = clock(1, due: 0).id
        _ = try rows.fire(id, late: false, at: Timestamp(seconds: 200))
        try rows.save(clock(1, due: 300), trace: "")
        try rows.remove(id)
        #expect(try rows.pending().isEmpty)
        #expect(try rows.fired(since: .zero, limit: 10).count == 1)
        #expect(try rows.fire(clock(2, due: 0).id, late: false, at: .zero) == nil)
    }

    @Test func `lists the latest fired clocks, oldest first, and forgets old ones in portions`()
        throws
    {
        let rows = ClockRows(database: database)
        for number: UInt64 in 1...5 {
            try rows.save(clock(number, due: 0), trace: "")
            _ = try rows.fire(
                clock(number, due: 0).id, late: false, at: Timestamp(seconds: Int64(number)))
        }
        let latest = try rows.fired(since: .zero, limit: 2).map(\.time.seconds)
        #expect(latest == [4, 5])
        #expect(try rows.removeFired(before: Timestamp(seconds: 4), limit: 2) == 2)
        #expect(try rows.removeFired(before: Timestamp(seconds: 4), limit: 2) == 1)
        #expect(try rows.fired(since: .zero, limit: 10).map(\.time.seconds) == [4, 5])
    }

    @Test func `gives back watches as they were kept`() throws {
        let rows = WatchRows(database: database)
        var timed = watch(1, started: 1000)
        try rows.save(timed, at: Timestamp(seconds: 1000))
        timed.watch.deadline = timed.watch.deadline + .seconds(60)
        timed.watch.state = .reminded
        timed.watch.version += 1
        timed.watch.note = nil
        try rows.save(timed, at: Timestamp(seconds: 1001))
        try rows.save(watch(2, started: 1000, .ended), at: Timestamp(seconds: 1002))
        try rows.save(watch(3, started: 1000, .expired), at: Timestamp(seconds: 1003))
        #expect(try rows.find(timed.watch.id) == timed)
        #expect(try rows.find(WatchID(.zero)) == nil)
        #expect(try rows.running() == [timed])
        let expired = try rows.expired(since: Timestamp(seconds: 1003))
        #expect(expired.map(\.timed) == [watch(3, started: 1000, .expired)])
        #expect(try rows.expired(since: Timestamp(seconds: 1004)).isEmpty)
    }

    @Test func `forgets watches that are over, never those that run`() throws {
        let rows = WatchRows(database: database)
        for (number, state) in WatchState.allCases.enumerated() {
            try rows.save(watch(UInt64(number), started: 0, state), at: .zero)
        }
        #expect(try rows.removeOver(before: Timestamp(seconds: 1), limit: 100) == 3)
        #expect(try rows.running().count == 2)
        try rows.removeAll(of: PersonID(ID128(high: 2, low: 1)))
        #expect(try rows.running().isEmpty)
    }

    @Test func `lists watches the newest first, page by page, without repeating one`() throws {
        let rows = WatchRows(database: database)
        for number: UInt64 in 0..<10 {
            try rows.save(
                watch(number, by: number % 2, started: Int64(number / 3)), at: .zero)
        }
        var seen: [WatchID] = []
        var mark: WatchMark?
        while true {
            let page = try rows.list(of: nil, after: mark, limit: 4)
            guard let last = page.last?.watch else { break }
            seen += page.map(\.watch.id)
            mark = WatchMark(WatchMark(started: last.started, id: last.id).text)
        }
        #expect(seen.map(\.raw.low) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
        let own = try rows.list(of: PersonID(ID128(high: 2, low: 1)), after: nil, limit: 10)
        #expect(own.map(\.watch.id.raw.low) == [9, 7, 5, 3, 1])
        #expect(WatchMark("12.nothing") == nil && WatchMark("") == nil)
    }

    @Test func `gives back vigils as they were kept`() throws {
        let rows = VigilRows(database: database)
        var vigil = Vigil(
            emergency: EmergencyID(ID128(high: 1, low: 1)), person: PersonID(.zero),
            countdownEnds: Timestamp(seconds: 10), state: .waiting, due: Timestamp(seconds: 25),
            heard: Timestamp(seconds: 2))
        try rows.save(vigil)
        #expect(try rows.all() == [vigil])
        vigil.state = .alarmed
        vigil.told = Timestamp(seconds: 7)
        vigil.joined = EmergencyID(ID128(high: 1, low: 9))
        vigil.isOpened = true
        vigil.calls = 2
        vigil.isCallAccepted = true
        vigil.due = .distantFuture
        try rows.save(vigil)
        #expect(try rows.all() == [vigil])
        try rows.remove(vigil.emergency)
        #expect(try rows.all().isEmpty)
    }

    @Test func `brings the core back as it was`() throws {
        let clocks = ClockRows(database: database)
        let watches = WatchRows(database: database)
        for number: UInt64 in 0..<50 {
            try clocks.save(clock(number, due: Int64(number)), trace: "")
        }
        try watches.save(watch(1, started: 0), at: .zero)
        var core = TimerCore(settings: .init(), started: .zero)
        core.load(
            clocks: try clocks.pending(), watches: try watches.running(),
            vigils: try VigilRows(database: database).all())
        #expect(core.pendingClockCount == 50 && core.activeWatchCount == 1)
        #expect(core.nextDeadline == .zero)
    }
}
