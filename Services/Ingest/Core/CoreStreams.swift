import Directory
import Hashing
import Model

extension Core {
    /// A decision of an evaluator, as it was appended to `events/p`.
    mutating func follow(
        _ event: Event, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch event.body {
        case .emergencyCountdown(let news), .emergencyOpened(let news),
            .emergencyJoined(let news), .emergencyCancelled(let news),
            .emergencyAcknowledged(let news), .emergencyResolved(let news):
            emergencies.follow(news, at: event.time, into: &effects)
        case .alarmStarted(let news), .alarmRepeated(let news):
            alarms.rang(news, at: event.time, into: &effects)
        case .alarmEnded(let news): alarms.ended(news, into: &effects)
        case .silenceQuiet(let news), .silenceOverdue(let news), .silenceLost(let news),
            .silenceEnded(let news):
            follow(news, at: now, into: &effects)
        case .policyChanged(let policy):
            policies.changed(policy, at: event.time, into: &effects)
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneInitial(let crossing),
            .zoneApproached(let crossing), .zoneDwelled(let crossing),
            .zoneWithheld(let crossing), .zoneReceded(let crossing),
            .zoneForgotten(let crossing):
            keep(.crossing(crossing), of: event, in: directory, at: now, into: &effects)
        case .zoneAbsent(let absence):
            keep(.absence(absence), of: event, in: directory, at: now, into: &effects)
        default: break
        }
    }

    /// A clock that an evaluator wanted, or a watch that ran out.
    mutating func takeFired(
        _ event: Event, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch event.body {
        case .clockFired(let fired)
        where [.countdown, .presence, .contact, .canary].contains(fired.clock.rule):
            append(
                .inputClock(fired), of: fired.clock.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            if fired.clock.rule == .contact, let signal = fired.clock.emergency {
                locate(
                    signal, of: fired.clock.person, event, in: directory, at: now, into: &effects)
            }
        case .watchExpired(var signal):
            if signal.fix == nil {
                locate(signal.id, of: signal.person, event, in: directory, at: now, into: &effects)
            }
            signal.fix =
                signal.fix
                ?? lastFix(
                    of: signal.person, device: signal.device, in: directory)
            if emergencies.raise(signal, into: &effects) {
                append(signal, at: now, into: &effects)
            }
        case .watchChanged(let watch): followWatch(watch, event, at: now, into: &effects)
        default: break
        }
    }

    /// Publishes where somebody was last, for an emergency that a deadline may raise: without an
    /// evaluator nobody else has it.
    private mutating func locate(
        _ signal: EmergencyID, of person: PersonID, _ event: Event, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let lead = positions(in: directory).lead(of: person)
        guard let lead, let fix = lead.newest else { return }
        let place = EmergencyPlace(
            emergency: signal, person: person, fix: fix, battery: lead.battery,
            trace: event.trace)
        effects.append(
            .raise(
                Event(
                    id: Hash.meaning(kind: .sosLocated, person: person, cause: signal.raw),
                    time: now, trace: event.trace, body: .sosLocated(place))))
    }

    /// What became of telling people.
    mutating func takeDelivered(
        _ event: Event, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch event.body {
        case .signalGiven(var signal):
            signal.fix = signal.fix ?? lastFix(of: signal.person, device: nil, in: directory)
            raise(signal, at: now, into: &effects)
        case .contactGiven(let contact):
            append(
                .inputContact(contact), of: contact.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
        case .acknowledgementGiven(let answer):
            emergencies.tell(answer.emergency, .acknowledged, into: &effects)
            append(
                .inputAcknowledgement(answer), of: answer.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            raiseUnanswered(in: answer.emergency, after: answer.at, at: now, into: &effects)
        case .resolutionGiven(let answer):
            emergencies.resolve(answer.emergency, given: answer.at, at: event.time, into: &effects)
            append(
                .inputResolution(answer), of: answer.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            raiseUnanswered(in: answer.emergency, after: answer.at, at: now, into: &effects)
        case .ladderAdopted(let signal):
            emergencies.adopt(signal, into: &effects)
            append(
                .inputAdoption(signal), of: signal.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
        case .ladderStanding(let standing):
            emergencies.stand(standing, into: &effects)
            append(
                .inputStanding(standing), of: standing.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            if !standing.state.isActive || standing.state == .acknowledged
                || !standing.endedCircles.isEmpty
            {
                raiseUnanswered(in: standing.emergency, after: standing.at, at: now, into: &effects)
            }
        case .accessRecorded(let record):
            effects.append(
                .saveAccess(
                    AccessRow(
                        person: record.person, viewer: record.viewer,
                        hour: record.at.seconds / 3600)))
        case .notificationChanged(let news):
            // What the person in danger is sent tells nobody else.
            guard let emergency = news.emergency, news.recipient != news.person else { return }
            switch news.state {
            case .accepted: tell(emergency, .accepted, to: news.recipient, into: &effects)
            case .sink: tell(emergency, .sink, to: news.recipient, into: &effects)
            case .delivered: tell(emergency, .delivered, to: news.recipient, into: &effects)
            case .unknown: tell(emergency, .none, to: news.recipient, into: &effects)
            case .queued, .sending, .refused, .expired: break
            }
        default: break
        }
    }

    private mutating func tell(
        _ emergency: EmergencyID, _ told: Told, to recipient: PersonID,
        into effects: inout [Effect]
    ) {
        emergencies.tell(emergency, told, to: recipient, into: &effects)
    }

    /// Where everybody of a circle was last.
    mutating func readPositions(
        _ request: ReadRequest<CircleID>, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        // First: whoever may not read a circle must not learn whether there is one.
        let decision = directory.decide(
            request.principal, .readCircle, on: .circle(request.id), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        guard let circle = directory.circle(request.id) else {
            effects.append(.answer(request: request.request, .notFound))
            return
        }
        // An invited person may read whom they would join, but not how these share.
        if let viewer = request.principal.person, circle.member(viewer) == nil {
            effects.append(.answer(request: request.request, .denied(.notAMember)))
            return
        }
        let members = positions(in: directory).members(of: circle, for: request.principal, at: now)
        let viewer = request.principal.person
        let shown = members.filter { $0.fix != nil && $0.person != viewer }.map(\.person)
        access.note(shown, by: viewer, in: circle.id, at: now, into: &effects)
        effects.append(.answer(request: request.request, .positions(members)))
    }
}
