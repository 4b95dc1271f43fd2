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

    private func deadline(_ number: UInt64, due second: Int64) -> Deadline {
        Deadline(
            id: DeadlineID(ID128(high: 1, low: number)), kind: .tier,
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

    @Test func `stores reachability and watchdogs`() throws {
        let rows = ReachabilityRows(database: database)
        #expect(try rows.all().gateways == nil)
        let number = ContactPoint(
            id: ContactID(.zero), channel: .sms, address: "+15550100", verified: .zero)
        let gateway = GatewayState(
            name: "kannel", kind: .external, channels: [.sms], failing: Timestamp(seconds: 7))
        try rows.save(
            ReachabilityChange(
                gateways: [gateway],
                contacts: [ContactPointState(contact: number.key, problem: .dead)]))
        #expect(try rows.all().gateways == [gateway])
        #expect(try rows.all().problems == [number.key: .dead])
        try rows.save(
            ReachabilityChange(contacts: [ContactPointState(contact: number.key, problem: nil)]))
        #expect(try rows.all().problems.isEmpty && rows.all().gateways?.count == 1)
        let deliveryWatchdogs = DeliveryWatchdogRows(database: database)
        let deliveryWatchdog = DeliveryWatchdog(
            emergency: EmergencyID(ID128(high: 3, low: 1)), person: PersonID(.zero),
            countdownEnds: .zero, state: .notified, due: .zero, received: .zero,
            messages: [1, 2].map { NotificationID(ID128(high: 5, low: $0)) }, isAnswered: true)
        try deliveryWatchdogs.save(deliveryWatchdog)
        #expect(try deliveryWatchdogs.all() == [deliveryWatchdog])
    }

    @Test func `expires a deadline once with all its fields`() throws {
        let rows = DeadlineRows(database: database)
        let deadline = deadline(1, due: 100)
        try rows.save(deadline, trace: "request-1")
        #expect(try rows.pending().map(\.due) == [deadline.due])
        let now = Timestamp(seconds: 130)
        let event = try #require(try rows.expire(deadline.id, late: true, at: now))
        #expect(
            event.body
                == .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: now, late: true)))
        #expect(event.trace == "request-1" && event.time == now)
        #expect(try rows.expire(deadline.id, late: true, at: now) == nil)
        #expect(try rows.pending().isEmpty)
        #expect(try rows.expired(since: now, limit: 10) == [event])
    }

    @Test func `keeps one row for each deadline, with the last due time, until its expiry`() throws
    {
        let rows = DeadlineRows(database: database)
        try rows.save(deadline(1, due: 100), trace: "")
        try rows.save(deadline(1, due: 200), trace: "")
        #expect(try rows.pending().map(\.due) == [Timestamp(seconds: 200)])
        let id = deadline(1, due: 0).id
        _ = try rows.expire(id, late: false, at: Timestamp(seconds: 200))
        try rows.save(deadline(1, due: 300), trace: "")
        try rows.remove(id)
        #expect(try rows.pending().isEmpty)
        #expect(try rows.expired(since: .zero, limit: 10).count == 1)
        #expect(try rows.expire(deadline(2, due: 0).id, late: false, at: .zero) == nil)
    }

    @Test
    func `lists the latest expired deadlines, oldest first, and deletes old ones in portions`()
        throws
    {
        let rows = DeadlineRows(database: database)
        for number: UInt64 in 1...5 {
            try rows.save(deadline(number, due: 0), trace: "")
            _ = try rows.expire(
                deadline(number, due: 0).id, late: false, at: Timestamp(seconds: Int64(number)))
        }
        let latest = try rows.expired(since: .zero, limit: 2).map(\.time.seconds)
        #expect(latest == [4, 5])
        #expect(try rows.removeExpired(before: Timestamp(seconds: 4), limit: 2) == 2)
        #expect(try rows.removeExpired(before: Timestamp(seconds: 4), limit: 2) == 1)
        #expect(try rows.expired(since: .zero, limit: 10).map(\.time.seconds) == [4, 5])
    }

    @Test func `returns watches as saved`() throws {
        let rows = WatchRows(database: database)
        var timed = watch(1, started: 1000)
        try rows.save(timed, at: Timestamp(seconds: 1000))
        timed.watch.deadline = timed.watch.deadline + .seconds(60)
        timed.watch.state = .reminded
        timed.watch.version += 1
        timed.watch.note = nil
        timed.watch.destination = ZoneID(ID128(high: 4, low: 1))
        timed.watch.recipients = [1, 2].map { PersonID(ID128(high: 2, low: $0)) }
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

    @Test func `deletes ended watches, never running ones`() throws {
        let rows = WatchRows(database: database)
        for (number, state) in WatchState.allCases.enumerated() {
            try rows.save(watch(UInt64(number), started: 0, state), at: .zero)
        }
        #expect(try rows.removeOver(before: Timestamp(seconds: 1), limit: 100) == 4)
        #expect(try rows.running().count == 2)
        try rows.removeAll(of: PersonID(ID128(high: 2, low: 1)))
        #expect(try rows.running().isEmpty)
    }

    @Test func `lists watches newest first, page by page, without repetition`() throws {
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

    @Test func `returns watchdogs as saved`() throws {
        let rows = DeliveryWatchdogRows(database: database)
        var deliveryWatchdog = DeliveryWatchdog(
            emergency: EmergencyID(ID128(high: 1, low: 1)), person: PersonID(.zero),
            countdownEnds: Timestamp(seconds: 10), state: .waiting, due: Timestamp(seconds: 25),
            received: Timestamp(seconds: 2))
        try rows.save(deliveryWatchdog)
        #expect(try rows.all() == [deliveryWatchdog])
        deliveryWatchdog.state = .alarmed
        deliveryWatchdog.lastAccepted = Timestamp(seconds: 7)
        deliveryWatchdog.joined = EmergencyID(ID128(high: 1, low: 9))
        deliveryWatchdog.isOpened = true
        deliveryWatchdog.calls = 2
        deliveryWatchdog.isCallAccepted = true
        deliveryWatchdog.due = .distantFuture
        try rows.save(deliveryWatchdog)
        #expect(try rows.all() == [deliveryWatchdog])
        try rows.remove(deliveryWatchdog.emergency)
        #expect(try rows.all().isEmpty)
    }

    @Test func `restores the core`() throws {
        let deadlines = DeadlineRows(database: database)
        let watches = WatchRows(database: database)
        for number: UInt64 in 0..<50 {
            try deadlines.save(deadline(number, due: Int64(number)), trace: "")
        }
        try watches.save(watch(1, started: 0), at: .zero)
        var core = TimerCore(settings: .init(), started: .zero)
        core.load(
            deadlines: try deadlines.pending(), watches: try watches.running(),
            deliveryWatchdogs: try DeliveryWatchdogRows(database: database).all())
        #expect(core.pendingDeadlineCount == 50 && core.activeWatchCount == 1)
        #expect(core.nextDeadline == .zero)
    }
}
