import Model

@testable import EvaluatorCore

/// A person's alarms with a clock, told what happens in few words.
struct AlarmStage {
    static let person = PersonID(ID128(high: 2, low: 1))

    var life = AlarmLife()
    var rules = EvaluatorRules()
    var now = Timestamp(seconds: 1_760_000_000)
    /// When the last fix was taken.
    var fix = Timestamp(seconds: 1_760_000_000)
    /// Where the person is, by zone.
    var stays: [AlarmStay] = []
    private var records: UInt64 = 0

    private mutating func moment(isFix: Bool = false) -> AlarmLife.Moment {
        records += 1
        return AlarmLife.Moment(
            now: now, fix: fix, isFix: isFix, record: ID128(high: 9, low: records), decided: now)
    }

    /// A fix that finds the person inside of the zones given and near to others.
    mutating func report(
        in zones: [AlarmZone], near: [AlarmZone] = [], initial: Bool = false, age: Int64 = 0
    ) -> [AlarmLife.Step] {
        let before = stays
        stays =
            zones.map { AlarmStay(zone: $0, presence: .inside, initial: initial) }
            + near.map { AlarmStay(zone: $0, presence: .near, initial: initial) }
        for index in stays.indices
        where before.contains(where: { $0.zone.id == stays[index].zone.id }) {
            stays[index].initial = true
        }
        fix = now - .seconds(age)
        return life.follow(
            stays, of: Self.person, at: moment(isFix: true), rules: rules, because: { _ in .exit })
    }

    /// The configuration is another.
    mutating func configure(
        _ zones: [AlarmZone], because reason: AlarmEnd = .removed
    ) -> [AlarmLife.Step] {
        stays = zones.map { AlarmStay(zone: $0, presence: .inside, initial: true) }
        return life.follow(
            stays, of: Self.person, at: moment(), rules: rules, because: { _ in reason })
    }

    mutating func arm(_ armed: Bool) -> [AlarmLife.Step] {
        let steps = life.arm(armed)
        for index in stays.indices { stays[index].initial = true }
        return steps
            + life.follow(
                stays, of: Self.person, at: moment(), rules: rules, because: { _ in .exit })
    }

    mutating func answer(
        _ action: AlarmAnswer.Action, _ zone: AlarmZone? = nil
    ) -> [AlarmLife.Step] {
        life.answer(
            AlarmAnswer(person: Self.person, zone: zone?.id, action: action, at: now),
            at: moment(), rules: rules)
    }

    /// Lets time go by, and each clock ring when it is due.
    mutating func pass(seconds: Int64) -> [AlarmLife.Step] {
        let end = now + .seconds(seconds)
        var steps: [AlarmLife.Step] = []
        while let due = nextRing, due <= end {
            now = max(now, due)
            steps += life.advance(at: moment(), rules: rules)
        }
        now = end
        return steps
    }

    /// Lets time go by without any clock, then lets the late one ring.
    mutating func passWithoutClock(seconds: Int64) -> [AlarmLife.Step] {
        now = now + .seconds(seconds)
        return life.advance(at: moment(), rules: rules)
    }

    var nextRing: Timestamp? { life.nextRing(fix: fix, rules: rules) }
}

extension AlarmZone {
    static func alarming(
        _ number: UInt64, priority: Int = 100, name: String? = nil, cycle: Int = 60,
        sleep: Int = 600
    ) -> AlarmZone {
        AlarmZone(
            id: ZoneID(ID128(high: 4, low: number)), name: name ?? "Zone \(number)", category: "",
            priority: priority, circle: World.circle, set: nil,
            alarm: ZoneAlarm(cycleSeconds: cycle, sleepSeconds: sleep))
    }
}

extension [AlarmLife.Step] {
    /// For each step the zone's number behind a letter: `S` started and heard, `s` started without
    /// a sound, `!` and `.` the same where the person was found so, `R` rang again, `E` ended.
    var marbles: String {
        map { step in
            let number = step.alarm.zone.id.raw.low
            switch step.kind {
            case .started(initial: false): return (step.speaks ? "S" : "s") + "\(number)"
            case .started(initial: true): return (step.speaks ? "!" : ".") + "\(number)"
            case .repeated: return "R\(number)"
            case .ended: return "E\(number)"
            }
        }.joined(separator: " ")
    }
}
