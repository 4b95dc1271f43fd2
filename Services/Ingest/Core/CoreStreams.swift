import Directory
import Hashing
import Model

extension Core {
    /// Applies a decision of an evaluator that was appended to `events/p`.
    mutating func apply(
        _ event: Event, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch event.body {
        case .emergencyCountdown(let change), .emergencyOpened(let change),
            .emergencyJoined(let change), .emergencyCancelled(let change),
            .emergencyAcknowledged(let change), .emergencyResolved(let change):
            emergencies.apply(change, at: event.time, into: &effects)
        case .alarmStarted(let change), .alarmRepeated(let change):
            alarms.recordRing(change, at: event.time, into: &effects)
        case .alarmEnded(let change): alarms.recordEnd(change, into: &effects)
        case .contactLate(let change), .contactOverdue(let change), .contactLost(let change),
            .contactOK(let change):
            apply(change, at: now, into: &effects)
        case .policyChanged(let policy):
            policies.apply(policy, at: event.time, into: &effects)
        case .zoneEntered(let crossing), .zoneExited(let crossing),
            .zonePresenceEstablished(let crossing),
            .zoneApproached(let crossing), .zoneDwelled(let crossing),
            .zoneSuppressed(let crossing), .zoneLeftVicinity(let crossing),
            .zonePresenceCleared(let crossing):
            recordDecision(.crossing(crossing), of: event, in: directory, at: now, into: &effects)
        case .zoneAbsent(let absence):
            recordDecision(.absence(absence), of: event, in: directory, at: now, into: &effects)
        default: break
        }
    }

    /// Applies an expired deadline or a change of a watch.
    mutating func applyExpired(
        _ event: Event, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch event.body {
        case .deadlineExpired(let expired)
        where [.countdown, .presence, .contact, .canary].contains(expired.deadline.rule):
            append(
                .inputDeadline(expired), of: expired.deadline.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            if expired.deadline.rule == .contact, let signal = expired.deadline.emergency {
                locate(
                    signal, of: expired.deadline.person, event, in: directory, at: now,
                    into: &effects)
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
        case .watchChanged(let watch): applyWatch(watch, event, at: now, into: &effects)
        default: break
        }
    }

    /// Publishes a person's last position for an emergency that a deadline may raise: without an
    /// evaluator no other service has it.
    private mutating func locate(
        _ signal: EmergencyID, of person: PersonID, _ event: Event, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let device = positions(in: directory).primaryDevice(of: person)
        guard let device, let fix = device.newest else { return }
        let place = EmergencyPlace(
            emergency: signal, person: person, fix: fix, battery: device.battery,
            trace: event.trace)
        effects.append(
            .raise(
                Event(
                    id: Hash.derivedID(kind: .sosLocated, person: person, cause: signal.raw),
                    time: now, trace: event.trace, body: .sosLocated(place))))
    }

    /// Applies a record of `deliveries`.
    mutating func applyDelivery(
        _ event: Event, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch event.body {
        case .signalReceived(var signal):
            signal.fix = signal.fix ?? lastFix(of: signal.person, device: nil, in: directory)
            raise(signal, at: now, into: &effects)
        case .checkInReceived(let contact):
            append(
                .inputContact(contact), of: contact.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
        case .acknowledgementCommitted(let answer):
            emergencies.recordDelivery(answer.emergency, .acknowledged, into: &effects)
            append(
                .inputAcknowledgement(answer), of: answer.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            raiseLastJoined(in: answer.emergency, after: answer.at, at: now, into: &effects)
        case .resolutionCommitted(let answer):
            emergencies.resolve(answer.emergency, given: answer.at, at: event.time, into: &effects)
            append(
                .inputResolution(answer), of: answer.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            raiseLastJoined(in: answer.emergency, after: answer.at, at: now, into: &effects)
        case .escalationFallbackOpened(let signal):
            emergencies.openFallback(signal, into: &effects)
            append(
                .inputFallbackOpened(signal), of: signal.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
        case .emergencySnapshot(let snapshot):
            emergencies.apply(snapshot, into: &effects)
            append(
                .inputEmergencySnapshot(snapshot), of: snapshot.person, cause: event.id.raw,
                trace: event.trace, at: now, into: &effects)
            if !snapshot.state.isActive || snapshot.state == .acknowledged
                || !snapshot.endedCircles.isEmpty
            {
                raiseLastJoined(in: snapshot.emergency, after: snapshot.at, at: now, into: &effects)
            }
        case .accessRecorded(let record):
            effects.append(
                .saveAccess(
                    AccessRow(
                        person: record.person, viewer: record.viewer,
                        hour: record.at.seconds / 3600)))
        case .notificationChanged(let change):
            // Messages to the person in danger do not count as reaching anyone.
            guard let emergency = change.emergency, change.recipient != change.person else {
                return
            }
            switch change.state {
            case .accepted:
                recordDelivery(emergency, .accepted, to: change.recipient, into: &effects)
            case .sink: recordDelivery(emergency, .sink, to: change.recipient, into: &effects)
            case .delivered:
                recordDelivery(emergency, .delivered, to: change.recipient, into: &effects)
            case .unknown: recordDelivery(emergency, .none, to: change.recipient, into: &effects)
            case .queued, .sending, .refused, .expired: break
            }
        default: break
        }
    }

    private mutating func recordDelivery(
        _ emergency: EmergencyID, _ state: DeliveryState, to recipient: PersonID,
        into effects: inout [Effect]
    ) {
        emergencies.recordDelivery(emergency, state, to: recipient, into: &effects)
    }

    /// Returns the last positions of a circle's members.
    mutating func readPositions(
        _ request: ReadRequest<CircleID>, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        // Checked first, so that a denied reader cannot learn whether the circle exists.
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
        // Invited people may read the members of the circle, but not their positions.
        if let viewer = request.principal.person, circle.member(viewer) == nil {
            effects.append(.answer(request: request.request, .denied(.notAMember)))
            return
        }
        let members = positions(in: directory).members(of: circle, for: request.principal, at: now)
        let viewer = request.principal.person
        let shown = members.filter { $0.fix != nil && $0.person != viewer }.map(\.person)
        access.record(shown, by: viewer, in: circle.id, at: now, into: &effects)
        effects.append(.answer(request: request.request, .positions(members)))
    }
}
