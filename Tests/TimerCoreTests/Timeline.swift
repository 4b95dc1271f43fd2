import Model
import TimerCore

/// A timer in a world where time passes by hand, with the rows that a store would hold.
struct Timeline {
    /// What happened, and in which second.
    struct Step: Equatable {
        let second: Int
        let effect: Effect
    }

    static let epoch: Int64 = 1_800_000_000
    let settings: TimerCore.Settings
    private(set) var core: TimerCore
    private var second = 0
    private var clocks: [ClockID: (due: Timestamp, isFired: Bool)] = [:]
    private(set) var watches: [WatchID: TimedWatch] = [:]
    private(set) var vigils: [EmergencyID: Vigil] = [:]

    init(graceSeconds: Int = 120, callsAlarm: Bool = false) {
        settings = TimerCore.Settings(graceSeconds: graceSeconds, callsAlarm: callsAlarm)
        core = TimerCore(settings: settings, started: Timeline.time(0))
    }

    static func time(_ second: Int) -> Timestamp { Timestamp(seconds: epoch + Int64(second)) }

    /// Lets the input happen in that second and keeps the rows it leads to.
    @discardableResult
    mutating func at(_ second: Int, _ input: Input) -> [Effect] {
        self.second = second
        var effects: [Effect] = []
        core.handle(input, at: Timeline.time(second), into: &effects)
        return effects.compactMap { store($0) }
    }

    /// Lets time pass, waking the core up when it asks for it.
    mutating func run(until second: Int) -> [Step] {
        var steps: [Step] = []
        while let next = core.nextDeadline, next <= Timeline.time(second) {
            // As the loop does, the core is woken in the first whole second that is not too early.
            let due = Int((next.microseconds + 999_999) / 1_000_000 - Timeline.epoch)
            let woken = max(due, self.second)
            steps += at(woken, .tick).map { Step(second: woken, effect: $0) }
        }
        return steps
    }

    /// The process dies and comes back later with its rows alone.
    ///
    /// - Parameter down: it was away since then, and holds what became due for ten minutes
    mutating func restart(at second: Int, awaySince down: Int? = nil) {
        self.second = second
        let outage = down.map {
            Outage(
                from: Timeline.time($0), until: Timeline.time(second),
                holdEnds: Timeline.time(second + 600))
        }
        core = TimerCore(settings: settings, started: Timeline.time(second), outage: outage)
        core.load(
            clocks: clocks.filter { !$0.value.isFired }.map { ($0.key, $0.value.due) },
            watches: watches.values.filter { [.active, .reminded].contains($0.watch.state) },
            vigils: Array(vigils.values))
    }

    /// What the store does with an effect; nil where nothing comes of it.
    private mutating func store(_ effect: Effect) -> Effect? {
        switch effect {
        case .saveClock(let clock, _):
            if clocks[clock.id]?.isFired != true { clocks[clock.id] = (clock.due, false) }
        case .removeClock(let id):
            if clocks[id]?.isFired != true { clocks[id] = nil }
        case .fire(let id, _):
            guard let row = clocks[id], !row.isFired else { return nil }
            clocks[id] = (row.due, true)
        case .saveWatch(let timed): watches[timed.watch.id] = timed
        case .removeWatches(let person): watches = watches.filter { $1.watch.person != person }
        case .saveVigil(let vigil): vigils[vigil.emergency] = vigil
        case .removeVigil(let id): vigils[id] = nil
        default: break
        }
        return effect
    }
}

/// People and things with small numbers for ids.
enum Some {
    static let anna = PersonID(ID128(high: 0, low: 1))
    static let ben = PersonID(ID128(high: 0, low: 2))

    static func emergency(_ number: UInt64) -> EmergencyID {
        EmergencyID(ID128(high: 1, low: number))
    }

    static func clock(_ number: UInt64, due second: Int) -> WantedClock {
        WantedClock(
            id: ClockID(ID128(high: 2, low: number)), rule: .tier, person: anna,
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

    static func news(
        _ number: UInt64, of person: PersonID = anna, _ state: EmergencyState,
        signal: UInt64? = nil, at second: Int, countdown: Int = 10
    ) -> EmergencyNews {
        EmergencyNews(
            emergency: emergency(number), person: person, state: state, trigger: .panic,
            signal: emergency(signal ?? number), raised: Timeline.time(second),
            countdownEnds: Timeline.time(second + countdown))
    }

    static func notification(
        of number: UInt64?, _ state: NotificationState, about person: PersonID = anna,
        to recipient: PersonID = ben, number notification: UInt64 = 1
    ) -> NotificationNews {
        NotificationNews(
            notification: NotificationID(ID128(high: 4, low: notification)),
            emergency: number.map { emergency($0) }, person: person, recipient: recipient,
            channel: .sms, state: state, gateway: "sms", answer: "")
    }

    static func answer(_ number: UInt64, at second: Int) -> EmergencyAnswer {
        EmergencyAnswer(
            emergency: emergency(number), person: anna, by: ben, at: Timeline.time(second))
    }

    static func start(
        _ number: UInt64, by person: PersonID = anna, seconds: Int64, note: String? = nil
    ) -> Input {
        .startWatch(
            WatchStart(
                id: watch(number), person: person, span: .seconds(seconds), note: note,
                trace: "t\(number)", request: number))
    }
}

extension [Effect] {
    /// Watches as they were told to the others, in order.
    var watchChanges: [Watch] {
        compactMap {
            guard case .publish(let event) = $0, case .watchChanged(let watch) = event.body else {
                return nil
            }
            return watch
        }
    }

    /// Signals of watches that ran out.
    var expiries: [EmergencySignal] {
        compactMap {
            guard case .publish(let event) = $0, case .watchExpired(let signal) = event.body else {
                return nil
            }
            return signal
        }
    }

    var answers: [WatchAnswer] {
        compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }
    }

    /// Clocks that fired, with whether they were late.
    var fired: [Fired] {
        compactMap {
            if case .fire(let id, let late) = $0 {
                Fired(number: id.raw.low, late: late)
            } else {
                nil
            }
        }
    }

    var alarms: [EmergencyID] {
        compactMap { if case .raiseAlarm(let vigil) = $0 { vigil.emergency } else { nil } }
    }

    var calls: [EmergencyID] {
        compactMap { if case .callAlarm(let vigil) = $0 { vigil.emergency } else { nil } }
    }
}

struct Fired: Equatable {
    let number: UInt64
    var late = false
}

extension [Timeline.Step] {
    var effects: [Effect] { map(\.effect) }
    /// Seconds in which something of that kind happened.
    func seconds(_ isWanted: (Effect) -> Bool) -> [Int] {
        filter { isWanted($0.effect) }.map(\.second)
    }
}
