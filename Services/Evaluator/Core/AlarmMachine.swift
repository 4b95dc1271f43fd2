import Hashing
import Model

extension AlarmLife {
    /// What is known when something may change about alarms.
    struct Moment: Hashable {
        var now: Timestamp
        /// When the last fix was taken that moved presence.
        var fix: Timestamp
        /// Whether that fix is what happens now.
        var isFix: Bool
        /// Id of the record that leads to it, and of when what it leads to is decided.
        var record: ID128
        var decided: Timestamp
    }

    /// Where the person is now, seen from all alert zones that judge them: alarms of the others
    /// end, new ones start, and what slept long enough rings.
    ///
    /// - Parameters:
    ///   - stays: all that the person is inside of or near, in any order
    ///   - reason: why an alarm ends whose zone is none of them
    mutating func follow(
        _ stays: [AlarmStay], of person: PersonID, at moment: Moment, rules: EvaluatorRules,
        because reason: (AlarmZone) -> AlarmEnd
    ) -> [Step] {
        isOwed = false
        guard isArmed, !(stays.isEmpty && alarms.isEmpty) else { return [] }
        var steps = endAll(except: stays, because: reason)
        let isFresh = moment.isFresh(rules)
        var begun: [AlarmStay] = []
        for stay in stays {
            if let place = place(of: stay.zone.id) {
                alarms[place].zone = stay.zone
                alarms[place].presence = stay.presence
                if isFresh { alarms[place].wake(at: moment) }
            } else if isFresh {
                start(stay, of: person, at: moment)
                begun.append(stay)
            } else {
                isOwed = true
            }
        }
        let ring = ring(at: moment, rules: rules)
        begun.sort { $0.zone.isMoreUrgent(than: $1.zone) }
        for stay in begun {
            guard let place = place(of: stay.zone.id) else { continue }
            let speaks = ring?.alarm.id == alarms[place].id
            steps.append(
                Step(kind: .started(initial: stay.initial), alarm: alarms[place], speaks: speaks))
        }
        if let ring, !begun.contains(where: { $0.zone.id == ring.alarm.zone.id }) {
            steps.append(ring)
        }
        return steps
    }

    /// Time has passed: the next ring may be due. Rings that were missed are skipped.
    mutating func advance(at moment: Moment, rules: EvaluatorRules) -> [Step] {
        guard let ring = ring(at: moment, rules: rules) else { return [] }
        return [ring]
    }

    /// The person shall be alarmed, or not. Arming starts nothing by itself: alarms are owed then.
    mutating func arm(_ armed: Bool) -> [Step] {
        isOwed = armed
        isArmed = armed
        return armed ? [] : endAll(except: [], because: { _ in .disarmed })
    }

    /// The person answers. Closing silences the ring that is heard; the next one comes as it would
    /// have. Sleeping silences the zone, or all, for as long as the zone says.
    mutating func answer(
        _ answer: AlarmAnswer, at moment: Moment, rules: EvaluatorRules
    ) -> [Step] {
        guard answer.action == .sleep else { return [] }
        for place in alarms.indices where answer.zone.map({ $0 == alarms[place].zone.id }) ?? true {
            let seconds = Int64(max(0, alarms[place].zone.alarm.sleepSeconds))
            alarms[place].phase = .asleep(until: moment.now + .seconds(seconds))
        }
        return advance(at: moment, rules: rules)
    }

    /// The person is deleted.
    mutating func personRemoved() -> [Step] { endAll(except: [], because: { _ in .removed }) }

    /// When time alone leads to a ring; nil while nothing rings, or only with another fix.
    ///
    /// - Parameter fix: when the last one was taken that moved presence
    func nextRing(fix: Timestamp, rules: EvaluatorRules) -> Timestamp? {
        guard let dueRing else { return nil }
        return dueRing <= fix.plus(seconds: rules.alarmFixSecondsMax) ? dueRing : nil
    }

    /// Whether a later fix, and nothing else, makes time lead to a ring.
    func isFixAwaited(fix: Timestamp, rules: EvaluatorRules) -> Bool {
        dueRing.map { $0 > fix.plus(seconds: rules.alarmFixSecondsMax) } ?? false
    }

    /// When the one that speaks rings again, if somebody is known to be there still.
    private var dueRing: Timestamp? {
        guard let speaker, case .awake(let due) = alarms[speaker].phase else { return nil }
        return due
    }

    private mutating func start(
        _ stay: AlarmStay, of person: PersonID, at moment: Moment
    ) {
        let id = Hash.meaning(
            kind: "alarm", person: person, subject: .id(stay.zone.id),
            cause: Hash.id(.id(moment.record), .number(moment.decided.microseconds)))
        let alarm = ZoneAlarming(
            id: AlarmID(id), zone: stay.zone, presence: stay.presence,
            rings: 0,
            phase: .awake(nextRing: moment.now))
        let place = alarms.firstIndex { $0.zone.id > stay.zone.id } ?? alarms.count
        alarms.insert(alarm, at: place)
    }

    /// Lets the one that speaks ring if it is due. Where no fix came for long, it waits for one and
    /// stays the one that speaks: what is found out meanwhile changes nothing about it.
    private mutating func ring(at moment: Moment, rules: EvaluatorRules) -> Step? {
        guard let speaker, case .awake(let due) = alarms[speaker].phase, due <= moment.now else {
            return nil
        }
        guard moment.isFresh(rules) else {
            // Later than time alone leads to a ring, so that it is not due by that again.
            alarms[speaker].phase = .awake(nextRing: moment.now)
            return nil
        }
        let cycle = Int64(alarms[speaker].zone.alarm.cycleSeconds)
        alarms[speaker].rings += 1
        alarms[speaker].phase = .awake(
            nextRing: moment.now.plus(seconds: max(rules.alarmCycleSecondsMin, cycle)))
        return Step(kind: .repeated, alarm: alarms[speaker], speaks: true)
    }

    private mutating func endAll(
        except stays: [AlarmStay], because reason: (AlarmZone) -> AlarmEnd
    ) -> [Step] {
        guard !alarms.isEmpty else { return [] }
        let speaker = speaker
        var steps: [Step] = []
        for place in alarms.indices {
            let alarm = alarms[place]
            if stays.contains(where: { $0.zone.id == alarm.zone.id }) { continue }
            let end = reason(alarm.zone)
            steps.append(Step(kind: .ended(end), alarm: alarm, speaks: place == speaker))
        }
        for step in steps { alarms.removeAll { $0.id == step.alarm.id } }
        return steps
    }
}

extension AlarmLife.Moment {
    /// Whether the person was heard of lately enough to be alarmed.
    fileprivate func isFresh(_ rules: EvaluatorRules) -> Bool {
        now <= fix.plus(seconds: rules.alarmFixSecondsMax)
    }
}

extension ZoneAlarming {
    /// A fix finds the person there still.
    fileprivate mutating func wake(at moment: AlarmLife.Moment) {
        guard moment.isFix, case .asleep(let until) = phase, until <= moment.now else { return }
        phase = .awake(nextRing: moment.now)
    }
}
