import Model
import Testing

@testable import EvaluatorCore

/// All sequences of moves for the alarms of two zones.
@Suite struct AlarmWorldTests {
    private enum Move: CaseIterable {
        case outside, inOne, inTwo, inBoth, disarm, arm, sleepOne, sleepAll, wait, waitLong, edit
    }

    /// The invariants, tracked independently of the machine.
    private struct Witness {
        var stage = AlarmStage()
        var one = AlarmZone.alarming(1, priority: 1, cycle: 10, sleep: 35)
        var two = AlarmZone.alarming(2, priority: 2, cycle: 30, sleep: 45)
        /// Zones with a started alarm.
        var alarming: Set<UInt64> = []
        /// When each zone may ring again at the earliest.
        var quietUntil: [UInt64: Timestamp] = [:]
        var asleep: [UInt64: Timestamp] = [:]
        var isArmed = true
        var inside: [AlarmZone] = []

        mutating func play(_ move: Move) -> [AlarmMachine.Step] {
            switch move {
            case .outside: return report([])
            case .inOne: return report([one])
            case .inTwo: return report([two])
            case .inBoth: return report([one, two])
            case .disarm:
                isArmed = false
                return stage.arm(false)
            case .arm:
                isArmed = true
                return stage.arm(true)
            case .sleepOne: return sleep([one.id.raw.low])
            case .sleepAll: return sleep([1, 2])
            case .wait: return stage.advance(seconds: 20)
            case .waitLong: return stage.advanceWithoutRings(seconds: 1900)
            case .edit:
                // From here on the other zone is more urgent.
                one.priority = 3 - one.priority
                two.priority = 3 - two.priority
                inside = inside.map { $0.id == one.id ? one : two }
                return stage.configure(inside)
            }
        }

        private mutating func report(_ zones: [AlarmZone]) -> [AlarmMachine.Step] {
            inside = zones
            // Only alarms that slept long enough wake.
            asleep = asleep.filter { $0.value > stage.now }
            return stage.report(in: zones)
        }

        private mutating func sleep(_ zones: [UInt64]) -> [AlarmMachine.Step] {
            for zone in zones where alarming.contains(zone) {
                asleep[zone] = stage.now + .seconds(zone == 1 ? 35 : 45)
            }
            return zones.count == 1 ? stage.answer(.sleep, one) : stage.answer(.sleep)
        }
    }

    @Test func `alarms keep their invariants under every sequence of moves`() throws {
        try play(Move.allCases, length: 5)
    }

    @Test func `alarms keep their invariants in longer sequences`() throws {
        try play([.outside, .inOne, .inBoth, .sleepOne, .wait, .waitLong], length: 6)
        try play([.inBoth, .inTwo, .sleepAll, .disarm, .arm, .wait], length: 6)
    }

    private func play(_ moves: [Move], length: Int) throws {
        var count = 0
        try descend(Witness(), after: [], moves, length: length, count: &count)
        #expect(count == (1...length).reduce(0) { sum, length in sum + power(moves.count, length) })
    }

    private func power(_ base: Int, _ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { product, _ in product * base }
    }

    private func descend(
        _ witness: Witness, after past: [Move], _ moves: [Move], length: Int, count: inout Int
    ) throws {
        guard past.count < length else { return }
        for move in moves {
            var next = witness
            let before = next.stage.now
            let steps = next.play(move)
            count += 1
            if let broken = check(steps, of: &next, since: before) {
                Issue.record("\(past + [move]): \(broken)")
                throw Broken()
            }
            try descend(next, after: past + [move], moves, length: length, count: &count)
        }
    }

    private struct Broken: Error {}

    /// The violated invariant of a decision; nil if none.
    private func check(
        _ steps: [AlarmMachine.Step], of witness: inout Witness, since before: Timestamp
    ) -> String? {
        var time = before
        for step in steps {
            let zone = step.alarm.zone.id.raw.low
            switch step.kind {
            case .started:
                if !witness.alarming.insert(zone).inserted { return "\(zone) started twice" }
                if step.isAudible != (step.alarm.rings == 1) { return "a silent ring of \(zone)" }
                witness.asleep[zone] = nil
                witness.quietUntil[zone] = nil
            case .repeated:
                if !witness.alarming.contains(zone) { return "\(zone) rang, but is no alarm" }
                if !step.isAudible { return "\(zone) rang inaudibly" }
            case .ended:
                if witness.alarming.remove(zone) == nil { return "\(zone) ended twice" }
                continue
            case .raised:
                return "\(zone) raised an emergency, but no zone here does"
            }
            if !witness.isArmed { return "\(zone) alarms though disarmed" }
            if !witness.inside.contains(where: { $0.id == step.alarm.zone.id }) {
                return "\(zone) alarms somebody who is gone"
            }
            if step.isAudible {
                // Rings of one move are ordered, and at least a cycle apart.
                time = max(time, witness.quietUntil[zone] ?? time)
                if time > witness.stage.now { return "\(zone) rings within its cycle" }
                let cycle: Int64 = zone == 1 ? 10 : 30
                witness.quietUntil[zone] = time + .seconds(cycle)
                if witness.asleep[zone] != nil { return "\(zone) rang while it slept" }
            }
        }
        return check(witness)
    }

    private func check(_ witness: Witness) -> String? {
        let machine = witness.stage.machine
        if Set(machine.alarms.map(\.zone.id.raw.low)) != witness.alarming {
            return "which alarms are open"
        }
        let isFresh = witness.stage.now - witness.stage.fix <= .seconds(1800)
        let inside = Set(witness.inside.map(\.id.raw.low))
        if !witness.isArmed, !witness.alarming.isEmpty { return "disarmed, and alarms" }
        if !witness.alarming.isSubset(of: inside) { return "alarms of somebody who is gone" }
        if witness.isArmed, isFresh, witness.alarming != inside { return "an alarm is missing" }
        let awake = machine.alarms.filter(\.isAwake)
        let most = awake.min { $0.zone.priority < $1.zone.priority }
        if machine.audibleIndex.map({ machine.alarms[$0].zone.id }) != most?.zone.id {
            return "audible alarm"
        }
        if isFresh, let most, case .awake(let due) = most.phase, due <= witness.stage.now {
            return "a ring is owed"
        }
        if let next = witness.stage.nextRing, next <= witness.stage.now {
            return "a deadline twice"
        }
        return nil
    }
}
