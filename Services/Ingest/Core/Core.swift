import Directory
import JourneysCore
import Model

/// The core of ingest: accepts reports, orders all records of `in/p`, and tracks emergencies,
/// journeys, policies and contact states.
///
/// A value without clock, disk or randomness. The daemon performs each ``Effect`` in the turn's
/// transaction and rebuilds the core from the store if the transaction fails. The effects of an
/// input contain every change of state, so inputs may be committed one by one.
///
/// The machines stand in the order of their dependencies: each uses only those above it.
public struct Core: Sendable {
    public private(set) var sequencer: Sequencer
    public private(set) var distributor: ConfigurationDistributor
    public private(set) var journeys: Journeys
    public private(set) var reports: Reports
    public internal(set) var emergencies: Emergencies
    public private(set) var devices: Devices
    private var alarms: Alarms
    private var policies: Policies
    public private(set) var contactStates: ContactStateMachine
    private var positions = Positions()
    public private(set) var followedPositions: FollowedPositions
    private var sweep = MemorySweep()

    /// Restores the core from the store and queues a comparison of the whole directory with the
    /// configuration of each partition.
    public init(_ stored: Stored, in directory: Replica) {
        sequencer = Sequencer(time: stored.time, logic: stored.logic, opened: stored.partitions)
        distributor = ConfigurationDistributor(
            circles: stored.configuredCircles, people: stored.configuredPeople,
            sets: ConfiguredSets(sets: stored.configuredSets, pages: stored.configuredPages))
        journeys = Journeys(stored.journeys)
        reports = Reports(
            devices: stored.devices, firstDevices: stored.firstDevices, waiting: stored.waiting)
        emergencies = Emergencies(rows: stored.emergencies)
        devices = Devices(stored)
        alarms = Alarms(disarmed: stored.disarmed, rows: stored.alarms)
        policies = Policies(rows: stored.policies, watches: stored.watches)
        contactStates = ContactStateMachine(
            rows: stored.contactStates, expectations: stored.expectations,
            heldSince: stored.contactLossHeldSince)
        followedPositions = FollowedPositions(
            rows: stored.followed, liveViews: stored.liveViews, open: emergencies.signals.openPeople
        )
        distributor.enqueueAllChecks(directory)
    }

    /// Whether another turn is needed at once.
    public var hasWork: Bool { distributor.hasWork || reports.waitingCount > 0 }

    /// Handles one input.
    public mutating func handle(_ input: Input, _ turn: inout Turn<Effect>) {
        contactStates.appendIntakeOutage(&sequencer, &turn)
        switch input {
        case .batch(let batch): accept(batch, &turn)
        case .rejectedRequest(let rejected):
            contactStates.recordContact(after: rejected, &reports, &sequencer, &turn)
        case .quarantineRetry(let retry):
            Intake.accept(
                retry, &reports, &devices, &emergencies, &journeys, &distributor, &sequencer, &turn)
        case .emergency(let request):
            Intake.accept(
                request, &reports, &emergencies, &journeys, &distributor, &sequencer, &turn)
        case .cancellation(let request):
            emergencies.cancel(request, reports, &sequencer, &turn)
        case .readEmergency(let request): emergencies.read(request, &turn)
        case .readPositions(let request): positions.read(request, viewer(turn.directory), &turn)
        case .alarm(let request): alarms.answer(request, &sequencer, &turn)
        case .checkIn(let request):
            emergencies.recordCheckIn(request, contactStates, reports, &sequencer, &turn)
        case .readAlarm(let request): alarms.read(request, &turn)
        case .readPolicy(let request):
            let primary = reports.primaryDevice(of: request.id, in: turn.directory)
            let isEvent = policies.isEvent(request.id, emergencies, journeys, at: turn.now)
            policies.read(request, primary: primary, isEvent: isEvent, &turn)
        case .locate(let request): devices.locations.locate(request, reports, emergencies, &turn)
        case .journeys(let input): journeys.handle(input, &turn)
        case .directoryChanging(let change, let time):
            distributor.enqueueChecks(change, before: turn.directory)
            journeys.handle(.directoryChanging(change, at: time), &turn)
            forget(change, &turn)
        case .derived(let event): applyDerived(event, &turn)
        case .deadlines(let event):
            if case .watchChanged(let watch) = event.body {
                policies.apply(watch, event, &sequencer, &turn)
            } else {
                emergencies.applyExpired(event, reports, &sequencer, &turn)
            }
        case .watchesReplaced(let running):
            policies.endWatches(except: running, &sequencer, &turn)
        case .deliveries(let event):
            if case .liveViewChanged(let view) = event.body {
                followedPositions.apply(view, &turn)
            } else {
                DeliveryRecords.apply(
                    event, reports, viewer(turn.directory), &positions, &emergencies, &sequencer,
                    &turn)
            }
        case .logic(let version): sequencer.raiseLogic(to: version, &turn)
        case .renewCheckpoints(let partitions): sequencer.repeatLogic(to: partitions, &turn)
        case .erased(let person): reports.forget(person)
        case .turnEnd: endTurn(&turn)
        }
        if let person = input.followedPerson {
            followedPositions.update(
                person, emergencies.signals, reports, devices,
                isOnJourney: journeys.open(of: person) != nil, &turn)
        }
    }

    /// Accepts what a phone sent, and answers with what the phone is to do.
    private mutating func accept(_ batch: IncomingBatch, _ turn: inout Turn<Effect>) {
        let (person, device) = (batch.person, batch.device)
        guard !batch.panics.isEmpty || reports.hasRoom(for: batch.arrivals, at: turn.now) else {
            return Intake.reject(
                batch, &reports, &contactStates, &journeys, &distributor, &sequencer, &turn)
        }
        let reported = devices.reporting(of: device, reports)
        let (counts, calls) = Intake.accept(
            batch, &reports, &devices, &emergencies, &journeys, &distributor, &sequencer, &turn)
        var answer = ReportsAnswer(
            accepted: counts.accepted, duplicates: counts.duplicates,
            rejections: batch.rejections)
        if batch.requestsFriends {
            answer.friends = positions.friends(for: batch, viewer(turn.directory), &turn)
            devices.cards.add(to: &answer.friends, for: device, at: turn.now)
            answer.rings = alarms.popRings(for: device, of: person, &turn)
        }
        if batch.provesContact {
            answer.requestsLocation = devices.locations.shouldAsk(
                batch, newest: reports.devices[device]?.newest?.time, &turn)
        }
        if reports.isPrimary(device, of: person, in: turn.directory) {
            let isEvent = policies.isEvent(person, emergencies, journeys, at: turn.now)
            answer.policy = policies.hint(for: batch, isEvent: isEvent, &turn)
            if batch.provesContact {
                contactStates.updateExpectation(
                    of: batch, policies, isEvent: isEvent,
                    appended: counts.accepted > 0 || !calls.isEmpty, &sequencer, &turn)
            }
        }
        if let now = devices.reporting(of: device, reports), now.differs(from: reported) {
            turn.raise(.deviceReporting(now), id: now.id, trace: "")
        }
        turn.answer(batch.request, .reports(answer))
    }

    /// Applies a decision of an evaluator that was appended to `events/p`.
    private mutating func applyDerived(_ event: Event, _ turn: inout Turn<Effect>) {
        switch event.body {
        case .emergencyCountdown(let change), .emergencyOpened(let change),
            .emergencyJoined(let change), .emergencyCancelled(let change),
            .emergencyAcknowledged(let change), .emergencyResolved(let change):
            emergencies.signals.apply(change, at: event.time, &turn)
        case .alarmStarted(let change), .alarmRepeated(let change):
            alarms.recordRing(change, at: event.time, &turn)
        case .alarmEnded(let change): alarms.recordEnd(change, &turn)
        case .contactLate(let change), .contactOverdue(let change), .contactLost(let change),
            .contactOK(let change):
            contactStates.apply(change, &sequencer, &turn)
        case .policyChanged(let policy): policies.apply(policy, at: event.time, &turn)
        default:
            guard let decision = DecisionRow(event, in: turn.directory, at: turn.now) else {
                return
            }
            turn.emit(.decision(.save(decision)))
        }
    }

    /// Deletes everything kept about a device or person that is removed.
    private mutating func forget(_ change: EventBody, _ turn: inout Turn<Effect>) {
        if case .deviceRemoved(let removal) = change { devices.forget(removal.device, &turn) }
        guard case .personRemoved(let removal) = change else { return }
        let person = removal.person
        for device in turn.directory.devices(of: person) { devices.forget(device.id, &turn) }
        reports.forgetBacklog(of: person, &turn)
        emergencies.signals.forget(person, &turn)
        devices.forget(person, &turn)
        alarms.forget(person, &turn)
        policies.forget(person, &turn)
        contactStates.forget(person, &turn)
        followedPositions.forget(person, &turn)
        turn.emit(.decision(.removeAll(person)))
        turn.emit(.erase(person))
    }

    /// Distributes configuration first, because reports are evaluated by it, then a share of the
    /// backlog.
    private mutating func endTurn(_ turn: inout Turn<Effect>) {
        distributor.run(firstDevices: reports.firstDevices, &sequencer, &turn)
        journeys.handle(.turnEnd, &turn)
        reports.sequenceBacklog(&sequencer, &turn)
        contactStates.endTurn(&sequencer, &turn)
        for person in followedPositions.due(at: turn.now) {
            followedPositions.update(
                person, emergencies.signals, reports, devices,
                isOnJourney: journeys.open(of: person) != nil, &turn)
        }
        sweep.run(&emergencies, &turn)
    }

    /// Answers what viewers may see, as of now.
    private func viewer(_ directory: Replica) -> PositionViewer {
        PositionViewer(
            directory: directory, reports: reports, signals: emergencies.signals,
            devices: devices, contactStates: contactStates)
    }
}
