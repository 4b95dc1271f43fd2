import Directory
import Hashing
import Model

/// What a deadline of an emergency is for.
enum EmergencyDeadline: Hashable, Sendable {
    /// A responder from an escalation tier.
    case tier(EmergencyID, CircleID)
    /// The timeout of an acknowledgement, or of the answer to its reminder.
    case acknowledgement(EmergencyID)

    var emergency: EmergencyID {
        switch self {
        case .tier(let id, _), .acknowledgement(let id): id
        }
    }
}

/// Emergencies in memory with their signals and deadlines, and the notices about them.
struct EmergencyBook: Sendable {
    private var emergencies: [EmergencyID: Emergency] = [:]
    /// Active emergencies of each person, oldest first.
    private var activeOf: [PersonID: [EmergencyID]] = [:]
    var signals: Signals
    var deadlines = Deadlines<EmergencyDeadline>()
    /// Whether messages leave this machine; timeline entries say if they do not.
    private let isSinkOnly: Bool

    init(from rows: NotifierRows, at now: Timestamp, _ delivery: inout Delivery) {
        signals = Signals(rows.signals, at: now)
        isSinkOnly = delivery.configuration.isSinkOnly
        for var emergency in rows.emergencies.sorted(by: { $0.raised < $1.raised }) {
            // Items held in an earlier outage are released.
            if !delivery.hold.isActive(at: now) { emergency.isHeld = nil }
            keep(emergency, &delivery)
            for acknowledgement in emergency.acknowledgements {
                guard let deadline = acknowledgement.deadline, let due = acknowledgement.due else {
                    continue
                }
                deadlines.restore(
                    Deadline(
                        id: deadline, kind: .acknowledgementHold, person: emergency.person,
                        emergency: emergency.id, due: due),
                    for: .acknowledgement(emergency.id), earliest: now + Limits.fallbackWait)
            }
        }
    }

    // MARK: Reading

    subscript(id: EmergencyID) -> Emergency? { emergencies[id] }

    var all: some Collection<Emergency> { emergencies.values }

    /// Ids of a person's active emergencies, oldest first.
    ///
    /// Without one that goes on after a duress PIN: calls never join it.
    func active(of person: PersonID) -> [EmergencyID] {
        (activeOf[person] ?? []).filter { emergencies[$0]?.underDuress == nil }
    }

    /// The active emergency that goes on after a person ended one with a duress PIN; nil = none.
    func covert(of person: PersonID) -> Emergency? {
        (activeOf[person] ?? []).lazy.compactMap { emergencies[$0] }
            .first { $0.underDuress != nil }
    }

    /// Active emergencies, in no order.
    var active: [Emergency] { activeOf.values.joined().compactMap { emergencies[$0] } }

    /// Finds an emergency by its own id or by the id of a signal that joined it.
    func emergency(named id: EmergencyID) -> Emergency? {
        if let own = emergencies[id], own.state.isActive { return own }
        return active.first { $0.joined.contains(id) } ?? emergencies[id]
    }

    /// Finds an emergency as a viewer knows it: others than its person find what goes on of one
    /// that was ended with a duress PIN. Nil = the operator.
    func emergency(named id: EmergencyID, for viewer: PersonID?) -> Emergency? {
        guard let found = emergency(named: id), found.isVisible(to: viewer) else { return nil }
        return viewer == found.person ? found : continuation(of: found) ?? found
    }

    /// What goes on for others of an emergency that its person ended under duress, or ended while
    /// one under duress goes on; nil = nothing.
    func continuation(of ended: Emergency) -> Emergency? {
        guard !ended.state.isActive, ended.underDuress == nil,
            let covert = covert(of: ended.person), let first = covert.underDuress
        else { return nil }
        let isFirst = ended.signals.contains(first)
        let isLater =
            covert.opened.flatMap { opened in ended.ended.map { opened <= $0 } } ?? false
        return isFirst || (isLater && ended.endedBy == ended.person) ? covert : nil
    }

    /// Whether others must neither call nor text the person of an emergency: it is under duress, or
    /// another one of the person is.
    func isUnderDuress(_ emergency: Emergency) -> Bool {
        emergency.underDuress != nil || covert(of: emergency.person) != nil
    }

    /// Active emergencies that are one with another for its recipients: the one under duress, and
    /// calls of its person since.
    func joined(with emergency: Emergency) -> [Emergency] {
        let others =
            emergency.underDuress == nil
            ? [covert(of: emergency.person)].compactMap(\.self)
            : active(of: emergency.person).compactMap { emergencies[$0] }
        return others.filter { $0.state == .open || $0.state == .acknowledged }
    }

    /// Whether an address is also the person's: nothing about duress goes there or comes from it.
    func isOwn(_ address: String, of person: PersonID, _ directory: Replica) -> Bool {
        directory.person(person)?.contacts.contains { $0.address == address } ?? false
    }

    // MARK: Access

    enum Permission {
        case yes(Emergency)
        case no(Answer)
    }

    /// The emergency if the principal may do this to it, otherwise the answer to send.
    func allowed(
        _ id: EmergencyID, _ principal: Principal, _ action: Action, _ turn: Turn
    ) -> Permission {
        guard let emergency = emergency(named: id, for: principal.person) else {
            let isWaiting = signals.isWaiting(id) && isHelper(id, principal, turn)
            return .no(isWaiting ? .notYet : .unknown)
        }
        // An ended emergency needs no acknowledgement first.
        let isAcknowledged =
            emergency.state != .open || emergency.isOver(for: principal.person, turn.directory)
        let directory = turn.directory.seen(by: emergency)
        let decision = directory.decide(
            principal, action,
            on: .emergency(
                of: emergency.person, isRecipient: emergency.isRecipient(principal.person),
                isAcknowledged: isAcknowledged),
            at: turn.now)
        switch decision {
        case .allowed
        where action == .resolve && isUnderDuress(emergency)
            && !mayEndUnderDuress(emergency, principal.person, turn.directory):
            return .no(.denied(.roleTooLow))
        case .allowed: return .yes(emergency)
        case .denied(.notAMember): return .no(.unknown)
        case .denied(let denial): return .no(.denied(denial))
        }
    }

    /// Whether somebody may end an emergency of a person under duress: a guardian, or an admin of a
    /// circle without another guardian.
    func mayEndUnderDuress(
        _ emergency: Emergency, _ other: PersonID?, _ directory: Replica
    ) -> Bool {
        guard let other else { return false }
        let person = emergency.person
        let directory = directory.seen(by: covert(of: person) ?? emergency)
        return directory.circles(of: person, answeredBy: other).compactMap(directory.circle)
            .contains { circle in
                let helpers = Recipients.helpers(of: person, in: circle)
                let hasGuardian = helpers.contains { $0.role == .guardian }
                return helpers.contains {
                    $0.person == other && $0.role == (hasGuardian ? .guardian : .admin)
                }
            }
    }

    /// The emergency if its person may confirm its end now, otherwise the answer to send.
    func confirmable(_ command: Command, _ turn: Turn) -> Permission {
        guard
            let emergency = emergency(named: command.emergency, for: command.principal.person),
            command.principal.person == emergency.person
        else {
            let isKnown = isReadable(command.emergency, by: command.principal, turn)
            return .no(isKnown ? .denied(.personOnly) : .unknown)
        }
        switch emergency.state {
        case .countdown: return .no(.notYet)
        case .resolved, .cancelled:
            return .no(status(of: emergency.id, for: emergency.person, turn))
        case .open, .acknowledged:
            return emergency.endedCircles.isEmpty ? .no(.notEnded) : .yes(emergency)
        }
    }

    /// The emergency if its person may reopen it now, otherwise the answer to send.
    func reopenable(_ command: Command, _ turn: Turn) -> Permission {
        guard let emergency = emergency(named: command.emergency),
            command.principal.person == emergency.person
        else {
            let isKnown = isReadable(command.emergency, by: command.principal, turn)
            return .no(isKnown ? .denied(.personOnly) : .unknown)
        }
        switch emergency.state {
        case .countdown: return .no(.notYet)
        case .open, .acknowledged:
            // Nobody ended it, or it was reopened a moment ago.
            guard let last = emergency.circleEnds?.map(\.at).max() else {
                return .no(status(of: emergency.id, for: emergency.person, turn))
            }
            return turn.now - last <= Limits.reopenWindow ? .yes(emergency) : .no(.notReopenable)
        case .cancelled: return .no(.notReopenable)
        case .resolved:
            guard emergency.endedBy != emergency.person, let ended = emergency.ended,
                turn.now - ended <= Limits.reopenWindow
            else { return .no(.notReopenable) }
            return .yes(emergency)
        }
    }

    /// Whether the principal may know about a signal that waits for an evaluator.
    private func isHelper(_ id: EmergencyID, _ principal: Principal, _ turn: Turn) -> Bool {
        guard let signal = signals[id]?.signal, signal.underDuress == nil else { return false }
        let person = signal.person
        return turn.directory.decide(
            principal, .readEmergency,
            on: .emergency(of: person, isRecipient: false, isAcknowledged: false), at: turn.now
        ).isAllowed
    }

    /// Whether a principal may know that the emergency exists.
    func isReadable(_ id: EmergencyID, by principal: Principal, _ turn: Turn) -> Bool {
        guard let emergency = emergency(named: id, for: principal.person) else { return false }
        return turn.directory.seen(by: emergency).decide(
            principal, .readEmergency,
            on: .emergency(
                of: emergency.person, isRecipient: emergency.isRecipient(principal.person),
                isAcknowledged: false),
            at: turn.now
        ).isAllowed
    }

    /// The state of an emergency as a person sees it; nil = the operator.
    func status(of id: EmergencyID, for person: PersonID?, _ turn: Turn) -> Answer {
        guard let emergency = emergencies[id] else { return .unknown }
        if emergency.state.isActive, let person, person != emergency.person,
            let end = emergency.end(for: person, in: turn.directory)
        {
            return .status(
                EmergencyStatus(
                    emergency: id, state: .resolved, by: end.by, at: end.at,
                    isYours: end.by == person))
        }
        let isOver = !emergency.state.isActive
        let acknowledgement = emergency.acknowledgement(for: person, in: turn.directory)
        let by = isOver ? emergency.endedBy : acknowledgement?.by
        let at = isOver ? emergency.ended : acknowledgement?.at
        return .status(
            EmergencyStatus(
                emergency: id, state: emergency.state, by: by, at: at ?? turn.now,
                isYours: by == person))
    }

    // MARK: Changes

    /// Keeps an emergency in memory and updates the index of active ones. The row is not saved.
    mutating func keep(_ emergency: Emergency, _ delivery: inout Delivery) {
        emergencies[emergency.id] = emergency
        delivery.emergencyChanged(emergency.id, EmergencyFacts(emergency))
        var active = activeOf[emergency.person, default: []]
        if !emergency.state.isActive {
            active.removeAll { $0 == emergency.id }
        } else if !active.contains(emergency.id) {
            active.append(emergency.id)
        }
        activeOf[emergency.person] = active.isEmpty ? nil : active
    }

    mutating func save(_ emergency: Emergency, _ delivery: inout Delivery, _ turn: inout Turn) {
        keep(emergency, &delivery)
        turn.save(.emergency(emergency))
    }

    /// Applies a newer position.
    ///
    /// - Parameters:
    ///   - isSuspect: whether an evaluator found that it contradicts the ones before
    ///   - trail: positions before it, oldest first, that tell whether it does; empty = unknown
    mutating func updatePosition(
        _ fix: Fix?, _ battery: UInt8?, isSuspect: Bool = false, after trail: [Fix] = [],
        of id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], let fix,
            emergency.fix.map({ $0.time < fix.time || $0 == fix && !trail.isEmpty }) ?? true
        else { return }
        let before = emergency
        emergency.apply(fix, isSuspect: isSuspect, after: trail)
        emergency.battery = battery ?? emergency.battery
        if emergency != before { save(emergency, &delivery, &turn) }
    }

    /// Schedules the deadline after which a responder is asked again, or the deadline for their
    /// answer.
    mutating func scheduleTimeout(
        of acknowledgement: Acknowledgement, _ id: EmergencyID, after wait: Duration,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        var acknowledgement = acknowledgement
        deadlines.cancel(acknowledgement.deadline, &turn)
        let deadline = Deadline(
            id: DerivedID.acknowledgementTimeout(
                id, acknowledgementCount: emergency.acknowledgementCount, acknowledgement),
            kind: .acknowledgementHold, person: emergency.person, emergency: id,
            due: turn.now + wait)
        acknowledgement.deadline = deadline.id
        acknowledgement.due = deadline.due
        emergency.update(acknowledgement)
        save(emergency, &delivery, &turn)
        deadlines.schedule(deadline, for: .acknowledgement(id), &turn)
    }

    /// Cancels the deadlines of an emergency's acknowledgements.
    mutating func cancelTimeouts(of emergency: Emergency, _ turn: inout Turn) {
        for acknowledgement in emergency.acknowledgements {
            deadlines.cancel(acknowledgement.deadline, &turn)
        }
    }

    /// Removes ended emergencies and old signals from memory; the store keeps emergencies.
    mutating func sweep(_ delivery: inout Delivery, _ turn: inout Turn) -> [EmergencyID] {
        let over = emergencies.values.filter {
            $0.ended.map { turn.now - $0 > Limits.endedEmergencyKept } ?? false
        }.map(\.id)
        for id in over {
            emergencies[id] = nil
            delivery.emergencyChanged(id, nil)
        }
        signals.sweep(&turn)
        return over
    }

    // MARK: Notices

    /// Notifies a recipient of an emergency, with its position and battery.
    ///
    /// The text describes the last further call, or the first signal if there was none.
    ///
    /// - Parameters:
    ///   - circle: the circle on whose behalf; nil = any that both have joined
    ///   - channels: use the preferred contact points of these channels; nil = all contact points
    mutating func notifyAlarm(
        _ id: EmergencyID, to recipient: PersonID, _ repetition: Repetition, reason: NotifyReason,
        scope: EventID, circle: CircleID? = nil, channels: [Channel]? = Channel.allCases,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> DeliveryOutcome {
        guard var emergency = emergencies[id] else {
            return DeliveryOutcome(reason: .notOfCircle)
        }
        let directory = turn.directory.seen(by: emergency)
        let common = directory.circles(of: recipient).compactMap(directory.circle)
            .filter { $0.member(emergency.person) != nil && (circle ?? $0.id) == $0.id }
        // People who left the circle are notified of the end, but of no further call.
        guard !common.isEmpty else { return DeliveryOutcome(reason: .notOfCircle) }
        let seeing = common.first { isExact(emergency, to: recipient, in: $0, turn) }
        let further = repetition == .another ? emergency.latest : nil
        var alarm = Alarm(
            trigger: further?.trigger ?? emergency.trigger,
            raised: further?.raised ?? emergency.raised, isLate: emergency.isLate,
            battery: emergency.battery, note: emergency.note)
        let caller = further == nil ? emergency.raisedBy : further?.raisedBy
        alarm.by = caller.flatMap { turn.directory.person($0)?.name }
        if let fix = emergency.fix {
            if seeing != nil {
                alarm.place = Place(fix, isSuspect: emergency.isSuspect == true)
                alarm.signOfLife = emergency.newestSign
            } else {
                alarm.suppressed = suppressed(
                    fix, of: emergency.person, from: common, to: recipient, turn)
            }
        }
        var plan = DeliveryPlan(reason: reason, severity: .safety, scope: scope)
        plan.emergency = emergency
        plan.circle = seeing ?? common.first
        plan.person = emergency.person
        plan.channels = channels
        plan.expires = turn.now + Limits.safetyAgeMax
        plan.raised = further?.raised
        plan.showsPlace = alarm.place != nil
        let own = ownAddresses(of: emergency.person, turn.directory)
        if emergency.underDuress != nil {
            alarm.isUnderDuress = true
            plan.except = own
        } else if covert(of: emergency.person) != nil {
            // Recipients must not call; the person reads what a first call looks like.
            plan.disguise = Disguise(shown: .alarm(alarm, repetition), ownAddresses: own)
            alarm.isUnderDuress = true
        }
        let outcome = delivery.notify(recipient, .alarm(alarm, repetition), plan, &turn)
        if !outcome.notifications.isEmpty, !emergency.recipients.contains(recipient) {
            emergency.recipients = (emergency.recipients + [recipient]).sorted()
            emergency.withheld?.removeAll { $0 == recipient }
            save(emergency, &delivery, &turn)
        } else if outcome.isWithheld, !emergency.audience.contains(recipient) {
            emergency.withheld = ((emergency.withheld ?? []) + [recipient]).sorted()
            save(emergency, &delivery, &turn)
        }
        return outcome
    }

    /// Whether a recipient may see the exact position, in one of the circles of both.
    func showsPosition(of emergency: Emergency, to recipient: PersonID, _ turn: Turn) -> Bool {
        let directory = turn.directory.seen(by: emergency)
        return directory.circles(of: emergency.person, answeredBy: recipient)
            .compactMap(directory.circle).contains {
                isExact(emergency, to: recipient, in: $0, turn)
            }
    }

    private func isExact(
        _ emergency: Emergency, to recipient: PersonID, in circle: Circle, _ turn: Turn
    ) -> Bool {
        guard let member = circle.member(emergency.person) else { return false }
        let directory = turn.directory.seen(by: emergency)
        return PositionAccess(of: .person(recipient), in: circle, directory, at: turn.now)
            .detail(of: member, sharesByOwnCall: emergency.isOwnCall) == .exact
    }

    /// What to say instead of a position that the recipient does not see in these circles.
    func suppressed(
        _ fix: Fix, of person: PersonID, from circles: [Circle], to recipient: PersonID,
        _ turn: Turn
    ) -> SuppressedPlace {
        let names = circles.lazy.compactMap { circle -> String? in
            let access = PositionAccess(
                of: .person(recipient), in: circle, turn.directory, at: turn.now)
            guard let member = circle.member(person), access.detail(of: member) == .zone else {
                return nil
            }
            return ZoneNaming(in: turn.directory).name(at: fix, of: member, in: circle)
        }
        return names.first.map { .zone($0, taken: fix.time) } ?? .notShared
    }

    /// Notifies a recipient of the progress of an emergency.
    ///
    /// - Parameter addresses: addresses to skip; they get a more important message
    func notifyProgress(
        _ id: EmergencyID, to recipient: PersonID, _ content: NoticeContent, reason: NotifyReason,
        scope: EventID, onAllContacts: Bool = false, except addresses: Set<String> = [],
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> NotifyDecision {
        guard let emergency = emergencies[id], emergency.isVisible(to: recipient) else {
            return NotifyDecision(recipient: recipient, reason: .notOfCircle)
        }
        var plan = DeliveryPlan(reason: reason, severity: .safety, scope: scope)
        plan.emergency = emergency
        plan.person = emergency.person
        if onAllContacts { plan.channels = nil }
        plan.except = addresses
        let own = ownAddresses(of: emergency.person, turn.directory)
        if emergency.underDuress != nil {
            plan.except.formUnion(own)
        } else if emergency.endedBy == emergency.person, recipient != emergency.person,
            covert(of: emergency.person) != nil
        {
            // For others it goes on. The person sees their messages about the end as sent.
            plan.disguise = Disguise(shown: nil, ownAddresses: own)
        }
        plan.expires = turn.now + Limits.safetyAgeMax
        return NotifyDecision(recipient, delivery.notify(recipient, content, plan, &turn))
    }

    /// Addresses that are also the person's: nothing about duress goes there.
    private func ownAddresses(of person: PersonID, _ directory: Replica) -> Set<String> {
        Set((directory.person(person)?.contacts ?? []).map(\.address))
    }

    /// Informs the person in danger of who called on their behalf; does nothing for nil.
    mutating func notifyRaised(
        _ id: EmergencyID, signal: EmergencyID, by caller: PersonID?, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard let emergency = emergencies[id], let caller else { return }
        let name = turn.directory.person(caller)?.name
        _ = notifyProgress(
            id, to: emergency.person, .ownRaised(by: name), reason: .ownRaised,
            scope: DerivedID.update(id, .ownRaised, cause: signal.raw), onAllContacts: true,
            &delivery, &turn)
    }

    /// Notifies guardians, or admins if there are none, once of a signal that came too late for an
    /// escalation.
    mutating func notifyOnce(_ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard let emergency = emergencies[id] else { return }
        let scope = DerivedID.update(id, .lateRecord, cause: id.raw)
        for circle in turn.directory.circles(of: emergency.person)
            .compactMap(turn.directory.circle)
        {
            let helpers = Recipients.helpers(of: emergency.person, in: circle)
            let guardians = helpers.filter { $0.role == .guardian }
            let chosen = guardians.isEmpty ? helpers.filter { $0.role == .admin } : guardians
            for member in chosen {
                _ = notifyAlarm(
                    id, to: member.person, .record, reason: .lateRecord, scope: scope,
                    circle: circle.id, &delivery, &turn)
            }
        }
    }

    /// Informs the person in danger once that nobody has responded, and which number to call.
    mutating func notifyNobodyReached(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], !emergency.nobodyReachedNotified,
            emergency.underDuress == nil
        else { return }
        emergency.nobodyReachedNotified = true
        save(emergency, &delivery, &turn)
        let isAnyReachable = emergency.audience.compactMap(turn.directory.person).contains {
            ContactSelector.all(of: $0, on: delivery.configuration.channels)
                .contains(where: delivery.contacts.isWorking)
        }
        if !isAnyReachable { turn.emit(.warn(.nobodyReachable(id))) }
        let phone = turn.directory.person(emergency.person)?.contacts
            .first { $0.channel == .sms }?.address
        let number = EmergencyNumber.number(forPhone: phone ?? "")
        // A reopened emergency informs them again.
        let cause = emergency.endings.map { Hash.id("ending", .number($0)) } ?? id.raw
        _ = notifyProgress(
            id, to: emergency.person, .ownNobodyReached(number: number), reason: .ownNobodyReached,
            scope: DerivedID.update(id, .ownNobodyReached, cause: cause), &delivery, &turn)
    }

    /// Appends an entry to the timelines of the circles concerned. Each circle sees only decisions
    /// about its own members.
    ///
    /// - Parameter circle: nil = every circle of the person
    func record(
        _ kind: TimelineKind, _ emergency: Emergency, circle: CircleID? = nil,
        by: PersonID? = nil, tier: Int? = nil, round: Int? = nil,
        decisions: [NotifyDecision] = [], text: String? = nil, _ turn: inout Turn
    ) {
        let circles =
            circle.map { [$0] }
            ?? turn.directory.seen(by: emergency).circles(of: emergency.person).filter {
                emergency.concerns($0, turn.directory)
            }
        for id in circles {
            let members = Set(turn.directory.circle(id)?.members.map(\.person) ?? [])
            var record = TimelineRecord(
                circle: id, at: turn.now, kind: kind, person: emergency.person,
                emergency: emergency.id, by: by,
                decisions: decisions.filter { members.contains($0.recipient) },
                trace: turn.trace)
            record.isCovert = emergency.underDuress == nil ? nil : true
            record.tier = tier
            record.round = round
            record.text = text
            if isSinkOnly, decisions.contains(where: \.reason.sendsMessage) {
                record.isSinkOnly = true
            }
            turn.save(.timeline(record))
        }
    }

    // MARK: Snapshots

    /// Publishes a snapshot of an emergency, for ingest and evaluators that may have lost it. Its
    /// id is the same as long as the state is.
    func publishSnapshot(_ id: EmergencyID, _ delivery: Delivery, _ turn: inout Turn) {
        guard let emergency = emergencies[id], let opened = emergency.opened ?? emergency.ended
        else { return }
        let isTaken = emergency.state == .acknowledged
        let answered = isTaken ? emergency.firstAcknowledgement?.at : emergency.ended
        publish(
            EmergencySnapshot(
                emergency: id, person: emergency.person, state: emergency.state,
                by: isTaken ? emergency.firstAcknowledgement?.by : emergency.endedBy,
                at: answered ?? emergency.reopened ?? opened,
                signals: emergency.signals.map { signals.signal($0, of: emergency) },
                recipients: emergency.recipients.filter { $0 != emergency.person },
                reached: reached(emergency, delivery, turn.directory),
                endedCircles: emergency.state.isActive ? emergency.endedCircles : []),
            trace: emergency.trace, &turn)
    }

    /// Publishes a snapshot of a signal without an answer.
    func publishSnapshot(of signal: EmergencySignal, _ turn: inout Turn) {
        publish(
            EmergencySnapshot(
                emergency: signal.id, person: signal.person, state: .countdown,
                at: signal.received, signals: [signal]),
            trace: signal.trace, &turn)
    }

    private func publish(_ snapshot: EmergencySnapshot, trace: String, _ turn: inout Turn) {
        let id = DerivedID.event(
            .emergencySnapshot, snapshot.person, .id(snapshot.emergency),
            .text(snapshot.state.rawValue), snapshot.by.map { .id($0) } ?? .none,
            .number(snapshot.at.microseconds), .text(snapshot.reached?.rawValue ?? ""),
            .id(Hash.id(of: snapshot.signals.map { .id($0.id) })),
            .id(Hash.id(of: snapshot.recipients.map { .id($0) })),
            .id(Hash.id(of: snapshot.endedCircles.map { .id($0) })))
        turn.emit(
            .publish(
                Event(id: id, time: turn.now, trace: trace, body: .emergencySnapshot(snapshot))))
    }

    /// Best delivery state of messages to others since the emergency was last opened.
    private func reached(
        _ emergency: Emergency, _ delivery: Delivery, _ directory: Replica
    ) -> NotificationState? {
        let since = emergency.notifiedSince ?? emergency.reopened ?? emergency.raised
        let states = delivery.book.about(emergency.id).filter { message in
            message.recipient != emergency.person && message.created >= since
                && message.recipient.map { emergency.goesOn(for: $0, in: directory) } ?? true
                && (message.state == .delivered
                    || !delivery.contacts.isUnreachable(message.address))
        }.map(\.state)
        return [.delivered, .accepted, .sink].first(where: states.contains)
    }
}
