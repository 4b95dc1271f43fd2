import Dialects
import Directory
import Model

extension Core {
    /// Accepts what a phone sent: stores everything usable, quarantines the rest, and responds with
    /// success.
    mutating func accept(
        _ batch: IncomingBatch, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard !batch.panics.isEmpty || hasRoom(for: batch.arrivals, at: now) else {
            return reject(batch, in: directory, at: now, into: &effects)
        }
        let isConnected = batch.provesContact
        if isConnected {
            recordContact(
                of: batch.device, person: batch.person, in: directory, at: now, into: &effects)
        }
        let pressed = applyStatus(of: batch, in: directory, at: now, into: &effects)
        var calls: [EmergencyID] = []
        let wasTagged = devices.updateTag(of: batch, into: &effects)
        let panics = batch.panics.filter { !($0.isTag && wasTagged) }
        for panic in panics + (pressed.map { [$0] } ?? []) {
            calls.append(
                raise(
                    panic, from: batch.device, of: batch.person, received: now,
                    trace: batch.trace, in: directory, at: now, into: &effects))
        }
        let counts = acceptReports(
            batch.arrivals, of: batch.device, received: now, trace: batch.trace,
            in: directory, at: now, into: &effects)
        applyBattery(
            of: batch, repeated: counts.battery, in: directory, at: now, into: &effects)
        var answer = ReportsAnswer(
            accepted: counts.accepted, duplicates: counts.duplicates,
            rejections: batch.rejections)
        let logsTag =
            panics.count < batch.panics.count
            && devices.shouldLogTag(of: batch.device, at: now)
        log(
            batch, counts, calls: calls, knowsTag: logsTag, at: now, into: &effects)
        quarantine(batch, at: now, into: &effects)
        if batch.requestsFriends {
            let principal = Principal.device(batch.device, of: batch.person)
            let (friends, shown) = positions(in: directory).friends(
                of: batch.person, principal: principal, at: now)
            answer.friends = friends
            devices.addCards(to: &answer.friends, for: batch.device, at: now)
            access.record(shown, by: batch.person, at: now, into: &effects)
            answer.rings = alarms.popRings(
                for: batch.device, of: batch.person, into: &effects)
        }
        if isConnected {
            answer.requestsLocation = devices.shouldRequestLocation(
                batch, newest: intake.devices[batch.device]?.newest?.time, at: now,
                into: &effects)
        }
        answer.policy = hint(for: batch, in: directory, at: now, into: &effects)
        if isConnected {
            updateExpectation(
                of: batch, appended: answer.accepted > 0 || !calls.isEmpty,
                in: directory, at: now, into: &effects)
        }
        effects.append(.answer(request: batch.request, .reports(answer)))
    }

    /// Rejects a batch because the backlog is full. Live reports are accepted all the same: the
    /// phone keeps the whole batch and sends it again, and they are duplicates then.
    private mutating func reject(
        _ batch: IncomingBatch, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let live = batch.arrivals.filter { !Intake.isBacklog($0.observation.fix, at: now) }
        if live.isEmpty, batch.wasRetained {
            // The broker retries by itself.
        } else if live.isEmpty {
            let rejectedRequest = RejectedRequest(
                device: batch.device, person: batch.person, trace: batch.trace)
            recordContact(after: rejectedRequest, in: directory, at: now, into: &effects)
        } else {
            recordContact(
                of: batch.device, person: batch.person, in: directory, at: now, into: &effects)
            _ = acceptReports(
                live, of: batch.device, received: now, trace: batch.trace, in: directory,
                at: now, into: &effects)
        }
        effects.append(
            .saveDeviceLog(
                DeviceLogRow(
                    device: batch.device, time: now, client: batch.client,
                    outcome: .rejected, reason: "overload", status: 503,
                    newest: Core.newest(of: batch.arrivals), trace: batch.trace)))
        effects.append(.answer(request: batch.request, .overloaded))
    }

    /// Stores the new reports and appends them to `in/p`, at once or through the backlog.
    ///
    /// - Parameter received: the time of arrival; earlier than now for quarantined payloads
    mutating func acceptReports(
        _ arrivals: [Arrival], of device: DeviceID, received: Timestamp, trace: String,
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) -> AcceptedReports {
        var counts = AcceptedReports()
        var seen: Set<ReportID> = []
        var live: [Report] = []
        var hasCompleted = false
        if arrivals.count > 1 {
            seen.reserveCapacity(arrivals.count)
            live.reserveCapacity(arrivals.count)
            effects.reserveCapacity(effects.count + arrivals.count + 8)
        }
        guard var row = intake.devices[device] else {
            invariant(arrivals.isEmpty, "a device has a row before it reports")
            return counts
        }
        for arrival in Core.inOrder(arrivals) {
            let isRepeated = arrivals.count > 1 && !seen.insert(arrival.id).inserted
            if isRepeated {
                counts.duplicates += 1
                let index = live.lastIndex { $0.id == arrival.id }
                if let index, let report = live[index].completed(by: arrival.observation) {
                    live[index] = report
                    row.complete(with: arrival.observation, report, at: now)
                    addToJourney(completed: report, in: directory, into: &effects)
                }
                continue
            }
            if arrival.isKnown {
                counts.duplicates += 1
                complete(
                    arrival, of: &row, trace: trace, counts: &counts, in: directory,
                    received: received, at: now, into: &effects)
                hasCompleted = true
                continue
            }
            counts.accepted += 1
            let report = row.accept(arrival, trace: trace, at: received)
            let waits = Intake.isBacklog(report.fix, at: now)
            if report.late { counts.late += 1 }
            if report.clockSkew { counts.skewed += 1 }
            addToJourney(report, in: directory, into: &effects)
            guard waits else {
                live.append(report)
                continue
            }
            counts.waiting += 1
            effects.append(.saveReport(report, device: row.number))
            backlog.add(report, into: &effects)
        }
        if counts.accepted > 0 || hasCompleted { intake.update(row) }
        if !live.isEmpty { effects.append(.saveReports(live, device: row.number)) }
        sequence(live, at: now, into: &effects)
        if let row = intake.devices[device] { effects.append(.updateDevice(row)) }
        return counts
    }

    /// Whether the backlog has room for the old observations among these.
    func hasRoom(for arrivals: [Arrival], at now: Timestamp) -> Bool {
        let old = arrivals.count {
            !$0.isKnown && Intake.isBacklog($0.observation.fix, at: now)
        }
        return old == 0 || backlog.hasRoom(for: old)
    }

    /// Answers what viewers may see, as of now.
    func positions(in directory: Replica) -> Positions {
        Positions(
            directory: directory, intake: intake, emergencies: emergencies, devices: devices,
            contactStates: contactStates)
    }

    /// Sorts a batch by fix time, so that its own order makes no report late.
    private static func inOrder(_ arrivals: [Arrival]) -> [Arrival] {
        let isInOrder = zip(arrivals, arrivals.dropFirst()).allSatisfy {
            $0.observation.fix.time <= $1.observation.fix.time
        }
        return isInOrder
            ? arrivals
            : arrivals.sorted { $0.observation.fix.time < $1.observation.fix.time }
    }

    /// Records contact with a device. The first device of a person who has chosen none becomes the
    /// primary device, and evaluators get that before its first report.
    mutating func recordContact(
        of device: DeviceID, person: PersonID, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        intake.recordContact(of: device, person: person, at: now, into: &effects)
        let primary = directory.primaryDevice(of: person, first: intake.firstDevices[person])
        guard primary == nil else { return }
        intake.setPrimaryDevice(of: person, to: device)
        effects.append(.savePrimaryDevice(person, device))
        distribute(in: directory, at: now, into: &effects) { distributor, context in
            distributor.distribute(person, in: &context)
        }
    }

    /// Quarantines what could not be used. With many unusable parts the request is stored whole: a
    /// retry reads all parts again.
    private func quarantine(_ batch: IncomingBatch, at now: Timestamp, into effects: inout [Effect])
    {
        var rejections = batch.rejections
        if rejections.count > Limits.quarantinePerRequest {
            rejections = [Rejection(index: -1, reason: rejections[0].reason)]
        }
        for rejection in rejections {
            let payload = rejection.payload ?? batch.payload
            effects.append(
                .saveQuarantine(
                    QuarantineRow(
                        id: DerivedID.quarantine(
                            person: batch.person, device: batch.device, payload: payload),
                        device: batch.device, person: batch.person, client: batch.client,
                        path: batch.path,
                        reason: rejection.reason, index: rejection.index,
                        payload: Array(payload.prefix(Limits.quarantinePayloadBytes)),
                        size: payload.count, received: now, trace: batch.trace)))
        }
    }

    /// Raises a call for help found inside a report.
    ///
    /// - Parameter received: the time of arrival; earlier than now for quarantined payloads
    mutating func raise(
        _ panic: Panic, from device: DeviceID, of person: PersonID, received: Timestamp,
        trace: String, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) -> EmergencyID {
        let raised = min(panic.raised, now)
        let signal = EmergencySignal(
            id: id(of: panic, from: device, of: person, received: received),
            person: person, device: device, trigger: .panic, raised: raised,
            received: now,
            countdownEnds: Core.countdownEnd(Limits.countdownSeconds, raised: raised, at: now),
            fix: panic.fix.map { Intake.corrected($0, at: now).fix }
                ?? lastFix(of: person, device: device, in: directory),
            battery: panic.battery, trace: trace)
        if let joined = join(signal, at: now, into: &effects) { return joined }
        raise(signal, at: now, into: &effects)
        return signal.id
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
        let first = emergencies.receipts(of: person, in: since...received).first { first in
            guard emergencies.rows[id(first)] != nil else { return false }
            return received - first <= .seconds(Limits.callRepeatedSeconds)
                || emergencies.isUnacknowledged(id(first))
        }
        return id(first ?? received)
    }
}
