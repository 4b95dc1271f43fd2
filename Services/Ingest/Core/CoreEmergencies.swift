import Directory
import Hashing
import Model

extension Core {
    /// A call for help by the API. Never put off, never put aside.
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
            takeReport(
                of: request, device, person, call: call, in: directory, at: now, into: &effects)
        }
        answer(request.request, with: call, into: &effects)
    }

    /// The report that came along with a call, and the note of it.
    private mutating func takeReport(
        of request: EmergencyRequest, _ device: DeviceID, _ person: PersonID, call: EmergencyID,
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        let arrivals = request.arrival.map { [$0] } ?? []
        var taken = TakenReports()
        if !arrivals.isEmpty {
            hear(device, of: person, in: directory, at: now, into: &effects)
            taken = takeIn(
                arrivals, of: device, received: now, trace: request.trace, in: directory, at: now,
                into: &effects)
        }
        effects.append(
            .saveDiary(
                DiaryRow(
                    device: device, time: now, client: .jaga,
                    outcome: taken.accepted > 0 ? .taken : .call, status: 202, taken: taken,
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
                Meaning.signal(call.trigger, person: person, device: device, messageID: $0)
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

    /// The server's countdown; a call that was long on its way has none.
    static func countdownEnd(_ seconds: Int, raised: Timestamp, at now: Timestamp) -> Timestamp {
        let isLate = raised < now - .seconds(Limits.latePanicSeconds)
        return isLate ? now : now + .seconds(max(0, seconds))
    }

    /// The newest fix of the device itself, else of the person.
    func lastFix(of person: PersonID, device: DeviceID?, in directory: Replica) -> Fix? {
        device.flatMap { intake.devices[$0]?.newest }
            ?? positions(in: directory).lead(of: person)?.newest
    }

    /// Says it to notifier and timer at once, past the evaluators, and to the evaluator.
    mutating func raise(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard emergencies.raise(signal, into: &effects) else { return }
        effects.append(
            .raise(
                Event(
                    id: Hash.meaning(
                        kind: .sosRaised, person: signal.person, cause: signal.id.raw),
                    time: now, trace: signal.trace, body: .sosRaised(signal))))
        append(signal, at: now, into: &effects)
    }

    /// Puts a signal on `in/p`.
    mutating func append(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) {
        append(
            .inputSignal(signal), of: signal.person, cause: signal.id.raw, trace: signal.trace,
            at: now, into: &effects)
    }

    /// Puts a record about a person on the person's `in/p`.
    mutating func append(
        _ body: EventBody, of person: PersonID, cause: ID128, trace: String, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        sequencer.append(
            body, id: Hash.meaning(kind: body.kind, person: person, cause: cause), trace: trace,
            to: Partition.of(person), at: now, into: &effects)
    }

    /// Takes a call back inside its countdown. One that is over stays as it is and is told so; one
    /// that is open is ended by somebody else.
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
            emergencies.noteAnswer(to: view.person)
            let id = Hash.meaning(
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

    /// The state of a call, for its person and those who may watch over them.
    mutating func read(
        _ request: ReadRequest<EmergencyID>, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard var view = emergencies.view(of: request.id) else {
            effects.append(.answer(request: request.request, .notFound))
            return
        }
        // To everybody else it is as if there were none.
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
        let isTold = principal.person.map { emergencies.wasTold($0, of: view.id) } ?? false
        let target = RightsTarget.emergency(
            of: view.person, isTold: isTold, isAcknowledged: view.told == .acknowledged)
        return directory.decide(principal, .readEmergency, on: target, at: now).isAllowed
    }

    /// An emergency as somebody else sees it: over where it has ended in all circles that they
    /// share with the person. Circles of others are not shown.
    private func view(
        _ view: EmergencyView, for viewer: PersonID, in directory: Replica
    ) -> EmergencyView {
        var shown = view
        let common = directory.commonCircles(of: view.person, and: viewer)
        shown.endedCircles = view.endedCircles.filter(common.contains)
        let isOver = !common.isEmpty && shown.endedCircles.count == common.count
        // That it goes on elsewhere would tell of circles that are not theirs.
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
