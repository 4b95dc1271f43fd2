import Directory
import Hashing
import Model

/// Drills of circles: notifies one tier after the other like an escalation, and records who
/// answered.
///
/// An answer stops nothing, as everybody is to be tested. A drill starts only while no emergency
/// of a member is known, and an emergency ends it at once. It publishes nothing but its deadlines:
/// other services never take it for an emergency.
package struct Drills: Sendable {
    private enum Purpose: Sendable {
        case tier(DrillID)
        case scheduled(CircleID)
    }

    private let secret: [UInt8]
    /// Running and recently ended ones.
    private var drills: [DrillID: Drill] = [:]
    private var links: [LinkHash: (drill: DrillID, person: PersonID)] = [:]
    private var schedules: [CircleID: DrillSchedule] = [:]
    private var deadlines = Deadlines<Purpose>()

    init(_ rows: NotifierRows, at now: Timestamp, secret: [UInt8]) {
        self.secret = secret
        for drill in rows.drills {
            keep(drill)
            if let deadline = tierDeadline(of: drill) {
                deadlines.restore(deadline, for: .tier(drill.id), earliest: now)
            }
        }
        for schedule in rows.drillSchedules {
            schedules[schedule.circle] = schedule
            deadlines.restore(
                schedule.deadline, for: .scheduled(schedule.circle), earliest: now)
        }
    }

    // MARK: Reading

    /// A running or recently ended drill.
    package subscript(id: DrillID) -> Drill? { drills[id] }

    /// The schedule of a circle; nil = there is none.
    package func schedule(of circle: CircleID) -> DrillSchedule? { schedules[circle] }

    /// The drill and the participant of a link that is valid now.
    package func target(of link: LinkHash) -> (drill: Drill, person: PersonID)? {
        links[link].flatMap { target in drills[target.drill].map { ($0, target.person) } }
    }

    var nextDue: Timestamp? { deadlines.nextDue }

    private func running(in circle: CircleID) -> Drill? {
        drills.values.first { $0.circle == circle && $0.state == .running }
    }

    private var running: [Drill] {
        drills.values.filter { $0.state == .running }.sorted { $0.id < $1.id }
    }

    // MARK: Commands

    mutating func handle(
        _ command: DrillCommand, _ escalation: Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        turn.trace = command.trace
        if case .answer(let link) = command.action {
            guard let (drill, person) = target(of: link) else { return }
            return record(person, answered: drill.id, by: .page, &turn)
        }
        let answer = outcome(of: command, escalation, &delivery, &turn)
        turn.emit(.answer(request: command.request, .drill(answer)))
    }

    private mutating func outcome(
        of command: DrillCommand, _ escalation: Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) -> DrillAnswer {
        let decision = turn.directory.decide(
            command.principal, .startDrill, on: .circle(command.circle), at: turn.now)
        guard let circle = turn.directory.circle(command.circle),
            decision != .denied(.notAMember)
        else { return .unknown }
        if let denial = decision.denial { return .denied(denial) }
        guard let person = command.principal.person else { return .denied(.personOnly) }
        switch command.action {
        case .start(let id):
            if let refusal = refusal(in: circle, to: person, escalation, turn) {
                return .refused(refusal)
            }
            let drill = Drill(
                id: id, circle: circle, starter: person, isScheduled: false, at: turn.now,
                trace: turn.trace)
            start(drill, &delivery, &turn)
            return drills[id].map { .drill($0) } ?? .unknown
        case .stop(let id):
            guard let drill = drills[id], drill.circle == circle.id else { return .unknown }
            end(id, as: .stopped, &delivery, &turn)
            return .drill(drills[id] ?? drill)
        case .schedule(let day, let minute):
            return .schedule(
                schedule(circle.id, by: person, day: day, minute: minute, delivery, &turn))
        case .unschedule:
            unschedule(circle.id, &turn)
            return .unscheduled
        case .answer: return .unknown
        }
    }

    /// Why a drill of a circle cannot start; nil = it can.
    ///
    /// Only an emergency that the person may know of counts: a refusal because of another one would
    /// reveal it.
    private func refusal(
        in circle: Circle, to person: PersonID, _ escalation: Escalation, _ turn: Turn
    ) -> DrillRefusal? {
        if running(in: circle.id) != nil { return .running }
        let isEmergency = escalation.book.active.contains { emergency in
            emergency.interrupts(circle, turn.directory) && emergency.isVisible(to: person)
                && !turn.directory.hidesEmergencies(of: emergency.person, from: person)
        }
        if isEmergency { return .emergency }
        let last = drills.values.filter { $0.circle == circle.id }.map(\.started).max()
        if let last, turn.now - last < Limits.drillPause { return .tooSoon }
        let isAgreed = Recipients.helpers(of: person, in: circle).contains(where: \.joinsDrills)
        return isAgreed ? nil : .nobodyAgreed
    }

    // MARK: Steps

    private mutating func start(
        _ drill: Drill, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        save(drill, &turn)
        advance(drill.id, &delivery, &turn)
    }

    /// Notifies the next tier with somebody who agreed, or ends the drill.
    private mutating func advance(
        _ id: DrillID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        while var drill = drills[id], drill.state == .running {
            deadlines.cancel(drill.escalation.deadline, &turn)
            (drill.escalation.deadline, drill.escalation.due) = (nil, nil)
            drills[id] = drill
            guard let circle = turn.directory.circle(drill.circle),
                circle.member(drill.starter) != nil
            else { return end(id, as: .stopped, &delivery, &turn) }
            guard
                case .tier(let tier, let people, let channels, let wait) = next(
                    of: drill, in: circle, delivery, turn)
            else { return end(id, as: .finished, &delivery, &turn) }
            drill.escalation.nextTier = tier + 1
            drill.escalation.recipients = Set(drill.escalation.recipients + people).sorted()
            for person in people {
                notify(person, tier: tier, on: channels, &drill, circle, &delivery, &turn)
            }
            if let wait {
                drill.escalation.due = turn.now + wait
                drill.escalation.deadline = DerivedID.deadline(.drill, id.raw, .number(tier))
            }
            save(drill, &turn)
            if let deadline = tierDeadline(of: drill) {
                return deadlines.schedule(deadline, for: .tier(id), &turn)
            }
        }
    }

    private func next(
        of drill: Drill, in circle: Circle, _ delivery: Delivery, _ turn: Turn
    ) -> EscalationStep {
        let (directory, now) = (turn.directory, turn.now)
        let reachability = delivery.reachability
        return drill.escalation.next(
            for: drill.starter, in: circle,
            canTry: { person, _ in circle.member(person)?.joinsDrills ?? false },
            isReachable: { person, channels in
                directory.person(person).map {
                    reachability.obstacle(to: $0, on: channels, at: now) == nil
                } ?? false
            })
    }

    private func notify(
        _ person: PersonID, tier: Int, on channels: [Channel], _ drill: inout Drill,
        _ circle: Circle, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        var plan = DeliveryPlan(
            reason: .drill, severity: .drill, scope: EventID(Hash.id("drill", .id(drill.id))))
        plan.drill = drill
        plan.circle = circle
        plan.channels = channels
        plan.expires = turn.now + Limits.drillMessageAgeMax
        let starter = turn.directory.person(drill.starter)?.name ?? "?"
        let outcome = delivery.notify(person, .drill(by: starter), plan, &turn)
        var participant = DrillParticipant(
            person: person, tier: tier, notified: turn.now, reason: outcome.reason)
        participant.messages = outcome.notifications.compactMap { delivery.book[$0] }
            .map(DrillMessage.init)
        drill.participants.append(participant)
    }

    /// Ends a drill: unsent messages are not sent.
    private mutating func end(
        _ id: DrillID, as state: DrillState, because stop: DrillStop? = nil,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var drill = drills[id], drill.state == .running else { return }
        turn.trace = drill.trace
        deadlines.cancel(drill.escalation.deadline, &turn)
        (drill.escalation.deadline, drill.escalation.due) = (nil, nil)
        (drill.state, drill.ended, drill.stop) = (state, turn.now, stop)
        save(drill, &turn)
        for message in drill.participants.flatMap(\.messages)
        where delivery.book[message.notification]?.due != nil {
            delivery.close(message.notification, as: .expired, "the drill ended", &turn)
        }
    }

    /// Ends the drills of circles in which a turn has opened or continued an emergency.
    mutating func endForEmergencies(_ delivery: inout Delivery, _ turn: inout Turn) {
        let running = running
        guard !running.isEmpty else { return }
        for effect in turn.effects {
            guard case .save(.emergency(let emergency)) = effect else { continue }
            let stop = DrillStop(
                person: emergency.person,
                isCovert: !emergency.isVisible(to: emergency.person))
            for drill in running {
                guard let circle = turn.directory.circle(drill.circle),
                    emergency.interrupts(circle, turn.directory)
                else { continue }
                end(drill.id, as: .stopped, because: stop, &delivery, &turn)
            }
        }
    }

    // MARK: Answers

    /// Handles an SMS that answers a drill.
    ///
    /// - Returns: false if it does not; the code of an emergency comes first
    mutating func handle(
        _ reply: Reply, _ escalation: Escalation, _ delivery: inout Delivery, _ turn: inout Turn
    ) -> Bool {
        guard !drills.isEmpty, !reply.isContinuation,
            case .acknowledge(let code) = ReplyWord(reply.text), !code.isEmpty,
            ReferenceCodes.emergency(
                with: code, escalation, delivery, turn.directory,
                sentTo: { $0.address == reply.sender }) == nil
        else { return false }
        let newest = drills.values.sorted { ($0.started, $0.id) > ($1.started, $1.id) }
        for drill in newest {
            for participant in drill.participants {
                guard let person = turn.directory.person(participant.person),
                    person.hasVerifiedNumber(reply.sender),
                    DerivedID.reference(of: drill.id, for: person.id, secret: secret) == code
                else { continue }
                turn.trace = reply.trace
                record(person.id, answered: drill.id, by: .sms, &turn)
                Replies().answer(reply, .drillAnswered, of: person, &delivery, &turn)
                return true
            }
        }
        return false
    }

    /// Records the first answer of a participant.
    private mutating func record(
        _ person: PersonID, answered id: DrillID, by way: DrillAnswerWay, _ turn: inout Turn
    ) {
        guard var drill = drills[id],
            let index = drill.participants.firstIndex(where: { $0.person == person }),
            drill.participants[index].answered == nil
        else { return }
        (drill.participants[index].answered, drill.participants[index].way) = (turn.now, way)
        save(drill, &turn)
    }

    /// Records what a turn did to messages of drills.
    mutating func follow(_ turn: inout Turn) {
        guard !drills.isEmpty else { return }
        for effect in turn.effects {
            guard case .save(.notification(let message)) = effect, let id = message.drill,
                var drill = drills[id],
                let index = drill.participants.firstIndex(where: {
                    $0.person == message.recipient
                })
            else { continue }
            var messages = drill.participants[index].messages
            let place = messages.firstIndex { $0.notification == message.id }
            var row = place.map { messages[$0] } ?? DrillMessage(message)
            row.update(message, at: turn.now)
            if let place { messages[place] = row } else { messages.append(row) }
            guard messages != drill.participants[index].messages else { continue }
            drill.participants[index].messages = messages
            save(drill, &turn)
        }
    }

    // MARK: Schedules

    private mutating func schedule(
        _ circle: CircleID, by person: PersonID, day: Int, minute: Int, _ delivery: Delivery,
        _ turn: inout Turn
    ) -> DrillSchedule {
        if let old = schedules[circle] { deadlines.cancel(old.deadline.id, &turn) }
        let schedule = DrillSchedule(
            circle: circle, person: person, day: day, minute: minute,
            next: DrillSchedule.next(
                day: day, minute: minute, after: turn.now,
                offset: offset(of: person, delivery, turn)))
        save(schedule, &turn)
        return schedule
    }

    private func offset(
        of person: PersonID, _ delivery: Delivery, _ turn: Turn
    ) -> (Timestamp) -> Int {
        let person = turn.directory.person(person)
        let renderer = delivery.renderer
        return { time in person.flatMap { renderer.offset(of: $0, at: time) } ?? 0 }
    }

    private mutating func save(_ schedule: DrillSchedule, _ turn: inout Turn) {
        schedules[schedule.circle] = schedule
        turn.save(.drillSchedule(schedule))
        deadlines.schedule(schedule.deadline, for: .scheduled(schedule.circle), &turn)
    }

    private mutating func unschedule(_ circle: CircleID, _ turn: inout Turn) {
        guard let schedule = schedules.removeValue(forKey: circle) else { return }
        deadlines.cancel(schedule.deadline.id, &turn)
        turn.emit(.remove(.drillSchedule(circle)))
    }

    /// Starts a scheduled drill, if it is still allowed and not too late, and schedules the next.
    private mutating func startScheduled(
        _ id: CircleID, _ escalation: Escalation, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var schedule = schedules[id] else { return }
        let person = schedule.person
        guard let circle = turn.directory.circle(id),
            turn.directory.decide(
                .person(person), .startDrill, on: .circle(id), at: turn.now
            ).isAllowed
        else { return unschedule(id, &turn) }
        let isLate = turn.now - schedule.next > Limits.drillLateMax
        if isLate || refusal(in: circle, to: person, escalation, turn) != nil {
            schedule.skipped = schedule.next
        } else {
            let drill = DrillID(
                Hash.id("drill", .id(id), .number(schedule.next.microseconds)))
            schedule.skipped = nil
            start(
                Drill(
                    id: drill, circle: circle, starter: person, isScheduled: true, at: turn.now,
                    trace: turn.trace), &delivery, &turn)
        }
        schedule.next = DrillSchedule.next(
            day: schedule.day, minute: schedule.minute, after: turn.now,
            offset: offset(of: person, delivery, turn))
        save(schedule, &turn)
    }

    // MARK: Time

    /// Handles a deadline that the timer reported as expired.
    mutating func deadlineExpired(
        _ id: DeadlineID, _ escalation: Escalation, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let entry = deadlines.popExpired(id, at: turn.now) else { return }
        expire(entry, escalation, &delivery, &turn)
    }

    /// Expires deadlines that the timer should have reported.
    mutating func expireDeadlines(
        _ escalation: Escalation, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        for (_, entry) in deadlines.popOverdue(at: turn.now) {
            expire(entry, escalation, &delivery, &turn)
        }
    }

    private mutating func expire(
        _ entry: Deadlines<Purpose>.Entry, _ escalation: Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        switch entry.purpose {
        case .tier(let id):
            guard var drill = drills[id], drill.escalation.deadline == entry.deadline.id else {
                return
            }
            turn.trace = drill.trace
            drill.escalation.deadline = nil
            drills[id] = drill
            advance(id, &delivery, &turn)
        case .scheduled(let circle): startScheduled(circle, escalation, &delivery, &turn)
        }
    }

    /// Removes drills that can not be answered any more from memory; the store keeps them.
    mutating func sweep(at now: Timestamp) {
        drills = drills.filter { _, drill in
            drill.ended.map { now - $0 <= Limits.endedDrillKept } ?? true
        }
        links = links.filter { drills[$0.value.drill] != nil }
    }

    // MARK: Directory

    /// Removes drills and schedules of a removed person or circle.
    mutating func directoryChanged(
        _ body: EventBody, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        switch body {
        case .circleRemoved(let removal):
            remove(where: { $0.circle == removal.circle }, &delivery, &turn)
        case .personRemoved(let removal):
            remove(where: { $0.starter == removal.person }, &delivery, &turn)
            for schedule in schedules.values where schedule.person == removal.person {
                unschedule(schedule.circle, &turn)
            }
            for var drill in drills.values {
                let before = drill
                drill.erase(removal.person)
                if drill != before { save(drill, &turn) }
            }
        default: break
        }
        if case .circleRemoved(let removal) = body { unschedule(removal.circle, &turn) }
    }

    private mutating func remove(
        where isRemoved: (Drill) -> Bool, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        for drill in drills.values.filter(isRemoved).sorted(by: { $0.id < $1.id }) {
            end(drill.id, as: .stopped, &delivery, &turn)
            drills[drill.id] = nil
            links = links.filter { $0.value.drill != drill.id }
            turn.emit(.remove(.drill(drill.id)))
        }
    }

    // MARK: State

    private mutating func keep(_ drill: Drill) {
        drills[drill.id] = drill
        for participant in drill.participants {
            let token = DerivedID.linkToken(
                of: drill.id, for: participant.person, secret: secret)
            links[token.hash] = (drill.id, participant.person)
        }
    }

    private mutating func save(_ drill: Drill, _ turn: inout Turn) {
        keep(drill)
        turn.save(.drill(drill))
    }

    private func tierDeadline(of drill: Drill) -> Deadline? {
        guard let id = drill.escalation.deadline, let due = drill.escalation.due else {
            return nil
        }
        return Deadline(
            id: id, kind: .drill, person: drill.starter, subject: drill.id.description, due: due)
    }
}

extension Drill {
    /// Removes what it contains about a person.
    package mutating func erase(_ person: PersonID) {
        participants.removeAll { $0.person == person }
        notAsked.removeAll { $0 == person }
        escalation.recipients.removeAll { $0 == person }
        if stop?.person == person { stop = nil }
    }
}

extension Emergency {
    /// Whether it is an emergency of a circle now, so that no drill may run there.
    fileprivate func interrupts(_ circle: Circle, _ directory: Replica) -> Bool {
        (state == .open || state == .acknowledged) && circle.member(person) != nil
            && !endedCircles.contains(circle.id) && concerns(circle.id, directory)
    }
}
