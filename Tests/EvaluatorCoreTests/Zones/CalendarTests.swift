import Model
import TestSupport
import Testing

@testable import EvaluatorCore

/// Wall clocks, windows and days.
@Suite struct CalendarTests {
    /// Berlin: an hour is skipped on 2026-03-29 at 01:00 UTC and repeated on 2026-10-25.
    private static let berlin = ZoneClock(
        timeZone: "Europe/Berlin", firstOffset: 3600,
        offsets: [
            ZoneOffset(at: time("2026-03-29T01:00:00Z").seconds, offset: 7200),
            ZoneOffset(at: time("2026-10-25T01:00:00Z").seconds, offset: 3600),
        ])

    private static func time(_ text: String) -> Timestamp {
        guard let time = Timestamp(text) else { fatalError("\(text) is no time") }
        return time
    }

    /// - Parameters:
    ///   - day: 0 = Monday.
    ///   - from: minutes of that day.
    ///   - to: minutes of that day; larger if it ends on a later one.
    private static func window(_ day: Int, _ from: Int, _ to: Int) -> ZoneWindow {
        ZoneWindow(start: day * 1440 + from, end: day * 1440 + to)
    }

    private static func calendar(
        _ windows: [ZoneWindow], except days: [String] = []
    ) -> ZoneCalendar {
        let exceptions = days.map { Int32(time($0 + "T00:00:00Z").seconds / 86_400) }
        return ZoneCalendar(
            clock: berlin, schedule: ZoneSchedule(windows: windows, exceptions: exceptions))
    }

    @Test func `a window is open from its first second to its last`() {
        // Mondays from 08:00 to 14:00, an hour before UTC in winter.
        let calendar = Self.calendar([Self.window(0, 480, 840)])
        for (text, isOpen) in [
            ("2026-01-05T06:59:59.999Z", false), ("2026-01-05T07:00:00Z", true),
            ("2026-01-05T12:59:59.999Z", true), ("2026-01-05T13:00:00Z", false),
            ("2026-01-06T08:00:00Z", false), ("2026-07-06T06:00:00Z", true),
            ("2026-07-06T05:59:59Z", false), ("2026-07-06T12:00:00Z", false),
        ] {
            #expect(calendar.isOpen(at: Self.time(text)) == isOpen, "\(text)")
        }
        let sunday = Self.time("2026-01-04T12:00:00Z")
        #expect(calendar.opening(after: sunday) == Self.time("2026-01-05T07:00:00Z"))
        let open = Self.time("2026-01-05T07:00:00Z")
        #expect(calendar.closing(after: open) == Self.time("2026-01-05T13:00:00Z"))
        #expect(calendar.opening(after: open) == Self.time("2026-01-12T07:00:00Z"))
    }

    @Test func `a window can cross midnight and the end of the week`() {
        let calendar = Self.calendar([Self.window(6, 1320, 1800)])
        #expect(calendar.isOpen(at: Self.time("2026-01-11T21:00:00Z")))
        #expect(calendar.isOpen(at: Self.time("2026-01-12T04:59:59Z")))
        #expect(!calendar.isOpen(at: Self.time("2026-01-12T05:00:00Z")))
        let closing = calendar.closing(after: Self.time("2026-01-11T21:00:00Z"))
        #expect(closing == Self.time("2026-01-12T05:00:00Z"))
    }

    @Test func `adjacent windows are one`() {
        let calendar = Self.calendar([Self.window(0, 0, 1440), Self.window(1, 0, 1440)])
        let closing = calendar.closing(after: Self.time("2026-01-05T12:00:00Z"))
        #expect(closing == Self.time("2026-01-06T23:00:00Z"))
        let always = Self.calendar((0..<7).map { Self.window($0, 0, 1440) })
        #expect(always.closing(after: Self.time("2026-01-05T12:00:00Z")) == nil)
        #expect(always.isOpen(at: Self.time("2026-01-05T12:00:00Z")))
    }

    @Test func `an always-open schedule closes on an exception, however distant`() {
        let monday = Self.time("2026-01-05T12:00:00Z")
        for minutes in [1440, 720, 30] {
            let windows = stride(from: 0, to: 10_080, by: minutes).map {
                ZoneWindow(start: $0, end: $0 + minutes)
            }
            for (day, closing) in [
                ("2026-01-06", "2026-01-05T23:00:00Z"), ("2026-01-20", "2026-01-19T23:00:00Z"),
                ("2026-06-10", "2026-06-09T22:00:00Z"), ("2027-09-01", "2027-08-31T23:00:00Z"),
            ] {
                let calendar = Self.calendar(windows, except: ["2025-12-31", "2027-12-01", day])
                #expect(calendar.closing(after: monday) == Self.time(closing), "\(day)")
            }
            // One evening begins early and does not depend on the next day.
            var over = windows.filter { $0.start < 1440 || $0.start >= 4320 }
            over.append(ZoneWindow(start: 1440, end: 4320))
            let calendar = Self.calendar(over, except: ["2026-04-15", "2026-04-16"])
            #expect(calendar.closing(after: monday) == Self.time("2026-04-15T22:00:00Z"))
        }
    }

    @Test func `no window begins on an exception, but one from the day before continues`() {
        let calendar = Self.calendar(
            [Self.window(0, 1320, 1800), Self.window(1, 480, 840)], except: ["2026-01-06"])
        #expect(calendar.isOpen(at: Self.time("2026-01-06T04:00:00Z")))
        #expect(!calendar.isOpen(at: Self.time("2026-01-06T08:00:00Z")))
        let next = calendar.opening(after: Self.time("2026-01-06T06:00:00Z"))
        #expect(next == Self.time("2026-01-12T21:00:00Z"))
    }

    @Test func `a time within the skipped hour is the moment of the skip`() {
        // Sundays 02:30 to 04:00, to 02:45, and 01:30 to 02:30, on the day without 02:00 to 03:00.
        let gap = Self.time("2026-03-29T01:00:00Z")
        let late = Self.calendar([Self.window(6, 150, 240)])
        #expect(late.opening(after: gap - .seconds(7200)) == gap)
        #expect(late.isOpen(at: gap) && !late.isOpen(at: gap - .seconds(1)))
        #expect(late.closing(after: gap) == gap + .seconds(3600))
        let inside = Self.calendar([Self.window(6, 150, 165)])
        #expect(!inside.isOpen(at: gap))
        let next = inside.opening(after: gap - .seconds(7200))
        #expect(next == Self.time("2026-04-05T00:30:00Z"))
        let early = Self.calendar([Self.window(6, 90, 150)])
        #expect(early.closing(after: gap - .seconds(1800)) == gap)
        #expect(late.next(minute: 150, after: gap - .seconds(7200)) == gap)
    }

    @Test func `a time within the repeated hour is its first occurrence`() {
        let twice = Self.time("2026-10-25T01:00:00Z")
        // 02:30 comes at 00:30 and at 01:30 UTC.
        let calendar = Self.calendar([Self.window(6, 150, 165)])
        #expect(calendar.isOpen(at: twice - .seconds(1800)))
        #expect(!calendar.isOpen(at: twice + .seconds(1800)))
        let over = Self.calendar([Self.window(6, 90, 150)])
        #expect(over.closing(after: twice - .seconds(4800)) == twice - .seconds(1800))
        let after = calendar.next(minute: 150, after: twice - .seconds(7200))
        #expect(after == twice - .seconds(1800))
        #expect(
            calendar.next(minute: 150, after: twice - .seconds(1800))
                == Self.time("2026-11-01T01:30:00Z"))
    }

    @Test func `a minute of the day occurs on days with a window, or on every day`() {
        let calendar = Self.calendar([Self.window(0, 480, 840)], except: ["2026-01-12"])
        let monday = calendar.next(minute: 460, after: Self.time("2026-01-01T00:00:00Z"))
        #expect(monday == Self.time("2026-01-05T06:40:00Z"))
        let later = calendar.next(minute: 460, after: Self.time("2026-01-05T06:40:00Z"))
        #expect(later == Self.time("2026-01-19T06:40:00Z"))
        let daily = ZoneCalendar(clock: nil, schedule: nil)
        #expect(
            daily.next(minute: 0, after: Self.time("2026-01-05T00:00:00Z"))
                == Self.time("2026-01-06T00:00:00Z"))
        let never = Self.calendar([])
        #expect(never.next(minute: 460, after: .zero) == nil)
        #expect(never.opening(after: .zero) == nil && !never.isOpen(at: .zero))
    }

    @Test func `openings and closings equal those of a brute-force search`() {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var windows: [ZoneWindow] = []
            var quarter = Int.random(in: 0..<130, using: &random)
            while quarter < 672 {
                let end = quarter + .random(in: 1...100, using: &random)
                windows.append(ZoneWindow(start: quarter * 15, end: end * 15))
                quarter = end + [0, 1, .random(in: 1...200, using: &random)][Int(seed % 3)]
            }
            let days = (0..<5).map { _ in Int32.random(in: 20_535...20_545, using: &random) }
            let calendar = ZoneCalendar(
                clock: Self.berlin, schedule: ZoneSchedule(windows: windows, exceptions: days))
            // Around the skipped and the repeated hour.
            for start in ["2026-03-26T00:00:00Z", "2026-10-22T00:00:00Z"] {
                let first = Self.time(start)
                let looks = (0..<8 * 96).map { first + .seconds(Int64($0) * 900) }
                let open = looks.map { calendar.isOpen(at: $0) }
                for index in looks.indices.dropLast() where index % 7 == 0 {
                    let next = open[index...].firstIndex { $0 != open[index] }
                    guard let next else { continue }
                    let found =
                        open[index]
                        ? calendar.closing(after: looks[index])
                        : calendar.opening(after: looks[index])
                    #expect(found == looks[next], "seed \(seed), \(looks[index])")
                }
            }
        }
    }
}
