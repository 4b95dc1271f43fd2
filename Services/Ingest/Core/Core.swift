import Dialects
import Directory
import Hashing
import Model

/// The core of ingest: accepts reports, orders all records of `in/p`, and tracks emergencies,
/// journeys, policies and contact states.
///
/// A value without clock, disk or randomness. The daemon performs each ``Effect`` in the turn's
/// transaction and rebuilds the core from the store if the transaction fails. The effects of an
/// input contain every change of state, so inputs may be committed one by one.
public struct Core: Sendable {
    /// Everything that survives the process.
    public struct Stored: Sendable {
        public var devices: [DeviceRow] = []
        public var firstDevices = Table<PersonID, DeviceID>()
        /// Ordered by number.
        public var waiting: [WaitingRow] = []
        public var emergencies: [EmergencyRow] = []
        public var configuredCircles: [ConfiguredCircleRow] = []
        public var configuredPeople: [ConfiguredPersonRow] = []
        public var configuredSets: [ConfiguredSetRow] = []
        public var configuredPages: [ConfiguredPageRow] = []
        public var disarmed: [PersonID] = []
        public var alarms: [AlarmRow] = []
        public var policies: [PolicyRow] = []
        public var watches: [WatchRow] = []
        public var conditions: [ConditionRow] = []
        public var cards: [PersonID: CardHead] = [:]
        public var locates: [LocateRow] = []
        /// Devices whose last message had a tag that calls for help, and their people.
        public var tagged: [DeviceID: PersonID] = [:]
        /// The journeys of each person, ascending.
        public var journeys: [PersonID: [JourneySpan]] = [:]
        /// The highest number under which points of journeys are stored.
        public var lastJourney: Int64 = 0
        public var contactStates: [ContactRow] = []
        public var expectations: [ExpectationRow] = []
        /// Start of the contact-loss hold; nil = none.
        public var contactLossHeldSince: Timestamp?
        public var partitions: [Partition] = []
        public var time = Timestamp.zero
        public var logic = Limits.logicVersion

        public init() {}
    }

    var intake: Intake
    var backlog: Backlog
    var emergencies: Emergencies
    var distributor: ConfigurationDistributor
    var sequencer: Sequencer
    var alarms: Alarms
    var policies: Policies
    var devices: Devices
    var journeys: Journeys
    var contactStates: ContactStateMachine
    var access = AccessLog()
    /// Whether the intake outage before this start was recorded.
    var hasBegun = false
    private var forgotten: Timestamp = .zero
    /// Whether more journeys are due for deletion than fit one turn.
    public private(set) var isForgettingMore = false

    /// Restores the core from the store and queues a comparison of the whole directory with the
    /// configuration of each partition.
    public init(_ stored: Stored, in directory: Replica) {
        intake = Intake(devices: stored.devices, firstDevices: stored.firstDevices)
        backlog = Backlog(stored.waiting)
        emergencies = Emergencies(rows: stored.emergencies)
        alarms = Alarms(disarmed: stored.disarmed, rows: stored.alarms)
        policies = Policies(rows: stored.policies, watches: stored.watches)
        devices = Devices(
            Devices.Stored(
                conditions: stored.conditions, cards: stored.cards, locates: stored.locates,
                tagged: stored.tagged))
        journeys = Journeys(spans: stored.journeys, lastNumber: stored.lastJourney)
        contactStates = ContactStateMachine(
            rows: stored.contactStates, expectations: stored.expectations,
            heldSince: stored.contactLossHeldSince)
        distributor = ConfigurationDistributor(
            circles: stored.configuredCircles, people: stored.configuredPeople,
            sets: ConfiguredSets(sets: stored.configuredSets, pages: stored.configuredPages))
        sequencer = Sequencer(
            time: stored.time, logic: stored.logic, opened: stored.partitions)
        distributor.enqueueAllChecks(directory)
    }

    /// Handles one input and appends its effects.
    ///
    /// - Parameter directory: the replica as of this input; lent, never kept.
    public mutating func handle(
        _ input: Input, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        appendIntakeOutage(at: now, into: &effects)
        switch input {
        case .batch(let batch): accept(batch, in: directory, at: now, into: &effects)
        case .rejectedRequest(let rejectedRequest):
            recordContact(after: rejectedRequest, in: directory, at: now, into: &effects)
        case .quarantineRetry(let retry):
            accept(retry, in: directory, at: now, into: &effects)
        case .emergency(let request): raise(request, in: directory, at: now, into: &effects)
        case .cancellation(let request): cancel(request, in: directory, at: now, into: &effects)
        case .readEmergency(let request): read(request, in: directory, at: now, into: &effects)
        case .readPositions(let request):
            readPositions(request, in: directory, at: now, into: &effects)
        case .alarm(let request): answerAlarm(request, in: directory, at: now, into: &effects)
        case .checkIn(let request):
            recordCheckIn(request, in: directory, at: now, into: &effects)
        case .readAlarm(let request): readAlarm(request, in: directory, at: now, into: &effects)
        case .readPolicy(let request): readPolicy(request, in: directory, at: now, into: &effects)
        case .locate(let request): locate(request, in: directory, at: now, into: &effects)
        case .journey(let request): change(request, in: directory, at: now, into: &effects)
        case .directoryChanging(let change, let time):
            distributor.enqueueChecks(change, before: directory)
            journeys.recordChange(change, at: time, before: directory)
            forget(change, before: directory, into: &effects)
        case .derived(let event): apply(event, in: directory, at: now, into: &effects)
        case .deadlines(let event): applyExpired(event, in: directory, at: now, into: &effects)
        case .watchesReplaced(let running):
            endWatches(except: running, at: now, into: &effects)
        case .deliveries(let event): applyDelivery(event, in: directory, at: now, into: &effects)
        case .logic(let version): sequencer.raiseLogic(to: version, at: now, into: &effects)
        case .forgetJourneys(let person, let time):
            isForgettingMore = journeys.forget(person, endedBefore: time, into: &effects)
        case .endJourneys(let quiet):
            journeys.endForgotten(after: quiet, at: now, into: &effects)
        case .renewCheckpoints(let partitions):
            sequencer.repeatLogic(to: partitions, at: now, into: &effects)
        case .erased(let person): intake.forget(person)
        case .turnEnd: endTurn(in: directory, at: now, into: &effects)
        }
    }

    /// Deletes everything kept about a device or person that is removed.
    private mutating func forget(
        _ change: EventBody, before directory: Replica, into effects: inout [Effect]
    ) {
        if case .deviceRemoved(let removal) = change {
            devices.forget(removal.device, into: &effects)
        }
        guard case .personRemoved(let removal) = change else { return }
        for device in directory.devices(of: removal.person) {
            devices.forget(device.id, into: &effects)
        }
        for device in intake.devices(of: removal.person) {
            backlog.forget(device, into: &effects)
        }
        emergencies.forget(removal.person, into: &effects)
        devices.forget(removal.person, into: &effects)
        alarms.forget(removal.person, into: &effects)
        policies.forget(removal.person, into: &effects)
        journeys.forget(removal.person, into: &effects)
        contactStates.forget(removal.person, into: &effects)
        effects += [.removeDecisions(removal.person), .erase(removal.person)]
    }

    /// Whether another turn is needed at once.
    public var hasWork: Bool { distributor.hasWork || backlog.count > 0 }

    /// Version of the logic in force in all logs.
    public var logic: UInt16 { sequencer.logic }

    /// Whether no partition has a record yet.
    public var isNew: Bool { sequencer.isEmpty }

    /// Reports in the backlog.
    public var waitingCount: Int { backlog.count }

    /// Active emergencies.
    public var activeEmergencyCount: Int { emergencies.activeCount }

    /// When the oldest active emergency without acknowledgement began; nil = none.
    public var oldestUnacknowledgedEmergency: Timestamp? { emergencies.oldestUnacknowledged }

    /// Open journeys.
    public var openJourneyCount: Int { journeys.openCount }

    /// Zones of sets that fit no record and are therefore not evaluated.
    public var zonesLeftOut: Int { distributor.leftOut }

    /// Devices that may fail to report.
    public var impairedCount: Int { devices.impairedCount }

    /// The row of a device; nil if it never reported.
    public func device(_ id: DeviceID) -> DeviceRow? { intake.devices[id] }

    /// Whether the emergency that a signal belongs to is in countdown, open or acknowledged.
    public func isActive(_ signal: EmergencyID) -> Bool {
        emergencies.view(of: signal)?.state.isActive ?? false
    }

    /// Whether the emergency of a signal is in countdown or open, and nobody has acknowledged it or
    /// ended any part of it. A further call would then change nothing.
    public func isUnanswered(_ signal: EmergencyID) -> Bool {
        guard let view = emergencies.view(of: signal) else { return false }
        return view.state.isActive && view.state != .acknowledged
            && view.deliveryState != .acknowledged
            && view.endedCircles.isEmpty && !emergencies.hasAnswer(to: view.person)
    }

    /// Devices whose row matches a condition, the highest number first.
    public func devices(where isSo: (DeviceRow) -> Bool) -> [DeviceID] {
        intake.devices.values.lazy.filter(isSo)
            .map { (id: $0.device, number: $0.number) }
            .sorted { $0.number > $1.number }.map(\.id)
    }

    /// Devices that have ever reported.
    public var deviceCount: Int { intake.devices.count }

    /// Distributes configuration first, because reports are evaluated by it, then a share of the
    /// backlog.
    private mutating func endTurn(
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        if distributor.hasWork {
            distribute(in: directory, at: now, into: &effects) { distributor, context in
                distributor.run(&context)
            }
        }
        journeys.updateSights(in: directory, at: now, into: &effects)
        for reports in backlog.popPortions(into: &effects) {
            sequence(reports, at: now, into: &effects)
            if let row = intake.devices[reports[0].device] { effects.append(.updateDevice(row)) }
        }
        recordAlive(at: now, into: &effects)
        if contactStates.heldSince != nil { updateContactLossHold(at: now, into: &effects) }
        if now - forgotten > .seconds(3600) {
            forgotten = now
            let limit = now - .seconds(Limits.memoryDays * 86_400)
            emergencies.forget(endedBefore: limit, into: &effects)
            effects.append(.removeApplied(before: limit))
        }
    }

    /// Appends reports of one device to `in/p`. A report is marked late if a newer one of the
    /// device is already there.
    mutating func sequence(_ reports: [Report], at now: Timestamp, into effects: inout [Effect]) {
        var rest = reports[...]
        while !rest.isEmpty {
            var reports = Array(rest.prefix(Limits.reportsPerRecord))
            rest = rest.dropFirst(reports.count)
            let partition = intake.sequence(&reports)
            sequencer.append(
                EventBody(reports: reports), id: DerivedID.record(of: reports),
                trace: reports[0].trace, to: partition, at: now, into: &effects)
        }
    }

    /// Runs work on the partition configuration with the current sequencer and directory.
    mutating func distribute(
        in directory: Replica, at now: Timestamp, into effects: inout [Effect],
        _ work: (inout ConfigurationDistributor, inout PartitionConfigurationContext) -> Void
    ) {
        var context = PartitionConfigurationContext(
            directory: directory, firstDevices: intake.firstDevices, now: now,
            sequencer: sequencer)
        work(&distributor, &context)
        sequencer = context.sequencer
        effects += context.effects
    }
}
