import Model

/// Opening hours and absences of a zone: every window and minute of some weeks in explicit lists.
/// The wall clock changes at most once.
struct OracleHours {
    private typealias Window = (start: Timestamp, end: Timestamp)

    private var shown: ConfiguredZone?
    /// Nil = always open.
    private var windows: [Window]?
    private var absences: [Timestamp] = []

    private static let day: Int64 = 86_400
    /// Days around the start of ``World``, which is a Thursday.
    private static let days: ClosedRange<Int64> = 20_370 - 16...20_370 + 20

    /// Sets the zone whose hours are requested.
    mutating func show(_ zone: ConfiguredZone) {
        if let shown, shown.schedule == zone.schedule, shown.clock == zone.clock,
            shown.absentByMinute == zone.absentByMinute
        {
            return
        }
        shown = zone
        let clock = zone.clock ?? ZoneClock(timeZone: "UTC")
        windows = zone.schedule.map { OracleHours.windows($0, clock) }
        absences = []
        guard let minute = zone.absentByMinute else { return }
        for day in OracleHours.days where OracleHours.counts(day, zone.schedule) {
            absences.append(
                OracleHours.moment(ofWall: day * OracleHours.day + Int64(minute) * 60, clock))
        }
    }

    func isOpen(at time: Timestamp) -> Bool {
        windows?.contains { $0.start <= time && time < $0.end } ?? true
    }

    func opening(after time: Timestamp) -> Timestamp? {
        windows?.map(\.start).filter { $0 > time }.min()
    }

    /// The first moment from a time on at which it is closed; nil = never.
    func closing(after time: Timestamp) -> Timestamp? {
        guard let windows else { return nil }
        var moment = time
        while let window = windows.first(where: { $0.start <= moment && moment < $0.end }) {
            moment = window.end
        }
        return moment
    }

    func absence(after time: Timestamp) -> Timestamp? { absences.filter { $0 > time }.min() }

    private static func windows(_ schedule: ZoneSchedule, _ clock: ZoneClock) -> [Window] {
        var all: [Window] = []
        for day in days where !schedule.exceptions.contains(Int32(day)) {
            for window in schedule.windows where Int64(window.start) / 1440 == weekday(day) {
                let monday = (day - weekday(day)) * OracleHours.day
                let start = moment(ofWall: monday + Int64(window.start) * 60, clock)
                let end = moment(ofWall: monday + Int64(window.end) * 60, clock)
                if start < end { all.append((start, end)) }
            }
        }
        return all
    }

    /// Days on which a window begins; every day without windows.
    private static func counts(_ day: Int64, _ schedule: ZoneSchedule?) -> Bool {
        guard let schedule else { return true }
        return !schedule.exceptions.contains(Int32(day))
            && schedule.windows.contains { Int64($0.start) / 1440 == weekday(day) }
    }

    /// 0 = Monday; day 0 was a Thursday.
    private static func weekday(_ day: Int64) -> Int64 { (day + 3) % 7 }

    /// The first moment at which the wall clock shows this time or a later one.
    private static func moment(ofWall wall: Int64, _ clock: ZoneClock) -> Timestamp {
        let early = wall - Int64(clock.firstOffset)
        guard let change = clock.offsets.first, early >= change.at else {
            return Timestamp(seconds: early)
        }
        return Timestamp(seconds: max(change.at, wall - Int64(change.offset)))
    }
}

extension OracleZoneLife {
    /// The moment of a decision within a step.
    struct Moment: Comparable {
        /// Before the step, with it, or by waits due right after it.
        var phase = 0
        var due = Timestamp.zero
        var rank = 0

        static func < (left: Moment, right: Moment) -> Bool {
            (left.phase, left.due, left.rank) < (right.phase, right.due, right.rank)
        }
    }
}
