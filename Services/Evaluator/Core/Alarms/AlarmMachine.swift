import Hashing
import Model

/// A person's zone alarms: one for each alert zone that the person is inside or near while armed.
///
/// Only the most urgent alarm that is not asleep is audible; the others wait silently. Transitions
/// are pure and return steps, which ``update(_:_:_:)`` and the other inputs turn into events.
struct AlarmMachine: Hashable, Sendable {
    /// The result of a transition.
    struct Step: Hashable {
        enum Kind: Hashable {
            /// `initial`: the person was found in the zone and did not enter just now.
            case started(initial: Bool)
            case repeated
            case ended(AlarmEnd)
            /// The person is inside a zone that raises an emergency.
            case raised
        }

        var kind: Kind
        var alarm: ActiveAlarm
        /// Whether this alarm is the audible one.
        var isAudible: Bool
    }

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

        /// Whether the last fix is recent enough to ring.
        fileprivate func isFresh(_ rules: EvaluatorRules) -> Bool {
            now <= fix.plus(seconds: rules.alarmFixSecondsMax)
        }
    }

    /// Whether alert zones raise alarms for this person.
    var isArmed = true
    /// Whether an alarm may have to start with the next fix: the last fix was too old, or the
    /// person was armed just now.
    var isStartPending = false
    /// Ordered by zone id.
    var alarms: [ActiveAlarm] = []

    /// The earliest time at which an alarm can ring or wake while the person stays in the same
    /// zones.
    var nextChange: Timestamp {
        var next = Timestamp.distantFuture
        for index in alarms.indices {
            switch alarms[index].phase {
            case .awake(let time), .asleep(let time): next = min(next, time)
            }
        }
        return next
    }

    func index(of zone: ZoneID) -> Int? { alarms.firstIndex { $0.zone.id == zone } }

    /// Index of the audible alarm: the most urgent one that is not asleep.
    var audibleIndex: Int? {
        var found: Int?
        for index in alarms.indices where alarms[index].isAwake {
            if let best = found, !alarms[index].zone.isMoreUrgent(than: alarms[best].zone) {
                continue
            }
            found = index
        }
        return found
    }

    // MARK: Inputs

    /// Updates the alarms by the presence changes of this turn, and collects the messages that
    /// became due.
    mutating func update(
        _ presence: borrowing PresenceMachine, _ zones: KnownZones, _ turn: inout Turn
    ) {
        for change in turn.changes where !change.kind.rules.alarms { turn.triggered.add(change) }
        // Each fix lets alarms ring by time for a while.
        if turn.trustedFix != nil, !alarms.isEmpty { turn.areWaitsStale = true }
        guard isStartPending || mayChange(turn),
            let context = Context(presence.fixes, turn)
        else { return }
        findStays(presence, zones, &turn)
        let changes = turn.changes
        let steps = update(
            turn.buffers.alertStays, of: turn.person, at: context, rules: turn.rules,
            endReason: { zone in changes.last { $0.zone == zone.id }?.alarmEnd ?? .removed })
        emit(steps, presence, zones, &turn)
    }

    /// Whether what happened in this turn may change alarms.
    private func mayChange(_ turn: borrowing Turn) -> Bool {
        // A zone that is no alert zone any more may still have an alarm.
        let mayConcern = turn.changes.contains {
            $0.kind.rules.alarms || index(of: $0.zone) != nil
        }
        if mayConcern { return true }
        guard !alarms.isEmpty else { return false }
        return turn.isReconfigured || turn.trustedFix != nil && nextChange <= turn.end
    }

    /// Rings an alarm whose next ring is due.
    mutating func ring(
        _ presence: borrowing PresenceMachine, _ zones: KnownZones, _ turn: inout Turn
    ) {
        guard let context = Context(presence.fixes, turn) else { return }
        emit(advance(at: context, rules: turn.rules), presence, zones, &turn)
    }

    /// Arms or disarms the person's devices.
    mutating func arm(
        _ arming: Arming, _ presence: borrowing PresenceMachine, _ zones: KnownZones,
        _ turn: inout Turn
    ) {
        emit(arm(arming.armed), presence, zones, &turn)
    }

    /// Applies the person's answer to an alarm.
    mutating func answer(
        _ answer: AlarmAnswer, _ presence: borrowing PresenceMachine, _ zones: KnownZones,
        _ turn: inout Turn
    ) {
        guard let context = Context(presence.fixes, turn) else { return }
        let steps = self.answer(answer, at: context, rules: turn.rules)
        emit(steps, presence, zones, &turn)
    }

    /// Collects all alert zones that the person is inside or near.
    private func findStays(
        _ presence: borrowing PresenceMachine, _ zones: KnownZones, _ turn: inout Turn
    ) {
        turn.buffers.alertStays.removeAll(keepingCapacity: true)
        for known in presence.presences {
            guard presence.fastPath.mayAlarm(known.zone, zones.generation),
                var stay = AlarmStay(known, presence.applicable, zones, at: turn.now)
            else { continue }
            for change in turn.changes where change.zone == known.zone {
                if !change.isInitial, change.after == known.presence { stay.initial = false }
            }
            turn.buffers.alertStays.append(stay)
        }
    }

    private func emit(
        _ steps: [Step], _ presence: borrowing PresenceMachine, _ zones: KnownZones,
        _ turn: inout Turn
    ) {
        // The next ring may have changed even if nothing is emitted.
        turn.areWaitsStale = true
        guard let fix = presence.fixes.trusted?.fix else { return }
        for step in steps {
            let zone = step.alarm.zone
            if case .started = step.kind,
                let found = zones.zone(zone.id, of: presence.applicable, at: turn.now)
            {
                turn.triggered.add(
                    zone, step.alarm.presence == .near ? .approach : .enter,
                    messages: found.details.messages)
            }
            guard let body = step.body(of: turn.person, fix: fix) else {
                turn.zoneSignals.append(
                    step.alarm.signal(of: turn.person, fix, presence.fixes.battery, turn))
                continue
            }
            turn.emit(body, subject: .id(step.alarm.id), cause: step.cause)
        }
    }

    // MARK: Transitions

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
        var raising: [ActiveAlarm] = []
        for stay in stays {
            if let index = index(of: stay.zone.id) {
                let wasInside = alarms[index].presence == .inside
                alarms[index].zone = stay.zone
                alarms[index].presence = stay.presence
                if !wasInside, stay.raisesEmergency { raising.append(alarms[index]) }
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
            if stay.raisesEmergency { raising.append(alarms[index]) }
        }
        steps += raising.map { Step(kind: .raised, alarm: $0, isAudible: false) }
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

/// The alarm of one alert zone.
struct ActiveAlarm: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Rings from this time on, as soon as it is audible.
        case awake(nextRing: Timestamp)
        /// Put to sleep. Rings with the first fix after `until` that finds the person still there.
        case asleep(until: Timestamp)
    }

    var id: AlarmID
    /// As last configured, so that the end can be reported after the zone was removed.
    var zone: AlarmZone
    /// Inside or near.
    var presence: Presence
    /// Number of rings so far; 0 for an alarm that was never audible.
    var rings: Int
    var phase: Phase

    var isAwake: Bool {
        switch phase {
        case .awake: true
        case .asleep: false
        }
    }

    /// Wakes a sleeping alarm if a fix finds the person still there.
    fileprivate mutating func wake(at context: AlarmMachine.Context) {
        guard context.isFix, case .asleep(let until) = phase, until <= context.now else { return }
        phase = .awake(nextRing: context.now)
    }
}

extension ActiveAlarm {
    /// The signal of an alarm whose zone raises an emergency, the same each time that the person
    /// enters during the alarm.
    fileprivate func signal(
        of person: PersonID, _ fix: Fix, _ battery: UInt8?, _ turn: borrowing Turn
    ) -> EmergencySignal {
        let trigger = EmergencyTrigger.zone
        let id = Hash.derivedID(
            kind: "signal." + trigger.rawValue, person: person, subject: .id(zone.id),
            cause: self.id.raw)
        return EmergencySignal(
            id: EmergencyID(id), person: person, trigger: trigger, raised: turn.now,
            received: turn.now,
            countdownEnds: turn.now.plus(seconds: Int64(trigger.rules.countdownSeconds)),
            fix: fix, battery: battery, trace: turn.trace)
    }
}

/// The zone's fields that alarm events contain.
struct AlarmZone: Hashable, Sendable {
    var id: ZoneID
    var name: String
    var category: String
    /// Lower is more urgent.
    var priority: Int
    var circle: CircleID?
    var set: ZoneSetID?
    var alarm: ZoneAlarm

    /// Compares by priority, then name, then id. Names are compared by bytes, so the order does not
    /// depend on a Unicode version.
    func isMoreUrgent(than other: AlarmZone) -> Bool {
        if priority != other.priority { return priority < other.priority }
        let (mine, others) = (name.utf8.span, other.name.utf8.span)
        for index in 0..<min(mine.count, others.count) where mine[index] != others[index] {
            return mine[index] < others[index]
        }
        return mine.count == others.count ? id < other.id : mine.count < others.count
    }
}

/// An alert zone that a person is inside or near.
struct AlarmStay: Hashable, Sendable {
    var zone: AlarmZone
    /// Inside or near.
    var presence: Presence
    /// Whether the person was found there and was not observed to arrive.
    var initial: Bool

    /// Whether it is a reason for an emergency, not only for an alarm.
    var raisesEmergency: Bool { presence == .inside && zone.alarm.raisesEmergency }
}

extension AlarmMachine.Context {
    /// Nil if the person has no fix yet.
    fileprivate init?(_ fixes: borrowing FixHistory, _ turn: borrowing Turn) {
        guard let trusted = fixes.trusted else { return nil }
        self.init(
            now: turn.end, fix: trusted.fix.time, isFix: turn.trustedFix != nil,
            record: turn.cause, decided: turn.now)
    }
}

extension AlarmZone {
    init(_ id: ZoneID, of source: ZoneSource, _ details: ZoneDetails) {
        self.init(
            id: id, name: details.name, category: details.category, priority: details.priority,
            circle: source.circle, set: source.set, alarm: details.alarm)
    }
}

extension AlarmStay {
    /// A person's stay in an alert zone; nil if the person is neither inside nor near.
    init?(
        _ presence: ZonePresence, _ applicable: ApplicableZones, _ zones: KnownZones,
        at now: Timestamp
    ) {
        guard presence.isPresent, !presence.isCoarse,
            let found = zones.zone(presence.zone, of: applicable, at: now),
            found.zone.kind.rules.alarms
        else { return nil }
        self.init(
            zone: AlarmZone(found.zone.id, of: found.source, found.details),
            presence: presence.presence, initial: true)
    }
}

extension PresenceChange {
    /// Why this change ends an alarm.
    fileprivate var alarmEnd: AlarmEnd {
        switch after {
        case .unknown: .removed
        case .outside, .near, .inside: reason == .zoneChanged ? .zoneChanged : .exit
        }
    }
}

extension AlarmMachine.Step {
    /// Start and end happen once per alarm; each ring happens once.
    fileprivate var cause: ID128 {
        switch kind {
        case .started, .ended, .raised: alarm.id.raw
        case .repeated: Hash.id(.id(alarm.id), .number(alarm.rings))
        }
    }

    /// The event of a step; nil for one that raises an emergency.
    fileprivate func body(of person: PersonID, fix: Fix) -> EventBody? {
        switch kind {
        case .started(let initial): .alarmStarted(change(of: person, fix, initial: initial))
        case .repeated: .alarmRepeated(change(of: person, fix))
        case .ended(let end): .alarmEnded(change(of: person, fix, end: end))
        case .raised: nil
        }
    }

    private func change(
        of person: PersonID, _ fix: Fix, initial: Bool = false, end: AlarmEnd? = nil
    ) -> AlarmChange {
        let isGone = end == .exit || end == .zoneChanged
        return AlarmChange(
            alarm: alarm.id, person: person, zone: alarm.zone.id, zoneName: alarm.zone.name,
            category: alarm.zone.category, priority: alarm.zone.priority,
            circle: alarm.zone.circle, set: alarm.zone.set, vibrates: alarm.zone.alarm.vibrates,
            sound: alarm.zone.alarm.sound, presence: isGone ? .outside : alarm.presence,
            rings: alarm.rings, initial: initial, isAudible: isAudible, end: end, fix: fix)
    }
}
