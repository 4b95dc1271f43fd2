import Model

/// When a zone is open and when people should be inside, by its wall clock. Integers only.
///
/// A wall-clock time is the first moment at which the clock shows it or a later time. So a time
/// within the hour skipped in spring is the moment of the skip, and a time within the hour repeated
/// in autumn is its first occurrence. A window lasts from one such moment to another; an empty
/// window does not occur.
struct ZoneCalendar: Hashable, Sendable {
    private let clock: ZoneClock
    private let schedule: ZoneSchedule?

    /// How far ahead openings, closings and absences are searched, weeks.
    private static let weeksMax: Int64 = 106
    private static let minute: Int64 = 60
    private static let day: Int64 = 86_400
    /// 1970-01-01 was a Thursday.
    private static let mondayBefore1970: Int64 = -3

    /// - Parameters:
    ///   - clock: nil = UTC.
    ///   - schedule: nil = always open.
    init(clock: ZoneClock?, schedule: ZoneSchedule?) {
        var clock = clock ?? ZoneClock(timeZone: "UTC")
        // Offsets at invalid times must not overflow.
        clock.offsets.removeAll { $0.at.magnitude > 1 << 50 }
        self.clock = clock
        self.schedule = schedule.map { schedule in
            let windows = schedule.windows.filter {
                (0..<10_080).contains($0.start) && ($0.start...20_160).contains($0.end)
            }
            return ZoneSchedule(windows: windows, exceptions: schedule.exceptions)
        }
    }

    func isOpen(at time: Timestamp) -> Bool {
        schedule == nil || end(ofWindowAt: time.seconds) != nil
    }

    /// The next closing after a moment at which it is open; nil if that is years away.
    func closing(after time: Timestamp) -> Timestamp? {
        guard let schedule else { return nil }
        let last = time.seconds + ZoneCalendar.weeksMax * 7 * ZoneCalendar.day
        var moment = time.seconds
        var walked = moment
        while moment < last {
            guard let end = end(ofWindowAt: moment) else { return Timestamp(seconds: moment) }
            moment = end
            // After more than a week without a gap it stays open until an exception, so skip to
            // that.
            guard moment - walked >= 15 * ZoneCalendar.day else { continue }
            let today = day(at: moment)
            let exceptions = schedule.exceptions.lazy.map(Int64.init).filter { $0 >= today }
            guard let next = exceptions.min() else { return nil }
            moment = max(moment, self.moment(ofWall: (next - 1) * ZoneCalendar.day))
            walked = moment
        }
        return nil
    }

    /// The next opening after a moment at which it is closed; nil if that is years away.
    func opening(after time: Timestamp) -> Timestamp? {
        guard let schedule else { return nil }
        let first = week(at: time.seconds) - 2
        for week in first...(first + ZoneCalendar.weeksMax) {
            let next = schedule.windows.compactMap { moments(of: $0, in: week)?.start }
                .filter { Timestamp(seconds: $0) > time }.min()
            if let next { return Timestamp(seconds: next) }
        }
        return nil
    }

    /// The next moment of a minute of the day. Without a schedule every day counts, otherwise days
    /// on which a window begins.
    func next(minute: Int, after time: Timestamp) -> Timestamp? {
        let today = day(at: time.seconds)
        for day in (today - 2)...(today + ZoneCalendar.weeksMax * 7) where counts(day) {
            let wall = day * ZoneCalendar.day + Int64(minute) * ZoneCalendar.minute
            let moment = Timestamp(seconds: moment(ofWall: wall))
            if moment > time { return moment }
        }
        return nil
    }

    /// Whether a window begins on a day, in days since 1970-01-01.
    private func counts(_ day: Int64) -> Bool {
        guard let schedule else { return true }
        if isException(day, schedule) { return false }
        let ofWeek = day - ZoneCalendar.monday(ofWeek: ZoneCalendar.week(ofDay: day))
        return schedule.windows.contains { Int64($0.start) / 1440 == ofWeek }
    }

    private func isException(_ day: Int64, _ schedule: ZoneSchedule) -> Bool {
        Int32(exactly: day).map(schedule.exceptions.contains) ?? false
    }

    /// The end of the window that contains a moment, seconds since 1970.
    private func end(ofWindowAt second: Int64) -> Int64? {
        guard let schedule else { return nil }
        let here = week(at: second)
        let wall = second + offset(at: second)
        var end: Int64?
        for week in (here - 2)...(here + 1) {
            let monday = ZoneCalendar.monday(ofWeek: week) * ZoneCalendar.day
            for window in schedule.windows {
                // No clock changes by two days.
                let start = monday + Int64(window.start) * ZoneCalendar.minute
                let stop = monday + Int64(window.end) * ZoneCalendar.minute
                if start - 2 * ZoneCalendar.day > wall || stop + 2 * ZoneCalendar.day < wall {
                    continue
                }
                guard let moments = moments(of: window, in: week), moments.start <= second,
                    second < moments.end
                else { continue }
                end = max(end ?? moments.end, moments.end)
            }
        }
        return end
    }

    /// Start and end of a window in a week, seconds since 1970; nil if it does not occur.
    private func moments(of window: ZoneWindow, in week: Int64) -> (start: Int64, end: Int64)? {
        let monday = ZoneCalendar.monday(ofWeek: week)
        let first = monday + Int64(window.start) / 1440
        guard let schedule, !isException(first, schedule) else { return nil }
        let base = monday * ZoneCalendar.day
        let start = moment(ofWall: base + Int64(window.start) * ZoneCalendar.minute)
        let end = moment(ofWall: base + Int64(window.end) * ZoneCalendar.minute)
        return start < end ? (start, end) : nil
    }

    private func week(at second: Int64) -> Int64 { ZoneCalendar.week(ofDay: day(at: second)) }

    /// The wall clock's day, in days since 1970-01-01.
    private func day(at second: Int64) -> Int64 {
        ZoneCalendar.floorDivide(second + offset(at: second), ZoneCalendar.day)
    }

    private static func week(ofDay day: Int64) -> Int64 {
        floorDivide(day - mondayBefore1970, 7)
    }

    private static func monday(ofWeek week: Int64) -> Int64 { week * 7 + mondayBefore1970 }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// Offset from UTC, seconds.
    private func offset(at second: Int64) -> Int64 {
        let step = step(at: second)
        return Int64(step == 0 ? clock.firstOffset : clock.offsets[step - 1].offset)
    }

    /// Number of offsets that have taken effect. Binary search.
    private func step(at second: Int64) -> Int {
        var low = 0
        var high = clock.offsets.count
        while low < high {
            let middle = (low + high) / 2
            if clock.offsets[middle].at <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The first moment at which the wall clock shows this time or a later one, seconds since 1970.
    private func moment(ofWall wall: Int64) -> Int64 {
        // No offset exceeds two days.
        var step = step(at: wall - 2 * ZoneCalendar.day)
        while true {
            let offset = Int64(step == 0 ? clock.firstOffset : clock.offsets[step - 1].offset)
            let begins = step == 0 ? Int64.min : clock.offsets[step - 1].at
            guard step < clock.offsets.count else { return max(begins, wall - offset) }
            if clock.offsets[step].at + offset > wall { return max(begins, wall - offset) }
            step += 1
        }
    }
}
