import Model

@testable import EvaluatorCore

/// A person's alarms with a manual clock and short helpers.
struct AlarmStage {
    static let person = PersonID(ID128(high: 2, low: 1))

    var machine = AlarmMachine()
    var rules = EvaluatorRules()
    var now = Timestamp(seconds: 1_760_000_000)
    /// Time of the last fix.
    var fix = Timestamp(seconds: 1_760_000_000)
    /// The person's presence by zone.
    var stays: [AlarmStay] = []
    private var records: UInt64 = 0

    private mutating func context(isFix: Bool = false) -> AlarmMachine.Context {
        records += 1
        return AlarmMachine.Context(
            now: now, fix: fix, isFix: isFix, record: ID128(high: 9, low: records), decided: now)
    }

    /// A fix inside the given zones and near others.
    mutating func report(
        in zones: [AlarmZone], near: [AlarmZone] = [], initial: Bool = false, age: Int64 = 0
    ) -> [AlarmMachine.Step] {
        let before = stays
        stays =
            zones.map { AlarmStay(zone: $0, presence: .inside, initial: initial) }
            + near.map { AlarmStay(zone: $0, presence: .near, initial: initial) }
        for index in stays.indices
        where before.contains(where: { $0.zone.id == stays[index].zone.id }) {
            stays[index].initial = true
        }
        fix = now - .seconds(age)
        return machine.update(
            stays, of: Self.person, at: context(isFix: true), rules: rules,
            endReason: { _ in .exit })
    }

    /// Changes the configuration.
    mutating func configure(
        _ zones: [AlarmZone], endReason reason: AlarmEnd = .removed
    ) -> [AlarmMachine.Step] {
        stays = zones.map { AlarmStay(zone: $0, presence: .inside, initial: true) }
        return machine.update(
            stays, of: Self.person, at: context(), rules: rules, endReason: { _ in reason })
    }

    mutating func arm(_ armed: Bool) -> [AlarmMachine.Step] {
        let steps = machine.arm(armed)
        for index in stays.indices { stays[index].initial = true }
        return steps
            + machine.update(
                stays, of: Self.person, at: context(), rules: rules, endReason: { _ in .exit })
    }

    mutating func answer(
        _ action: AlarmAnswer.Action, _ zone: AlarmZone? = nil
    ) -> [AlarmMachine.Step] {
        machine.answer(
            AlarmAnswer(person: Self.person, zone: zone?.id, action: action, at: now),
            at: context(), rules: rules)
    }

    /// Advances time; every ring happens when due.
    mutating func advance(seconds: Int64) -> [AlarmMachine.Step] {
        let end = now + .seconds(seconds)
        var steps: [AlarmMachine.Step] = []
        while let due = nextRing, due <= end {
            now = max(now, due)
            steps += machine.advance(at: context(), rules: rules)
        }
        now = end
        return steps
    }

    /// Advances time without rings, then handles the late one.
    mutating func advanceWithoutRings(seconds: Int64) -> [AlarmMachine.Step] {
        now = now + .seconds(seconds)
        return machine.advance(at: context(), rules: rules)
    }

    var nextRing: Timestamp? { machine.nextRing(fix: fix, rules: rules) }
}

extension AlarmZone {
    static func alarming(
        _ number: UInt64, priority: Int = 100, name: String? = nil, cycle: Int = 60,
        sleep: Int = 600, raising: Bool = false
    ) -> AlarmZone {
        AlarmZone(
            id: ZoneID(ID128(high: 4, low: number)), name: name ?? "Zone \(number)", category: "",
            priority: priority, circle: World.circle, set: nil,
            alarm: ZoneAlarm(
                cycleSeconds: cycle, sleepSeconds: sleep, raisesEmergency: raising))
    }
}

extension [AlarmMachine.Step] {
    /// Each step as a letter and the zone's number: `S` started and audible, `s` started silently,
    /// `!` and `.` the same for an initial alarm, `R` rang again, `E` ended, `H` raised an
    /// emergency.
    var marbles: String {
        map { step in
            let number = step.alarm.zone.id.raw.low
            switch step.kind {
            case .started(initial: false): return (step.isAudible ? "S" : "s") + "\(number)"
            case .started(initial: true): return (step.isAudible ? "!" : ".") + "\(number)"
            case .repeated: return "R\(number)"
            case .ended: return "E\(number)"
            case .raised: return "H\(number)"
            }
        }.joined(separator: " ")
    }
}
