import Hashing
import Model

extension AlarmMachine {
    /// The circumstances of a transition.
    struct Context: Hashable {
        var now: Timestamp
        /// Time of the last fix that changed presence.
        var fix: Timestamp
        /// Whether that fix caused this transition.
        var isFix: Bool
        /// The record that causes the transition, and the time as of which it is evaluated.
        var record: ID128
        var decided: Timestamp
    }

    /// Updates the alarms to the person's current stays: ends alarms, starts new ones, and rings
    /// those that slept long enough.
    ///
    /// - Parameters:
    ///   - stays: all alert zones that the person is inside or near, in any order.
    ///   - endReason: why the alarm of a zone ends that is not in `stays`.
    mutating func update(
        _ stays: [AlarmStay], of person: PersonID, at context: Context, rules: EvaluatorRules,
        endReason: (AlarmZone) -> AlarmEnd
    ) -> [Step] {
        isStartPending = false
        guard isArmed, !(stays.isEmpty && alarms.isEmpty) else { return [] }
        var steps = endAll(except: stays, endReason: endReason)
        let isFresh = context.isFresh(rules)
        var started: [AlarmStay] = []
        for stay in stays {
            if let index = index(of: stay.zone.id) {
                alarms[index].zone = stay.zone
                alarms[index].presence = stay.presence
                if isFresh { alarms[index].wake(at: context) }
            } else if isFresh {
                start(stay, of: person, at: context)
                started.append(stay)
            } else {
                isStartPending = true
            }
        }
        let ring = ring(at: context, rules: rules)
        started.sort { $0.zone.isMoreUrgent(than: $1.zone) }
        for stay in started {
            guard let index = index(of: stay.zone.id) else { continue }
            let isAudible = ring?.alarm.id == alarms[index].id
            steps.append(
                Step(
                    kind: .started(initial: stay.initial), alarm: alarms[index],
                    isAudible: isAudible))
        }
        if let ring, !started.contains(where: { $0.zone.id == ring.alarm.zone.id }) {
            steps.append(ring)
        }
        return steps
    }

    /// Rings the audible alarm if it is due. Missed rings are skipped.
    mutating func advance(at context: Context, rules: EvaluatorRules) -> [Step] {
        guard let ring = ring(at: context, rules: rules) else { return [] }
        return [ring]
    }

    /// Arms or disarms the person. Arming starts nothing by itself; the next fix does.
    mutating func arm(_ armed: Bool) -> [Step] {
        isStartPending = armed
        isArmed = armed
        return armed ? [] : endAll(except: [], endReason: { _ in .disarmed })
    }

    /// Applies the person's answer. `close` silences the current ring; the next one comes as
    /// scheduled. `sleep` silences the zone, or all zones, for the zone's sleep time.
    mutating func answer(
        _ answer: AlarmAnswer, at context: Context, rules: EvaluatorRules
    ) -> [Step] {
        guard answer.action == .sleep else { return [] }
        for index in alarms.indices where answer.zone.map({ $0 == alarms[index].zone.id }) ?? true {
            let seconds = Int64(max(0, alarms[index].zone.alarm.sleepSeconds))
            alarms[index].phase = .asleep(until: context.now + .seconds(seconds))
        }
        return advance(at: context, rules: rules)
    }

    /// Ends all alarms because the person was deleted.
    mutating func personRemoved() -> [Step] { endAll(except: [], endReason: { _ in .removed }) }

    /// When the next ring is due by time alone; nil if nothing rings or another fix is needed.
    ///
    /// - Parameter fix: time of the last fix that changed presence.
    func nextRing(fix: Timestamp, rules: EvaluatorRules) -> Timestamp? {
        guard let dueRing else { return nil }
        return dueRing <= fix.plus(seconds: rules.alarmFixSecondsMax) ? dueRing : nil
    }

    /// Whether the next ring needs a newer fix.
    func isFixAwaited(fix: Timestamp, rules: EvaluatorRules) -> Bool {
        dueRing.map { $0 > fix.plus(seconds: rules.alarmFixSecondsMax) } ?? false
    }

    /// When the audible alarm rings next, provided that the person is known to be there.
    private var dueRing: Timestamp? {
        guard let audible = audibleIndex, case .awake(let due) = alarms[audible].phase else {
            return nil
        }
        return due
    }

    private mutating func start(
        _ stay: AlarmStay, of person: PersonID, at context: Context
    ) {
        let id = Hash.derivedID(
            kind: "alarm", person: person, subject: .id(stay.zone.id),
            cause: Hash.id(.id(context.record), .number(context.decided.microseconds)))
        let alarm = ActiveAlarm(
            id: AlarmID(id), zone: stay.zone, presence: stay.presence,
            rings: 0,
            phase: .awake(nextRing: context.now))
        let index = alarms.firstIndex { $0.zone.id > stay.zone.id } ?? alarms.count
        alarms.insert(alarm, at: index)
    }

    /// Rings the audible alarm if it is due. If the last fix is too old, the alarm stays audible
    /// and waits for the next fix.
    private mutating func ring(at context: Context, rules: EvaluatorRules) -> Step? {
        guard let audible = audibleIndex, case .awake(let due) = alarms[audible].phase,
            due <= context.now
        else {
            return nil
        }
        guard context.isFresh(rules) else {
            // This is later than any ring that time alone causes, so it does not become due again
            // by time.
            alarms[audible].phase = .awake(nextRing: context.now)
            return nil
        }
        let cycle = Int64(alarms[audible].zone.alarm.cycleSeconds)
        alarms[audible].rings += 1
        alarms[audible].phase = .awake(
            nextRing: context.now.plus(seconds: max(rules.alarmCycleSecondsMin, cycle)))
        return Step(kind: .repeated, alarm: alarms[audible], isAudible: true)
    }

    private mutating func endAll(
        except stays: [AlarmStay], endReason: (AlarmZone) -> AlarmEnd
    ) -> [Step] {
        guard !alarms.isEmpty else { return [] }
        let audible = audibleIndex
        var steps: [Step] = []
        for index in alarms.indices {
            let alarm = alarms[index]
            if stays.contains(where: { $0.zone.id == alarm.zone.id }) { continue }
            let end = endReason(alarm.zone)
            steps.append(Step(kind: .ended(end), alarm: alarm, isAudible: index == audible))
        }
        for step in steps { alarms.removeAll { $0.id == step.alarm.id } }
        return steps
    }
}

extension AlarmMachine.Context {
    /// Whether the last fix is recent enough to ring.
    fileprivate func isFresh(_ rules: EvaluatorRules) -> Bool {
        now <= fix.plus(seconds: rules.alarmFixSecondsMax)
    }
}

extension ActiveAlarm {
    /// Wakes a sleeping alarm if a fix finds the person still there.
    fileprivate mutating func wake(at context: AlarmMachine.Context) {
        guard context.isFix, case .asleep(let until) = phase, until <= context.now else { return }
        phase = .awake(nextRing: context.now)
    }
}
