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
        /// Id of the record that leads to it.
        var cause: ID128
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
        guard isArmed, !(stays.isEmpty && alarms.isEmpty) else { return [] }
        var steps = endAll(except: stays, because: reason)
        let isFresh = moment.isFresh(rules)
        var begun: [AlarmStay] = []
        for stay in stays {
            if let place = place(of: stay.zone.id) {
                alarms[place].zone = stay.zone
                alarms[place].presence = stay.presence
                alarms[place].wake(at: moment)
            } else if isFresh {
                start(stay, of: person, at: moment)
                begun.append(stay)
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

    /// The person shall be alarmed, or not. Arming starts nothing by itself: whoever arms goes on
    /// with ``follow(_:of:at:rules:because:)``.
    mutating func arm(_ armed: Bool) -> [Step] {
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
    func nextRing(at moment: Moment, rules: EvaluatorRules) -> Timestamp? {
        guard moment.isFresh(rules), let speaker, case .awake(let due) = alarms[speaker].phase,
            due <= moment.fix + .seconds(rules.alarmFixSecondsMax)
        else { return nil }
        return due
    }

    /// A stay's alarm: asking twice is one.
    static func id(of person: PersonID, _ zone: ZoneID, cause: ID128) -> AlarmID {
        AlarmID(Hash.meaning(kind: "alarm", person: person, subject: .id(zone), cause: cause))
    }

    private mutating func start(
        _ stay: AlarmStay, of person: PersonID, at moment: Moment
    ) {
        let alarm = ZoneAlarming(
            id: AlarmLife.id(of: person, stay.zone.id, cause: moment.cause), zone: stay.zone,
            started: moment.now, presence: stay.presence, rings: 0,
            phase: .awake(nextRing: moment.now))
        let place = alarms.firstIndex { $0.zone.id > stay.zone.id } ?? alarms.count
        alarms.insert(alarm, at: place)
    }

    /// Lets the one that speaks ring if it is due.
    private mutating func ring(at moment: Moment, rules: EvaluatorRules) -> Step? {
        guard moment.isFresh(rules), let speaker, case .awake(let due) = alarms[speaker].phase,
            due <= moment.now
        else { return nil }
        let cycle = max(rules.alarmCycleSecondsMin, Int64(alarms[speaker].zone.alarm.cycleSeconds))
        alarms[speaker].rings += 1
        alarms[speaker].phase = .awake(nextRing: moment.now + .seconds(cycle))
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
        now - fix <= .seconds(rules.alarmFixSecondsMax)
    }
}

extension ZoneAlarming {
    /// A fix finds the person there still.
    fileprivate mutating func wake(at moment: AlarmLife.Moment) {
        guard moment.isFix, case .asleep(let until) = phase, until <= moment.now else { return }
        phase = .awake(nextRing: moment.now)
    }
}
