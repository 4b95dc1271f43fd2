import Directory
import Model
import TimerCore
import Timing

/// A timer with a manual clock and the rows that a store would hold.
struct Timeline {
    /// An effect and its second.
    struct Step: Equatable {
        let second: Int
        let effect: Effect
    }

    static let epoch: Int64 = 1_800_000_000
    let settings: TimerCore.Settings
    private(set) var core: TimerCore
    private var second = 0
    private var deadlines: [DeadlineID: (due: Timestamp, isExpired: Bool)] = [:]
    private(set) var watches: [WatchID: TimedWatch] = [:]
    private(set) var schedules: [CheckInScheduleID: ScheduledCheckIn] = [:]
    private(set) var timers: [PersonID: PersonTimer] = [:]
    /// Directory with people and their PINs.
    var directory = Replica()
    /// Offsets of time zones, which a restarted core gets, too.
    var zones: [String: TimeZoneRules] = [:] {
        didSet { for (name, rules) in zones { core.setTimeZone(name, rules) } }
    }
    private(set) var deliveryWatchdogs: [EmergencyID: DeliveryWatchdog] = [:]

    init(graceSeconds: Int = 120, callsAlarm: Bool = false) {
        settings = TimerCore.Settings(graceSeconds: graceSeconds, callsAlarm: callsAlarm)
        core = TimerCore(settings: settings, started: Timeline.time(0))
    }

    static func time(_ second: Int) -> Timestamp { Timestamp(seconds: epoch + Int64(second)) }

    /// Handles an input in a second and updates the rows.
    @discardableResult
    mutating func at(_ second: Int, _ input: Input) -> [Effect] {
        self.second = second
        var turn = Turn<Effect>(now: Timeline.time(second), directory: directory)
        core.handle(input, &turn)
        return turn.effects.compactMap { store($0) }
    }

    /// Advances time and ticks the core at its deadlines.
    mutating func run(until second: Int) -> [Step] {
        var steps: [Step] = []
        while let next = core.nextDeadline, next <= Timeline.time(second) {
            // Like the event loop, tick at the first whole second that is not too early.
            let due = Int((next.microseconds + 999_999) / 1_000_000 - Timeline.epoch)
            let woken = max(due, self.second)
            steps += at(woken, .tick).map { Step(second: woken, effect: $0) }
        }
        return steps
    }

    /// Restarts the process with its rows only.
    ///
    /// - Parameter down: start of the outage whose waits are held for ten minutes; nil = none.
    mutating func restart(at second: Int, awaySince down: Int? = nil) {
        self.second = second
        let outage = down.map {
            Outage(
                from: Timeline.time($0), until: Timeline.time(second),
                holdEnds: Timeline.time(second + 600))
        }
        core = TimerCore(settings: settings, started: Timeline.time(second), outage: outage)
        core.load(
            deadlines: deadlines.filter { !$0.value.isExpired }.map { ($0.key, $0.value.due) },
            watches: watches.values.filter { [.active, .reminded].contains($0.watch.state) },
            checkIns: Array(schedules.values), timers: Array(timers.values),
            deliveryWatchdogs: Array(deliveryWatchdogs.values))
        for (name, rules) in zones { core.setTimeZone(name, rules) }
    }

    /// Applies an effect to the rows; nil if it has no effect.
    private mutating func store(_ effect: Effect) -> Effect? {
        switch effect {
        case .saveDeadline(let deadline, _):
            if deadlines[deadline.id]?.isExpired != true {
                deadlines[deadline.id] = (deadline.due, false)
            }
        case .removeDeadline(let id):
            if deadlines[id]?.isExpired != true { deadlines[id] = nil }
        case .expireDeadline(let id, _):
            guard let row = deadlines[id], !row.isExpired else { return nil }
            deadlines[id] = (row.due, true)
        case .saveWatch(let timed): watches[timed.watch.id] = timed
        case .removeRows(let person): watches = watches.filter { $1.watch.person != person }
        case .saveSchedule(let row): schedules[row.schedule.id] = row
        case .removeSchedule(let id): schedules[id] = nil
        case .saveTimer(let timer): timers[timer.person] = timer
        case .removeTimer(let person): timers[person] = nil
        case .saveDeliveryWatchdog(let deliveryWatchdog):
            deliveryWatchdogs[deliveryWatchdog.emergency] = deliveryWatchdog
        case .removeDeliveryWatchdog(let id): deliveryWatchdogs[id] = nil
        default: break
        }
        return effect
    }
}

/// Fixtures with small numbers as ids.
enum Some {
    static let anna = PersonID(ID128(high: 0, low: 1))
    static let ben = PersonID(ID128(high: 0, low: 2))

    static func emergency(_ number: UInt64) -> EmergencyID {
        EmergencyID(ID128(high: 1, low: number))
    }

    static func deadline(_ number: UInt64, due second: Int) -> Deadline {
        Deadline(
            id: DeadlineID(ID128(high: 2, low: number)), kind: .tier, person: anna,
            due: Timeline.time(second))
    }

    static func watch(_ number: UInt64) -> WatchID { WatchID(ID128(high: 3, low: number)) }

    static func signal(
        _ number: UInt64, by person: PersonID = anna, at second: Int, countdown: Int = 10
    ) -> EmergencySignal {
        EmergencySignal(
            id: emergency(number), person: person, trigger: .panic, raised: Timeline.time(second),
            received: Timeline.time(second), countdownEnds: Timeline.time(second + countdown))
    }

    static func change(
        _ number: UInt64, of person: PersonID = anna, _ state: EmergencyState,
        signal: UInt64? = nil, at second: Int, countdown: Int = 10
    ) -> EmergencyChange {
        EmergencyChange(
            emergency: emergency(number), person: person, state: state, trigger: .panic,
            signal: emergency(signal ?? number), raised: Timeline.time(second),
            countdownEnds: Timeline.time(second + countdown))
    }

    static func notification(
        of number: UInt64?, _ state: NotificationState, about person: PersonID = anna,
        to recipient: PersonID = ben, number notification: UInt64 = 1
    ) -> NotificationChanged {
        NotificationChanged(
            notification: NotificationID(ID128(high: 4, low: notification)),
            emergency: number.map { emergency($0) }, person: person, recipient: recipient,
            channel: .sms, state: state, gateway: "sms", answer: "")
    }

    static func answer(_ number: UInt64, at second: Int) -> EmergencyAnswer {
        EmergencyAnswer(
            emergency: emergency(number), person: anna, by: ben, at: Timeline.time(second))
    }

    static func start(
        _ number: UInt64, by person: PersonID = anna, seconds: Int64, note: String? = nil,
        destination: ZoneID? = nil, recipients: [PersonID]? = nil
    ) -> Input {
        .startWatch(
            WatchStart(
                id: watch(number), person: person, span: .seconds(seconds),
                terms: WatchTerms(note: note, destination: destination, recipients: recipients),
                trace: "t\(number)", request: number))
    }
}

extension [Effect] {
    /// Published watches, in order.
    var watchChanges: [Watch] {
        compactMap {
            guard case .publish(let event) = $0, case .watchChanged(let watch) = event.body else {
                return nil
            }
            return watch
        }
    }

    /// Signals of expired watches.
    var expiries: [EmergencySignal] {
        compactMap {
            guard case .publish(let event) = $0, case .watchExpired(let signal) = event.body else {
                return nil
            }
            return signal
        }
    }

    var answers: [WatchResult] {
        compactMap { if case .respond(_, let answer) = $0 { answer } else { nil } }
    }

    /// Expired deadlines and whether they were late.
    var expired: [Expired] {
        compactMap {
            if case .expireDeadline(let id, let late) = $0 {
                Expired(number: id.raw.low, late: late)
            } else {
                nil
            }
        }
    }

    var alarms: [EmergencyID] {
        compactMap {
            if case .raiseAlarm(let deliveryWatchdog) = $0 {
                deliveryWatchdog.emergency
            } else {
                nil
            }
        }
    }

    var calls: [EmergencyID] {
        compactMap {
            if case .callAlarm(let deliveryWatchdog) = $0 {
                deliveryWatchdog.emergency
            } else {
                nil
            }
        }
    }
}

struct Expired: Equatable {
    let number: UInt64
    var late = false
}

extension [Timeline.Step] {
    var effects: [Effect] { map(\.effect) }
    /// Seconds in which such an effect occurred.
    func seconds(_ predicate: (Effect) -> Bool) -> [Int] {
        filter { predicate($0.effect) }.map(\.second)
    }
}
