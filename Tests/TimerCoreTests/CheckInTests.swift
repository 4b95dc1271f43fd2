import Model
import Testing
import Timing

@testable import TimerCore

/// Timelines start on Friday, 2027-01-15, 08:00 UTC.
@Suite struct `A check-in` {
    private let minute = 60
    private let schedule = CheckInScheduleID(ID128(high: 7, low: 1))

    private func draft(
        _ rule: CheckInSchedule.Rule, exceptions: [Int32] = [], answerMinutes: Int = 5,
        isActive: Bool = true
    ) -> ScheduleDraft {
        ScheduleDraft(
            schedule: CheckInSchedule(
                id: schedule, person: Some.anna, name: "Evening", rule: rule,
                exceptions: exceptions, recipients: [Some.ben], answerMinutes: answerMinutes,
                isActive: isActive, created: Timeline.time(0)),
            timeZone: "UTC")
    }

    /// Friday 09:00, an hour after the start.
    private let atNine = CheckInSchedule.Rule.times([4 * 1440 + 9 * 60])

    private func line(_ rule: CheckInSchedule.Rule? = nil) -> Timeline {
        var line = Timeline()
        line.zones["UTC"] = TimeZoneRules(offsetSeconds: 0)
        line.at(0, .createSchedule(draft(rule ?? atNine), request: 1))
        return line
    }

    private func answer(_ outcome: SafetyAnswer.Outcome, at second: Int) -> Input {
        .answered(
            SafetyAnswer(person: Some.anna, outcome: outcome, at: Timeline.time(second)))
    }

    @Test func `is asked, asked again after five minutes, and an emergency two minutes later`() {
        var line = line()
        let steps = line.run(until: 2 * 3600)
        #expect(steps.effects.checkIns.map(\.state) == [.asked, .reminded, .expired])
        let published = steps.seconds { if case .publish = $0 { true } else { false } }
        #expect(published == [3600, 3900, 4020, 4020])
        let signal = steps.effects.signals.first
        #expect(steps.effects.signals.count == 1 && signal?.trigger == .watchExpired)
        #expect(signal?.note == "Evening" && signal?.recipients == [Some.ben])
        #expect(line.deliveryWatchdogs.count == 1)
        // The next one is due a week later.
        #expect(line.schedules[schedule]?.next == Timeline.time(3600 + 7 * 86_400))
    }

    @Test func `that is answered raises nothing, and is answered once for all channels`() {
        var line = line()
        _ = line.run(until: 3700)
        #expect(line.at(3700, answer(.safe, at: 3700)).checkIns.map(\.state) == [.answered])
        #expect(line.at(3701, answer(.safe, at: 3701)).isEmpty)
        #expect(line.run(until: 86_400).effects.signals.isEmpty)
    }

    @Test func `answered with the duress PIN looks answered, and is an emergency at once`() {
        var truly = line()
        var underDuress = line()
        _ = truly.run(until: 3700)
        _ = underDuress.run(until: 3700)
        let shown = truly.at(3700, answer(.safe, at: 3700))
        let effects = underDuress.at(3700, answer(.underDuress, at: 3700))
        #expect(effects.shown == shown && truly.schedules == underDuress.schedules)
        #expect(effects.signals.count == 1 && effects.signals.first?.underDuress != nil)
    }

    @Test func `with too many wrong PINs is an emergency at once`() {
        var line = line()
        _ = line.run(until: 3700)
        let effects = line.at(3700, answer(.wrongPINs, at: 3700))
        #expect(effects.checkIns.map(\.state) == [.expired] && effects.signals.count == 1)
        // Without an open check-in they mean nothing.
        #expect(line.at(3800, answer(.wrongPINs, at: 3800)).isEmpty)
    }

    @Test func `is not answered by an answer from before`() {
        var line = line()
        _ = line.run(until: 3700)
        #expect(line.at(3700, answer(.safe, at: 3000)).isEmpty)
        #expect(line.core.schedule(schedule)?.open != nil)
    }

    @Test func `due while the timer is down is asked once at start, marked late`() {
        var line = line(
            .shifts([ZoneWindow(start: 4 * 1440 + 480, end: 4 * 1440 + 960)], everyMinutes: 60))
        line.restart(at: 3 * 3600 + 100)
        let asked = line.run(until: 3 * 3600 + 100).effects.checkIns
        #expect(asked.map(\.state) == [.asked] && asked.map(\.late) == [true])
        #expect(asked.map(\.due) == [Timeline.time(3600)])
        // The time to answer counts from the question.
        #expect(asked.map(\.expires) == [Timeline.time(3 * 3600 + 100 + 420)])
        line.restart(at: 3 * 3600 + 200)
        #expect(line.run(until: 3 * 3600 + 200).isEmpty)
        #expect(line.run(until: 4 * 3600).effects.signals.count == 1)
    }

    @Test func `open while the timer is down becomes one emergency at start`() {
        var line = line()
        _ = line.run(until: 3700)
        line.restart(at: 9000)
        #expect(line.run(until: 9000).effects.signals.map(\.raised) == [Timeline.time(4020)])
        line.restart(at: 9001)
        #expect(line.run(until: 9100).effects.signals.isEmpty)
    }

    @Test func `that became due during an outage waits for the operator`() {
        var line = line()
        _ = line.run(until: 3700)
        line.restart(at: 9000, awaySince: 3700)
        #expect(line.run(until: 9000).effects.signals.isEmpty)
        #expect(line.core.heldWaits.map(\.wait) == [.checkIn(schedule)])
        var dropped = line
        #expect(dropped.at(9010, .drop([.checkIn(schedule)])).checkIns.map(\.state) == [.cancelled])
        #expect(line.at(9010, .release([.checkIn(schedule)])).signals.count == 1)
        #expect(dropped.run(until: 20_000).effects.signals.isEmpty)
    }

    @Test func `of a changed or removed schedule is cancelled, with the PIN`() {
        for isRemoved in [false, true] {
            var line = line()
            line.directory = PersonWithPIN.directory
            _ = line.run(until: 3700)
            func change(_ pin: String?) -> Input {
                isRemoved
                    ? .removeSchedule(schedule, pin: .entered(pin), request: 3)
                    : .replaceSchedule(
                        draft(atNine, isActive: false), pin: .entered(pin), request: 3)
            }
            #expect(line.at(3700, change(nil)).checkIns.isEmpty)
            #expect(line.core.schedule(schedule)?.open != nil)
            var underDuress = line
            let shown = line.at(3710, change("4711"))
            #expect(shown.checkIns.map(\.state) == [.cancelled] && shown.signals.isEmpty)
            let effects = underDuress.at(3710, change("0815"))
            #expect(effects.shown == shown && effects.signals.count == 1)
            #expect(line.run(until: 30 * 86_400).effects.signals.isEmpty)
        }
    }

    @Test func `is rejected if nobody can be notified or no day is left`() {
        var line = Timeline()
        var draft = draft(atNine)
        draft.obstacle = .nobodyElse
        var result = line.at(0, .createSchedule(draft, request: 1))
        #expect(
            result == [.respondToSchedule(1, .rejected(.nobodyReachable(.nobodyElse)))])
        draft.obstacle = nil
        for number in 0..<Limits.schedulesPerPersonMax {
            draft.schedule.id = CheckInScheduleID(ID128(high: 8, low: UInt64(number)))
            result = line.at(0, .createSchedule(draft, request: 1))
        }
        guard case .respondToSchedule(1, .created)? = result.last else {
            Issue.record("unexpected \(result)")
            return
        }
        draft.schedule.id = schedule
        #expect(
            line.at(0, .createSchedule(draft, request: 1))
                == [.respondToSchedule(1, .rejected(.tooMany))])
    }

    @Test func `moves with the time zone of its person`() {
        var line = line()
        line.zones["Asia/Kuala_Lumpur"] = TimeZoneRules(offsetSeconds: 8 * 3600)
        line.at(10, .timeZone(Some.anna, "Asia/Kuala_Lumpur"))
        #expect(line.schedules[schedule]?.next == Timeline.time(3600 - 8 * 3600 + 7 * 86_400))
        line.at(20, .timeZone(Some.ben, "UTC"))
        #expect(line.schedules[schedule]?.timeZone == "Asia/Kuala_Lumpur")
    }

    @Test func `of a removed person is forgotten`() {
        var line = line()
        _ = line.run(until: 3700)
        line.at(3700, .personRemoved(Some.anna))
        #expect(line.schedules.isEmpty && line.run(until: 86_400).isEmpty)
    }
}

/// Wall-clock times in Berlin: clocks go forward on 2027-03-28 at 02:00 and back on 2027-10-31 at
/// 03:00.
@Suite struct `A check-in schedule` {
    private var berlin: TimeZoneRules {
        get throws {
            let rule = "CET-1CEST,M3.5.0,M10.5.0/3"
            var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 39)
            // An empty version-1 block, then a version-2 block with one type and a rule.
            bytes[39] = 1
            bytes[43] = 4
            bytes += [0, 0, 14, 16, 0, 0] + Array("CET\0".utf8)
            bytes += Array("TZif2".utf8) + [UInt8](repeating: 0, count: 34) + [1, 0, 0, 0, 4]
            bytes += [0, 0, 14, 16, 0, 0] + Array("CET\0".utf8)
            bytes += Array("\n\(rule)\n".utf8)
            return try #require(TimeZoneRules(tzif: bytes))
        }
    }

    private func schedule(_ rule: CheckInSchedule.Rule, exceptions: [Int32] = [])
        -> CheckInSchedule
    {
        CheckInSchedule(
            id: CheckInScheduleID(.zero), person: Some.anna, rule: rule, exceptions: exceptions,
            created: .zero)
    }

    /// Every day at a time.
    private func daily(_ minute: Int) -> CheckInSchedule.Rule {
        .times((0..<7).map { $0 * 1440 + minute })
    }

    private func times(
        _ schedule: CheckInSchedule, from text: String, count: Int
    ) throws -> [String] {
        var time = try #require(Timestamp(text))
        var found: [String] = []
        for _ in 0..<count {
            guard let next = schedule.next(after: time, in: try berlin) else { break }
            found.append(String(next.description.prefix(16)))
            time = next
        }
        return found
    }

    @Test func `follows the wall clock over the change of clocks`() throws {
        let found = try times(
            schedule(daily(18 * 60)), from: "2027-03-26T20:00:00Z", count: 3)
        #expect(found == ["2027-03-27T17:00", "2027-03-28T16:00", "2027-03-29T16:00"])
    }

    @Test func `in a gap is due at the first instant after it`() throws {
        let found = try times(
            schedule(daily(2 * 60 + 30)), from: "2027-03-27T12:00:00Z", count: 2)
        #expect(found == ["2027-03-28T01:00", "2027-03-29T00:30"])
    }

    @Test func `at a time that clocks show twice is due once, at the first`() throws {
        let found = try times(
            schedule(daily(2 * 60 + 30)), from: "2027-10-30T12:00:00Z", count: 2)
        #expect(found == ["2027-10-31T00:30", "2027-11-01T01:30"])
    }

    @Test func `leaves out exception dates`() throws {
        let first = try #require(Timestamp("2027-06-02T00:00:00Z"))
        let day = Int32(first.seconds / 86_400)
        let found = try times(
            schedule(daily(18 * 60), exceptions: [day, day + 1]), from: "2027-06-01T00:00:00Z",
            count: 2)
        #expect(found == ["2027-06-01T16:00", "2027-06-04T16:00"])
    }

    @Test func `of shifts asks every so many minutes until the end, over midnight`() throws {
        // Friday 22:00 to 01:00.
        let shift = ZoneWindow(start: 4 * 1440 + 22 * 60, end: 5 * 1440 + 60)
        let found = try times(
            schedule(.shifts([shift], everyMinutes: 60)), from: "2027-06-04T12:00:00Z", count: 4)
        #expect(
            found == [
                "2027-06-04T21:00", "2027-06-04T22:00", "2027-06-04T23:00", "2027-06-11T21:00",
            ])
    }

    @Test func `of a shift over the change of clocks asks in true minutes`() throws {
        // Saturday 22:00 to 06:00, eight hours by the clock, seven in truth.
        let shift = ZoneWindow(start: 5 * 1440 + 22 * 60, end: 6 * 1440 + 6 * 60)
        let found = try times(
            schedule(.shifts([shift], everyMinutes: 120)), from: "2027-03-27T12:00:00Z", count: 3)
        #expect(found == ["2027-03-27T23:00", "2027-03-28T01:00", "2027-03-28T03:00"])
    }

    @Test func `finds a day behind as many exceptions as are allowed`() throws {
        let first = try #require(Timestamp("2027-06-02T00:00:00Z"))
        let day = Int32(first.seconds / 86_400)
        // Each Wednesday for 400 weeks.
        let exceptions = (0..<Int32(Limits.exceptionsMax)).map { day + 7 * $0 }
        let found = try times(
            schedule(.times([2 * 1440 + 600]), exceptions: exceptions),
            from: "2027-06-01T00:00:00Z", count: 1)
        #expect(found.count == 1 && found[0].hasPrefix("2035-01"))
    }
}
