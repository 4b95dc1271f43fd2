import Dialects
import Directory
import Hashing
import Model

/// Raises, cancels and shows calls for help, and tracks how far their notifications got.
public struct Emergencies: Sendable {
    /// All calls of the last weeks.
    public internal(set) var signals: Signals
    /// Wrong PINs that were entered at ingest, for cancels and check-ins.
    var pins = PINChecks()

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
        guard let (person, caller) = subject(of: request, &turn) else { return nil }
        let signal = signal(
            of: request, person: person, on: caller, reports, in: turn.directory, at: turn.now)
        if let joined = signals.join(signal, &turn) { return (joined, false) }
        raise(signal, &sequencer, &turn)
        return (signal.id, true)
    }

    /// The person in danger, and who calls on their behalf (nil = they themselves). Answers the
    /// request and returns nil if that is denied.
    private func subject(
        of request: EmergencyRequest, _ turn: inout Turn<Effect>
    ) -> (person: PersonID, caller: PersonID?)? {
        guard let person = request.principal.person else {
            let decision = turn.directory.decide(
                request.principal, .panic, on: .suite, at: turn.now)
            turn.answer(request.request, .denied(decision.denial ?? .personOnly))
            return nil
        }
        switch request.call.subject {
        case .person(let other) where other != person:
            guard request.mayCallForOthers else {
                turn.answer(request.request, .denied(.notYours))
                return nil
            }
            // A guardian must not learn from a denial that they are on the never-notify list.
            let denial = turn.directory.withoutNeverNotifyLists.decide(
                request.principal, .panicForOther,
                on: .emergency(of: other, isRecipient: false, isAcknowledged: false), at: turn.now
            ).denial
            if let denial {
                turn.answer(request.request, denial == .notAMember ? .notFound : .denied(denial))
                return nil
            }
            return (other, person)
        case .unknown:
            turn.answer(request.request, .personNeeded)
            return nil
        case .themselves, .person:
            guard turn.allows(request.principal, .panic, on: .person(person), for: request.request)
            else { return nil }
            return (person, nil)
        }
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
            person: person, device: device, trigger: panic.trigger, raised: raised,
            received: turn.now,
            countdownEnds: Emergencies.countdownEnd(
                panic.trigger.rules.countdownSeconds, raised: raised, at: turn.now),
            fix: panic.fix.map { Reports.corrected($0, at: turn.now).fix }
                ?? reports.lastFix(of: person, device: device, in: turn.directory),
            battery: panic.battery,
            signOfLife: reports.signOfLife(
                of: person, after: raised, received: turn.now, in: turn.directory),
            trace: trace)
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
        of request: EmergencyRequest, person: PersonID, on caller: PersonID?, _ reports: Reports,
        in directory: Replica, at now: Timestamp
    ) -> EmergencySignal {
        var call = request.call
        var device: DeviceID?
        if let caller {
            // The caller's phone says nothing about the person's place, and a second guardian's
            // message id is another one.
            (call.trigger, call.countdownSeconds) = (.guardian, nil)
            (call.observation, call.battery) = (nil, nil)
            call.messageID = call.messageID.map { "\(caller) \($0)" }
        } else if case .device(let id, _) = request.principal {
            device = id
        }
        let id =
            call.messageID.map {
                DerivedID.signal(call.trigger, person: person, device: device, messageID: $0)
            } ?? EmergencyID(request.chance)
        let raised = min(call.raised ?? now, now)
        let seconds = min(
            call.countdownSeconds ?? call.trigger.rules.countdownSeconds,
            Limits.countdownSecondsMax)
        let known = reports.primaryRow(of: person, in: directory)
        return EmergencySignal(
            id: id, person: person, device: device, trigger: call.trigger, raised: raised,
            received: now,
            countdownEnds: Emergencies.countdownEnd(seconds, raised: raised, at: now),
            fix: call.observation.map { Reports.corrected($0.fix, at: now).fix }
                ?? reports.lastFix(of: person, device: device, in: directory),
            battery: call.observation?.battery ?? call.battery
                ?? device.flatMap { reports.devices[$0]?.battery }
                ?? (caller == nil ? nil : known?.battery),
            note: call.note.map { String($0.prefix(Limits.noteCharacters)) }, raisedBy: caller,
            signOfLife: reports.signOfLife(of: person, after: raised, received: now, in: directory),
            trace: request.trace)
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
                    panic.trigger, person: person, device: nil,
                    messageID: "at \(panic.raised.microseconds)")
            }
            return DerivedID.signal(
                panic.trigger, person: person, device: device, messageID: messageID)
        }
        func id(_ first: Timestamp) -> EmergencyID {
            DerivedID.signal(
                panic.trigger, person: person, device: device,
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

    /// Cancels a call of the caller: during its countdown before anybody is notified, later for
    /// everybody. Asks for the PIN if one is set.
    mutating func cancel(
        _ request: CancelRequest, _ reports: Reports, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        let caller = request.principal.person
        guard let view = signals.view(of: request.emergency, for: caller) else {
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
        let isOpen = view.state != .countdown
        guard view.state.isActive else {
            return answer(request.request, with: request.emergency, &turn)
        }
        if isOpen, caller != view.person { return turn.answer(request.request, .tooLate) }
        if !isOpen, let seconds = signals.cancelPause(of: view.person, at: turn.now) {
            turn.answer(request.request, .tooManyCancels(seconds: seconds))
            return
        }
        let verdict =
            caller == view.person
            ? pins.check(request.pin, of: view.person, in: turn.directory, at: turn.now) : .right
        switch verdict {
        case .right: break
        case .duress: raiseCovert(view, request, reports, &turn)
        case .missing: return turn.answer(request.request, .pinNeeded)
        case .wait(let seconds):
            return turn.answer(request.request, .tooManyPINs(seconds: seconds))
        case .tooMany where !isOpen:
            openAtOnce(view, request, reports, &sequencer, &turn)
            return turn.answer(request.request, .wrongPIN)
        case .wrong, .tooMany: return turn.answer(request.request, .wrongPIN)
        }
        signals.recordResponse(to: view.person)
        let id = Hash.derivedID(
            kind: .sosCancelled, person: view.person, subject: .id(view.emergency),
            cause: request.cause)
        let cancel = EmergencyCancel(
            id: id, person: view.person, emergency: view.emergency, received: turn.now,
            trace: request.trace, endsOpen: isOpen ? true : nil)
        turn.raise(.sosCancelled(cancel), id: id, trace: request.trace)
        // The notifier ends an open one, as it does for others who resolve it.
        if !isOpen {
            sequencer.append(
                .inputCancel(cancel), of: view.person, cause: id.raw, trace: request.trace, &turn)
        }
        answer(request.request, with: request.emergency, &turn)
    }

    /// Opens an emergency that its person never sees, before the cancel that they see. One that is
    /// open goes on.
    private mutating func raiseCovert(
        _ view: EmergencyView, _ request: CancelRequest, _ reports: Reports,
        _ turn: inout Turn<Effect>
    ) {
        guard !signals.hasCovert(view.person) else { return }
        let signal = signal(
            "under duress, \(request.cause)", of: view, request, reports, in: turn.directory,
            at: turn.now, underDuress: view.emergency)
        raiseCovert(signal, from: view.emergency, &turn)
    }

    /// Publishes a signal under duress on `sos` at once. No evaluator gets it.
    private mutating func raiseCovert(
        _ signal: EmergencySignal, from origin: EmergencyID, _ turn: inout Turn<Effect>
    ) {
        guard signals.raiseCovert(signal, from: origin, &turn) else { return }
        let id = Hash.derivedID(kind: .sosRaised, person: signal.person, cause: signal.id.raw)
        turn.raise(.sosRaised(signal), id: id, trace: signal.trace)
    }

    /// Opens an emergency in countdown after five wrong PINs.
    private mutating func openAtOnce(
        _ view: EmergencyView, _ request: CancelRequest, _ reports: Reports,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        raise(
            signal(
                "wrong PINs, \(view.emergency)", of: view, request, reports, in: turn.directory,
                at: turn.now),
            &sequencer, &turn)
    }

    /// A further signal of an emergency, without countdown.
    private func signal(
        _ cause: String, of view: EmergencyView, _ request: CancelRequest, _ reports: Reports,
        in directory: Replica, at now: Timestamp, underDuress: EmergencyID? = nil
    ) -> EmergencySignal {
        let device = reports.primaryDevice(of: view.person, in: directory)
        return EmergencySignal(
            id: DerivedID.signal(
                view.trigger, person: view.person, device: nil, messageID: cause),
            person: view.person, trigger: view.trigger, raised: now, received: now,
            countdownEnds: now, fix: reports.lastFix(of: view.person, device: nil, in: directory),
            battery: device.flatMap { reports.devices[$0]?.battery }, trace: request.trace,
            underDuress: underDuress)
    }

    /// Returns the state of a call to its person and to the people who may read it.
    func read(_ request: ReadRequest<EmergencyID>, _ turn: inout Turn<Effect>) {
        guard var view = signals.view(of: request.id, for: request.principal.person) else {
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
        if let caller = view.raisedBy, principal == .person(caller) { return true }
        let isRecipient =
            principal.person.map { signals.isRecipient($0, of: view.emergency) } ?? false
        // Its person may be made to leave the circle of a recipient.
        if isRecipient, signals.isCovert(view.emergency), case .person(let viewer) = principal {
            return !directory.hidesEmergencies(of: view.person, from: viewer)
        }
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
        // They were recipients before the person left.
        if common.isEmpty, signals.isCovert(view.emergency) { return view }
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
        where expired.deadline.kind.rules.handler == .evaluator:
            sequencer.append(
                .inputDeadline(expired), of: expired.deadline.person, cause: event.id.raw,
                trace: event.trace, &turn)
            if expired.deadline.kind == .contact, let signal = expired.deadline.emergency {
                locate(signal, of: expired.deadline.person, event, reports, &turn)
            }
        case .watchExpired(let signal) where signal.underDuress != nil:
            raiseCovert(signal, &turn)
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
        func append(_ body: EventBody, about emergency: EmergencyID, of person: PersonID) {
            // Evaluators must not know: what phones get would depend on it.
            if signals.isCovert(emergency) { return }
            sequencer.append(
                body, of: person, cause: event.id.raw, trace: event.trace, &turn)
        }
        switch event.body {
        case .signalReceived(var signal):
            signal.fix =
                signal.fix ?? reports.lastFix(of: signal.person, device: nil, in: turn.directory)
            if let origin = signal.underDuress {
                raiseCovert(signal, from: origin, &turn)
            } else {
                raise(signal, &sequencer, &turn)
            }
        case .acknowledgementCommitted(let answer):
            signals.recordDelivery(answer.emergency, .acknowledged, &turn)
            append(.inputAcknowledgement(answer), about: answer.emergency, of: answer.person)
            raiseLastJoined(in: answer.emergency, after: answer.at, &sequencer, &turn)
        case .resolutionCommitted(let answer):
            signals.resolve(answer.emergency, given: answer.at, at: event.time, &turn)
            append(.inputResolution(answer), about: answer.emergency, of: answer.person)
            raiseLastJoined(in: answer.emergency, after: answer.at, &sequencer, &turn)
        case .escalationFallbackOpened(let signal):
            signals.openFallback(signal, &turn)
            append(.inputFallbackOpened(signal), about: signal.id, of: signal.person)
        case .emergencySnapshot(let snapshot):
            signals.apply(snapshot, &turn)
            append(
                .inputEmergencySnapshot(snapshot), about: snapshot.emergency, of: snapshot.person)
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
