import Dialects
import Directory
import Model

extension Core {
    /// Takes in what a phone delivered: everything usable is kept, the rest goes to quarantine,
    /// and the phone hears success.
    mutating func deliver(
        _ delivery: Delivery, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard !delivery.panics.isEmpty || hasRoom(for: delivery.arrivals, at: now) else {
            return refuse(delivery, in: directory, at: now, into: &effects)
        }
        let isThere = delivery.isSign
        if isThere {
            hear(delivery.device, of: delivery.person, in: directory, at: now, into: &effects)
        }
        let pressed = hearNews(of: delivery, in: directory, at: now, into: &effects)
        var calls: [EmergencyID] = []
        let wasTagged = phones.hearTag(of: delivery, into: &effects)
        let panics = delivery.panics.filter { !($0.isTag && wasTagged) }
        for panic in panics + (pressed.map { [$0] } ?? []) {
            calls.append(
                raise(
                    panic, from: delivery.device, of: delivery.person, received: now,
                    trace: delivery.trace, in: directory, at: now, into: &effects))
        }
        let taken = takeIn(
            delivery.arrivals, of: delivery.device, received: now, trace: delivery.trace,
            in: directory, at: now, into: &effects)
        hearBattery(
            of: delivery, repeated: taken.battery, in: directory, at: now, into: &effects)
        var answer = ReportsAnswer(
            accepted: taken.accepted, duplicates: taken.duplicates,
            rejections: delivery.rejections)
        let isTagNoted =
            panics.count < delivery.panics.count
            && phones.isTagToBeNoted(of: delivery.device, at: now)
        note(
            delivery, taken, calls: calls, knowsTag: isTagNoted, at: now, into: &effects)
        putAside(delivery, at: now, into: &effects)
        if delivery.wantsFriends {
            let principal = Principal.device(delivery.device, of: delivery.person)
            let (friends, shown) = positions(in: directory).friends(
                of: delivery.person, principal: principal, at: now)
            answer.friends = friends
            phones.dress(&answer.friends, for: delivery.device, at: now)
            access.note(shown, by: delivery.person, at: now, into: &effects)
            answer.rings = alarms.takeRings(
                for: delivery.device, of: delivery.person, into: &effects)
        }
        if isThere {
            answer.locates = phones.asks(
                delivery, newest: intake.devices[delivery.device]?.newest?.time, at: now,
                into: &effects)
        }
        answer.policy = hint(for: delivery, in: directory, at: now, into: &effects)
        if isThere {
            noteTerms(
                of: delivery, brought: answer.accepted > 0 || !calls.isEmpty,
                in: directory, at: now, into: &effects)
        }
        effects.append(.answer(request: delivery.request, .reports(answer)))
    }

    /// There is no room for what is old in it. What is live is taken all the same: the phone keeps
    /// the whole and delivers it again, and then that is a duplicate.
    private mutating func refuse(
        _ delivery: Delivery, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let live = delivery.arrivals.filter { !Intake.isBacklog($0.observation.fix, at: now) }
        if live.isEmpty, delivery.wasKept {
            // It is the broker that comes again.
        } else if live.isEmpty {
            let visit = Visit(
                device: delivery.device, person: delivery.person, trace: delivery.trace)
            note(visit, in: directory, at: now, into: &effects)
        } else {
            hear(delivery.device, of: delivery.person, in: directory, at: now, into: &effects)
            _ = takeIn(
                live, of: delivery.device, received: now, trace: delivery.trace, in: directory,
                at: now, into: &effects)
        }
        effects.append(
            .saveDiary(
                DiaryRow(
                    device: delivery.device, time: now, client: delivery.client,
                    outcome: .refused, reason: "overload", status: 503,
                    newest: Core.newest(of: delivery.arrivals), trace: delivery.trace)))
        effects.append(.answer(request: delivery.request, .overloaded))
    }

    /// Stores what is new of these and puts it on `in/p`: at once, or with the backlog.
    ///
    /// - Parameter received: when they came; earlier than now for what had been put aside.
    mutating func takeIn(
        _ arrivals: [Arrival], of device: DeviceID, received: Timestamp, trace: String,
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) -> TakenReports {
        var taken = TakenReports()
        var seen: Set<ReportID> = []
        var live: [Report] = []
        var hasCompleted = false
        if arrivals.count > 1 {
            seen.reserveCapacity(arrivals.count)
            live.reserveCapacity(arrivals.count)
            effects.reserveCapacity(effects.count + arrivals.count + 8)
        }
        guard var row = intake.devices[device] else {
            invariant(arrivals.isEmpty, "a device is heard before it reports")
            return taken
        }
        for arrival in Core.inOrder(arrivals) {
            let isRepeated = arrivals.count > 1 && !seen.insert(arrival.id).inserted
            if isRepeated {
                taken.duplicates += 1
                let index = live.lastIndex { $0.id == arrival.id }
                if let index, let report = live[index].completed(by: arrival.observation) {
                    live[index] = report
                    row.complete(with: arrival.observation, report, at: now)
                    travel(completed: report, in: directory, into: &effects)
                }
                continue
            }
            if arrival.isKnown {
                taken.duplicates += 1
                complete(
                    arrival, of: &row, trace: trace, taken: &taken, in: directory,
                    received: received, at: now, into: &effects)
                hasCompleted = true
                continue
            }
            taken.accepted += 1
            let report = row.accept(arrival, trace: trace, at: received)
            let waits = Intake.isBacklog(report.fix, at: now)
            if report.late { taken.late += 1 }
            if report.clockSkew { taken.skewed += 1 }
            travel(report, in: directory, into: &effects)
            guard waits else {
                live.append(report)
                continue
            }
            taken.waiting += 1
            effects.append(.saveReport(report, device: row.number))
            backlog.add(report, into: &effects)
        }
        if taken.accepted > 0 || hasCompleted { intake.keep(row) }
        if !live.isEmpty { effects.append(.saveReports(live, device: row.number)) }
        sequence(live, at: now, into: &effects)
        if let row = intake.devices[device] { effects.append(.noteDevice(row)) }
        return taken
    }

    /// Whether what of these is old finds room to wait.
    func hasRoom(for arrivals: [Arrival], at now: Timestamp) -> Bool {
        let old = arrivals.count {
            !$0.isKnown && Intake.isBacklog($0.observation.fix, at: now)
        }
        return old == 0 || backlog.hasRoom(for: old)
    }

    /// What viewers may see, as of now.
    func positions(in directory: Replica) -> Positions {
        Positions(
            directory: directory, intake: intake, emergencies: emergencies, phones: phones,
            silences: silences)
    }

    /// A batch by fix time, so that its own order makes nothing late.
    private static func inOrder(_ arrivals: [Arrival]) -> [Arrival] {
        let isInOrder = zip(arrivals, arrivals.dropFirst()).allSatisfy {
            $0.observation.fix.time <= $1.observation.fix.time
        }
        return isInOrder
            ? arrivals
            : arrivals.sorted { $0.observation.fix.time < $1.observation.fix.time }
    }

    /// Notes that a device is there; the first of a person who has chosen none leads from now on,
    /// and evaluators hear so before its first report.
    mutating func hear(
        _ device: DeviceID, of person: PersonID, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        intake.hear(device, of: person, at: now, into: &effects)
        let leader = directory.leadingDevice(of: person, first: intake.firstDevices[person])
        guard leader == nil else { return }
        intake.lead(person, with: device)
        effects.append(.saveLeader(person, device))
        place(in: directory, at: now, into: &effects) { placement, context in
            placement.place(person, in: &context)
        }
    }

    /// Keeps what is of no use. Where that are many parts of one request, it is kept whole: each
    /// of them can be read once more, and what was good in it is known then.
    private func putAside(_ delivery: Delivery, at now: Timestamp, into effects: inout [Effect]) {
        var rejections = delivery.rejections
        if rejections.count > Limits.quarantinePerRequest {
            rejections = [Rejection(index: -1, reason: rejections[0].reason)]
        }
        for rejection in rejections {
            let payload = rejection.payload ?? delivery.payload
            effects.append(
                .saveQuarantine(
                    QuarantineRow(
                        id: Meaning.quarantine(
                            person: delivery.person, device: delivery.device, payload: payload),
                        device: delivery.device, person: delivery.person, client: delivery.client,
                        path: delivery.path,
                        reason: rejection.reason, index: rejection.index,
                        payload: Array(payload.prefix(Limits.quarantinePayloadBytes)),
                        size: payload.count, received: now, trace: delivery.trace)))
        }
    }

    /// A cry for help inside a report: a signal like any other.
    ///
    /// - Parameter received: when it came; earlier than now for what had been put aside.
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

    /// The id of a cry for help inside a report.
    ///
    /// Most apps send again what they have heard no answer to, and some give a call neither an id
    /// nor a time of its own. One that says the very same as another of its device, first received
    /// a short time before, is that other one, whatever has become of it. What tells the time of
    /// that first receipt are the calls that are stored, so this outlives the process.
    private func id(
        of panic: Panic, from device: DeviceID, of person: PersonID, received: Timestamp
    ) -> EmergencyID {
        guard panic.messageID == nil, let content = panic.content else {
            // Two phones may count alike, but do not call at one moment: a phone that was set up
            // anew and sends all again is the same.
            guard let messageID = panic.messageID else {
                return Meaning.signal(
                    .panic, person: person, device: nil,
                    messageID: "at \(panic.raised.microseconds)")
            }
            return Meaning.signal(.panic, person: person, device: device, messageID: messageID)
        }
        func id(_ first: Timestamp) -> EmergencyID {
            Meaning.signal(
                .panic, person: person, device: device,
                messageID: "\(content) at \(first.microseconds)")
        }
        let since = received - .seconds(Limits.callRetriedSeconds)
        let first = emergencies.receipts(of: person, in: since...received).first { first in
            guard emergencies.rows[id(first)] != nil else { return false }
            return received - first <= .seconds(Limits.callRepeatedSeconds)
                || emergencies.isUntaken(id(first))
        }
        return id(first ?? received)
    }
}
