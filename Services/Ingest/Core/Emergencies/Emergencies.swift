import Dialects
import Directory
import Hashing
import Model

/// Raises, cancels and shows calls for help, and tracks how far their notifications got.
public struct Emergencies: Sendable {
    /// All calls of the last weeks.
    public internal(set) var signals: Signals

    init(rows: [EmergencyRow]) { signals = Signals(rows: rows) }

    // MARK: Calls

    /// Raises a call for help made by the API. It is never deferred or quarantined.
    ///
    /// - Returns: the call, or the one that it joined, which the caller answers with; nil = denied
    ///   and answered
    mutating func raise(
        _ request: EmergencyRequest, _ reports: Reports, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) -> (call: EmergencyID, isStored: Bool)? {
        guard let person = request.principal.person else {
            let decision = turn.directory.decide(
                request.principal, .panic, on: .suite, at: turn.now)
            turn.answer(request.request, .denied(decision.denial ?? .personOnly))
            return nil
        }
        guard turn.allows(request.principal, .panic, on: .person(person), for: request.request)
        else { return nil }
        let signal = signal(
            of: request, person: person, reports, in: turn.directory, at: turn.now)
        if let joined = signals.join(signal, &turn) { return (joined, false) }
        raise(signal, &sequencer, &turn)
        return (signal.id, true)
    }

    /// Raises a call for help found inside a report.
    ///
    /// - Parameter received: the time of arrival; earlier than now for quarantined payloads
    mutating func raise(
        _ panic: Panic, from device: DeviceID, of person: PersonID, received: Timestamp,
        trace: String, _ reports: Reports, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) -> EmergencyID {
        let raised = min(panic.raised, turn.now)
        let signal = EmergencySignal(
            id: id(of: panic, from: device, of: person, received: received),
            person: person, device: device, trigger: .panic, raised: raised, received: turn.now,
            countdownEnds: Emergencies.countdownEnd(
                Limits.countdownSeconds, raised: raised, at: turn.now),
            fix: panic.fix.map { Reports.corrected($0, at: turn.now).fix }
                ?? reports.lastFix(of: person, device: device, in: turn.directory),
            battery: panic.battery, trace: trace)
        if let joined = signals.join(signal, &turn) { return joined }
        raise(signal, &sequencer, &turn)
        return signal.id
    }

    /// Publishes a signal on `sos` at once and appends it to `in/p`.
    private mutating func raise(
        _ signal: EmergencySignal, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        guard signals.raise(signal, &turn) else { return }
        let id = Hash.derivedID(kind: .sosRaised, person: signal.person, cause: signal.id.raw)
        turn.raise(.sosRaised(signal), id: id, trace: signal.trace)
        append(signal, &sequencer, &turn)
    }

    private func append(
        _ signal: EmergencySignal, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        sequencer.append(
            .inputSignal(signal), of: signal.person, cause: signal.id.raw, trace: signal.trace,
            &turn)
    }

    private func signal(
        of request: EmergencyRequest, person: PersonID, _ reports: Reports, in directory: Replica,
        at now: Timestamp
    ) -> EmergencySignal {
        let call = request.call
        var device: DeviceID?
        if case .device(let id, _) = request.principal { device = id }
        let id =
            call.messageID.map {
                DerivedID.signal(call.trigger, person: person, device: device, messageID: $0)
            } ?? EmergencyID(request.chance)
        let raised = min(call.raised ?? now, now)
        let seconds = min(
            call.countdownSeconds ?? Limits.countdownSeconds, Limits.countdownSecondsMax)
        return EmergencySignal(
            id: id, person: person, device: device, trigger: call.trigger, raised: raised,
            received: now,
            countdownEnds: Emergencies.countdownEnd(seconds, raised: raised, at: now),
            fix: call.observation.map { Reports.corrected($0.fix, at: now).fix }
                ?? reports.lastFix(of: person, device: device, in: directory),
            battery: call.observation?.battery ?? call.battery
                ?? device.flatMap { reports.devices[$0]?.battery },
            note: call.note.map { String($0.prefix(Limits.noteCharacters)) }, trace: request.trace)
    }

    /// End of the server's countdown; a call that was delayed on its way has none.
    private static func countdownEnd(_ seconds: Int, raised: Timestamp, at now: Timestamp)
        -> Timestamp
    {
        let isLate = raised < now - .seconds(Limits.latePanicSeconds)
        return isLate ? now : now + .seconds(max(0, seconds))
    }

    /// The id of a call for help inside a report.
    ///
    /// Most apps send a message again if they get no response, and some give a call neither an id
    /// nor a time of its own. A call with the same content as another call of the device, first
    /// received shortly before, is that call, whatever its state. The stored calls give the time of
    /// the first receipt, so this survives a restart.
    private func id(
        of panic: Panic, from device: DeviceID, of person: PersonID, received: Timestamp
    ) -> EmergencyID {
        guard panic.messageID == nil, let content = panic.content else {
            // Two phones may count alike but do not call at the same moment: a phone that was set
            // up again and resends everything makes the same call.
            guard let messageID = panic.messageID else {
                return DerivedID.signal(
                    .panic, person: person, device: nil,
                    messageID: "at \(panic.raised.microseconds)")
            }
            return DerivedID.signal(.panic, person: person, device: device, messageID: messageID)
        }
        func id(_ first: Timestamp) -> EmergencyID {
            DerivedID.signal(
                .panic, person: person, device: device,
                messageID: "\(content) at \(first.microseconds)")
        }
        let since = received - .seconds(Limits.callRetriedSeconds)
        let first = signals.receipts(of: person, in: since...received).first { first in
            guard signals.rows[id(first)] != nil else { return false }
            return received - first <= .seconds(Limits.callRepeatedSeconds)
                || signals.isUnacknowledged(id(first))
        }
        return id(first ?? received)
    }

    // MARK: Requests

    /// Cancels a call during its countdown. An ended call stays as it is; an open one must be
    /// resolved by someone else.
    mutating func cancel(
        _ request: CancelRequest, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        guard let view = signals.view(of: request.emergency) else {
            turn.answer(request.request, .notFound)
            return
        }
        let decision = turn.directory.decide(
            request.principal, .cancelEmergency, on: .person(view.person), at: turn.now)
        if let denial = decision.denial {
            let isSeen = canRead(view, request.principal, in: turn.directory, at: turn.now)
            turn.answer(request.request, isSeen ? .denied(denial) : .notFound)
            return
        }
        switch view.state {
        case .open, .acknowledged:
            turn.answer(request.request, .tooLate)
            return
        case .resolved, .cancelled: break
        case .countdown:
            if let seconds = signals.cancelPause(of: view.person, at: turn.now) {
                turn.answer(request.request, .tooManyCancels(seconds: seconds))
                return
            }
            signals.recordResponse(to: view.person)
            let id = Hash.derivedID(
                kind: .sosCancelled, person: view.person, subject: .id(view.emergency),
                cause: request.cause)
            let cancel = EmergencyCancel(
                id: id, person: view.person, emergency: view.emergency, received: turn.now,
                trace: request.trace)
            turn.raise(.sosCancelled(cancel), id: id, trace: request.trace)
            sequencer.append(
                .inputCancel(cancel), of: view.person, cause: id.raw, trace: request.trace, &turn)
        }
        answer(request.request, with: request.emergency, &turn)
    }

    /// Returns the state of a call to its person and to the people who may read it.
    func read(_ request: ReadRequest<EmergencyID>, _ turn: inout Turn<Effect>) {
        guard var view = signals.view(of: request.id) else {
            turn.answer(request.request, .notFound)
            return
        }
        // For others the response does not reveal that it exists.
        guard canRead(view, request.principal, in: turn.directory, at: turn.now) else {
            turn.answer(request.request, .notFound)
            return
        }
        if let viewer = request.principal.person, viewer != view.person {
            view = self.view(view, for: viewer, in: turn.directory)
        }
        turn.answer(request.request, .emergency(view))
    }

    private func canRead(
        _ view: EmergencyView, _ principal: Principal, in directory: Replica, at now: Timestamp
    ) -> Bool {
        let isRecipient = principal.person.map { signals.isRecipient($0, of: view.id) } ?? false
        let target = RightsTarget.emergency(
            of: view.person, isRecipient: isRecipient,
            isAcknowledged: view.deliveryState == .acknowledged)
        return directory.decide(principal, .readEmergency, on: target, at: now).isAllowed
    }

    /// An emergency as another person sees it: ended once it ended in all circles that both share.
    /// Other circles are hidden.
    private func view(
        _ view: EmergencyView, for viewer: PersonID, in directory: Replica
    ) -> EmergencyView {
        var shown = view
        let common = directory.circles(of: view.person, answeredBy: viewer)
        shown.endedCircles = view.endedCircles.filter(common.contains)
        let isOver = !common.isEmpty && shown.endedCircles.count == common.count
        // Showing it as active would reveal circles that are not the viewer's.
        if view.state.isActive, isOver { (shown.state, shown.endedCircles) = (.resolved, []) }
        // What was delivered to others is theirs, and would reveal whom the person excluded.
        if view.deliveryState != .acknowledged {
            shown.deliveryState =
                signals.isRecipient(viewer, of: view.id)
                ? min(view.deliveryState, .accepted) : .none
        }
        return shown
    }

    func answer(
        _ request: UInt64, with emergency: EmergencyID, _ turn: inout Turn<Effect>
    ) {
        let view = signals.view(of: emergency)
        turn.answer(request, view.map { .emergency($0) } ?? .notFound)
    }

    // MARK: Events

    /// Applies a record of the timer about a call that a deadline raises.
    mutating func applyExpired(
        _ event: Event, _ reports: Reports, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        switch event.body {
        case .deadlineExpired(let expired)
        where [.countdown, .presence, .contact, .canary].contains(expired.deadline.kind):
            sequencer.append(
                .inputDeadline(expired), of: expired.deadline.person, cause: event.id.raw,
                trace: event.trace, &turn)
            if expired.deadline.kind == .contact, let signal = expired.deadline.emergency {
                locate(signal, of: expired.deadline.person, event, reports, &turn)
            }
        case .watchExpired(var signal):
            if signal.fix == nil { locate(signal.id, of: signal.person, event, reports, &turn) }
            signal.fix =
                signal.fix
                ?? reports.lastFix(of: signal.person, device: signal.device, in: turn.directory)
            if signals.raise(signal, &turn) { append(signal, &sequencer, &turn) }
        default: break
        }
    }

    /// Publishes a person's last position for an emergency that a deadline may raise: without an
    /// evaluator no other service has it.
    private func locate(
        _ signal: EmergencyID, of person: PersonID, _ event: Event, _ reports: Reports,
        _ turn: inout Turn<Effect>
    ) {
        guard let device = reports.primaryRow(of: person, in: turn.directory),
            let fix = device.newest
        else { return }
        let place = EmergencyPlace(
            emergency: signal, person: person, fix: fix, battery: device.battery,
            trace: event.trace)
        let id = Hash.derivedID(kind: .sosLocated, person: person, cause: signal.raw)
        turn.raise(.sosLocated(place), id: id, trace: event.trace)
    }

    /// Applies a record of the notifier about a call.
    mutating func applyDelivery(
        _ event: Event, _ reports: Reports, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        func append(_ body: EventBody, of person: PersonID) {
            sequencer.append(
                body, of: person, cause: event.id.raw, trace: event.trace, &turn)
        }
        switch event.body {
        case .signalReceived(var signal):
            signal.fix =
                signal.fix ?? reports.lastFix(of: signal.person, device: nil, in: turn.directory)
            raise(signal, &sequencer, &turn)
        case .acknowledgementCommitted(let answer):
            signals.recordDelivery(answer.emergency, .acknowledged, &turn)
            append(.inputAcknowledgement(answer), of: answer.person)
            raiseLastJoined(in: answer.emergency, after: answer.at, &sequencer, &turn)
        case .resolutionCommitted(let answer):
            signals.resolve(answer.emergency, given: answer.at, at: event.time, &turn)
            append(.inputResolution(answer), of: answer.person)
            raiseLastJoined(in: answer.emergency, after: answer.at, &sequencer, &turn)
        case .escalationFallbackOpened(let signal):
            signals.openFallback(signal, &turn)
            append(.inputFallbackOpened(signal), of: signal.person)
        case .emergencySnapshot(let snapshot):
            signals.apply(snapshot, &turn)
            append(.inputEmergencySnapshot(snapshot), of: snapshot.person)
            if !snapshot.state.isActive || snapshot.state == .acknowledged
                || !snapshot.endedCircles.isEmpty
            {
                raiseLastJoined(
                    in: snapshot.emergency, after: snapshot.at, &sequencer, &turn)
            }
        case .notificationChanged(let change):
            // Messages to the person in danger do not count as reaching anyone.
            guard let emergency = change.emergency, change.recipient != change.person,
                let state = DeliveryState(change.state)
            else { return }
            signals.recordDelivery(emergency, state, to: change.recipient, &turn)
        default: break
        }
    }

    /// Raises the last call that joined after a person's response was given and before ingest
    /// received it: the response did not cover it.
    private mutating func raiseLastJoined(
        in emergency: EmergencyID, after answer: Timestamp, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        let last = signals.popLastJoined(of: emergency, &turn)
        guard let last, last.received >= answer else { return }
        raise(last, &sequencer, &turn)
    }
}

extension DeliveryState {
    /// What a notification in this state proves; nil = nothing.
    fileprivate init?(_ state: NotificationState) {
        switch state {
        case .accepted: self = .accepted
        case .sink: self = .sink
        case .delivered: self = .delivered
        case .unknown: self = .none
        case .queued, .sending, .rejected, .expired: return nil
        }
    }
}
