import Directory
import Hashing
import Model

extension Core {
    /// Raises a call for help made by the API. It is never deferred or quarantined.
    mutating func raise(
        _ request: EmergencyRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let person = request.principal.person else {
            let decision = directory.decide(request.principal, .panic, on: .suite, at: now)
            effects.append(
                .answer(request: request.request, .denied(decision.denial ?? .personOnly)))
            return
        }
        let decision = directory.decide(request.principal, .panic, on: .person(person), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        let signal = signal(of: request, person: person, in: directory, at: now)
        let joined = join(signal, at: now, into: &effects)
        if joined == nil { raise(signal, at: now, into: &effects) }
        let call = joined ?? signal.id
        if case .device(let device, _) = request.principal, joined == nil || request.arrival != nil
        {
            acceptReport(
                of: request, device, person, call: call, in: directory, at: now, into: &effects)
        }
        answer(request.request, with: call, into: &effects)
    }

    /// Accepts the report sent with a call, and logs it.
    private mutating func acceptReport(
        of request: EmergencyRequest, _ device: DeviceID, _ person: PersonID, call: EmergencyID,
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        let arrivals = request.arrival.map { [$0] } ?? []
        var counts = AcceptedReports()
        if !arrivals.isEmpty {
            recordContact(of: device, person: person, in: directory, at: now, into: &effects)
            counts = acceptReports(
                arrivals, of: device, received: now, trace: request.trace, in: directory, at: now,
                into: &effects)
        }
        effects.append(
            .saveDeviceLog(
                DeviceLogRow(
                    device: device, time: now, client: .jaga,
                    outcome: counts.accepted > 0 ? .accepted : .call, status: 202, counts: counts,
                    calls: 1, call: call, newest: Core.newest(of: arrivals),
                    trace: request.trace)))
    }

    private func signal(
        of request: EmergencyRequest, person: PersonID, in directory: Replica, at now: Timestamp
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
            received: now, countdownEnds: Core.countdownEnd(seconds, raised: raised, at: now),
            fix: call.observation.map { Intake.corrected($0.fix, at: now).fix }
                ?? lastFix(of: person, device: device, in: directory),
            battery: call.observation?.battery ?? call.battery
                ?? device.flatMap { intake.devices[$0]?.battery },
            note: call.note.map { String($0.prefix(Limits.noteCharacters)) }, trace: request.trace)
    }

    /// End of the server's countdown; a call that was delayed on its way has none.
    static func countdownEnd(_ seconds: Int, raised: Timestamp, at now: Timestamp) -> Timestamp {
        let isLate = raised < now - .seconds(Limits.latePanicSeconds)
        return isLate ? now : now + .seconds(max(0, seconds))
    }

    /// The newest fix of the device, otherwise of the person's primary device.
    func lastFix(of person: PersonID, device: DeviceID?, in directory: Replica) -> Fix? {
        device.flatMap { intake.devices[$0]?.newest }
            ?? positions(in: directory).primaryDevice(of: person)?.newest
    }

    /// Publishes a signal on `sos` at once and appends it to `in/p`.
    mutating func raise(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard emergencies.raise(signal, into: &effects) else { return }
        effects.append(
            .raise(
                Event(
                    id: Hash.derivedID(
                        kind: .sosRaised, person: signal.person, cause: signal.id.raw),
                    time: now, trace: signal.trace, body: .sosRaised(signal))))
        append(signal, at: now, into: &effects)
    }

    /// Appends a signal to `in/p`.
    mutating func append(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) {
        append(
            .inputSignal(signal), of: signal.person, cause: signal.id.raw, trace: signal.trace,
            at: now, into: &effects)
    }

    /// Appends a record about a person to `in/p` of their partition.
    mutating func append(
        _ body: EventBody, of person: PersonID, cause: ID128, trace: String, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        sequencer.append(
            body, id: Hash.derivedID(kind: body.kind, person: person, cause: cause), trace: trace,
            to: Partition.of(person), at: now, into: &effects)
    }

    /// Cancels a call during its countdown. An ended call stays as it is; an open one must be
    /// resolved by someone else.
    mutating func cancel(
        _ request: CancelRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let view = emergencies.view(of: request.emergency) else {
            effects.append(.answer(request: request.request, .notFound))
            return
        }
        let decision = directory.decide(
            request.principal, .cancelEmergency, on: .person(view.person), at: now)
        if let denial = decision.denial {
            let isSeen = canRead(view, request.principal, in: directory, at: now)
            effects.append(
                .answer(request: request.request, isSeen ? .denied(denial) : .notFound))
            return
        }
        switch view.state {
        case .open, .acknowledged:
            effects.append(.answer(request: request.request, .tooLate))
            return
        case .resolved, .cancelled: break
        case .countdown:
            if let seconds = emergencies.cancelPause(of: view.person, at: now) {
                effects.append(.answer(request: request.request, .tooManyCancels(seconds: seconds)))
                return
            }
            emergencies.recordResponse(to: view.person)
            let id = Hash.derivedID(
                kind: .sosCancelled, person: view.person, subject: .id(view.emergency),
                cause: request.cause)
            let cancel = EmergencyCancel(
                id: id, person: view.person, emergency: view.emergency, received: now,
                trace: request.trace)
            effects.append(
                .raise(
                    Event(id: id, time: now, trace: request.trace, body: .sosCancelled(cancel))))
            append(
                .inputCancel(cancel), of: view.person, cause: id.raw, trace: request.trace,
                at: now, into: &effects)
        }
        answer(request.request, with: request.emergency, into: &effects)
    }

    /// Returns the state of a call to its person and to the people who may read it.
    mutating func read(
        _ request: ReadRequest<EmergencyID>, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard var view = emergencies.view(of: request.id) else {
            effects.append(.answer(request: request.request, .notFound))
            return
        }
        // For others the response does not reveal that it exists.
        guard canRead(view, request.principal, in: directory, at: now) else {
            effects.append(.answer(request: request.request, .notFound))
            return
        }
        if let viewer = request.principal.person, viewer != view.person {
            view = self.view(view, for: viewer, in: directory)
        }
        effects.append(.answer(request: request.request, .emergency(view)))
    }

    private func canRead(
        _ view: EmergencyView, _ principal: Principal, in directory: Replica, at now: Timestamp
    ) -> Bool {
        let isRecipient = principal.person.map { emergencies.isRecipient($0, of: view.id) } ?? false
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
        let common = directory.commonCircles(of: view.person, and: viewer)
        shown.endedCircles = view.endedCircles.filter(common.contains)
        let isOver = !common.isEmpty && shown.endedCircles.count == common.count
        // Showing it as active would reveal circles that are not the viewer's.
        if view.state.isActive, isOver { (shown.state, shown.endedCircles) = (.resolved, []) }
        return shown
    }

    private func answer(
        _ request: UInt64, with emergency: EmergencyID, into effects: inout [Effect]
    ) {
        let view = emergencies.view(of: emergency)
        effects.append(.answer(request: request, view.map { .emergency($0) } ?? .notFound))
    }
}
