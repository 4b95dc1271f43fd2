import Dialects
import Directory
import Hashing
import Model

/// What ingest decides: which reports are new, in which order everything enters `in/p`, who may see
/// whom, and what became of a call for help.
///
/// A value without clock, disk or chance. The daemon stores what ``Effect`` says in the turn's
/// transaction and rebuilds the core from the store when that fails. After each input the effects
/// say everything that has changed: inputs may be committed one by one.
public struct Core: Sendable {
    /// Everything that survives the process.
    public struct Stored: Sendable {
        public var devices: [DeviceRow] = []
        public var firstDevices = Table<PersonID, DeviceID>()
        /// By number.
        public var waiting: [WaitingRow] = []
        public var emergencies: [EmergencyRow] = []
        public var placedCircles: [PlacedCircleRow] = []
        public var placedPeople: [PlacedPersonRow] = []
        public var placedSets: [PlacedSetRow] = []
        public var placedPages: [PlacedPageRow] = []
        public var disarmed: [PersonID] = []
        public var alarms: [AlarmRow] = []
        public var policies: [PolicyRow] = []
        public var watching: [WatchingRow] = []
        public var conditions: [ConditionRow] = []
        public var cards: [PersonID: CardHead] = [:]
        public var locates: [LocateRow] = []
        /// Phones with a tag that calls for help, and their people.
        public var tagged: [DeviceID: PersonID] = [:]
        /// Of each person, ascending.
        public var journeys: [PersonID: [JourneySpan]] = [:]
        /// The highest number that points of journeys are stored under.
        public var lastJourney: Int64 = 0
        public var silences: [SilenceRow] = []
        public var terms: [TermsRow] = []
        /// Since when the suite suspects itself to be deaf; nil = it does not.
        public var held: Timestamp?
        public var partitions: [Partition] = []
        public var time = Timestamp.zero
        public var logic = Limits.logicVersion

        public init() {}
    }

    var intake: Intake
    var backlog: Backlog
    var emergencies: Emergencies
    var placement: Placement
    var sequencer: Sequencer
    var alarms: Alarms
    var policies: Policies
    var phones: Phones
    var journeys: Journeys
    var silences: Silences
    var access = AccessLog()
    /// Whether what could not be received before the start was told.
    var hasBegun = false
    private var forgotten: Timestamp = .zero
    /// More journeys were to be forgotten than one turn has room for.
    public private(set) var isForgettingMore = false

    /// Starts from what was stored, and has everything in the directory compared with what the
    /// partitions have been told.
    public init(_ stored: Stored, in directory: Replica) {
        intake = Intake(devices: stored.devices, firstDevices: stored.firstDevices)
        backlog = Backlog(stored.waiting)
        emergencies = Emergencies(rows: stored.emergencies)
        alarms = Alarms(disarmed: stored.disarmed, rows: stored.alarms)
        policies = Policies(rows: stored.policies, watching: stored.watching)
        phones = Phones(
            Phones.Stored(
                conditions: stored.conditions, cards: stored.cards, locates: stored.locates,
                tagged: stored.tagged))
        journeys = Journeys(spans: stored.journeys, lastNumber: stored.lastJourney)
        silences = Silences(rows: stored.silences, terms: stored.terms, held: stored.held)
        placement = Placement(
            circles: stored.placedCircles, people: stored.placedPeople,
            sets: PlacedSets(sets: stored.placedSets, pages: stored.placedPages))
        sequencer = Sequencer(
            time: stored.time, logic: stored.logic, opened: stored.partitions)
        placement.noteEverything(directory)
    }

    /// Takes one input in at a time, and says what is to be done.
    ///
    /// - Parameter directory: the replica as of this input; lent, never kept.
    public mutating func handle(
        _ input: Input, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        tellDeafness(at: now, into: &effects)
        switch input {
        case .delivery(let delivery): deliver(delivery, in: directory, at: now, into: &effects)
        case .refusal(let visit): note(visit, in: directory, at: now, into: &effects)
        case .redelivery(let delivery):
            redeliver(delivery, in: directory, at: now, into: &effects)
        case .emergency(let request): raise(request, in: directory, at: now, into: &effects)
        case .cancellation(let request): cancel(request, in: directory, at: now, into: &effects)
        case .readEmergency(let request): read(request, in: directory, at: now, into: &effects)
        case .readPositions(let request):
            readPositions(request, in: directory, at: now, into: &effects)
        case .alarm(let request): answerAlarm(request, in: directory, at: now, into: &effects)
        case .allRight(let request):
            takeAllRight(request, in: directory, at: now, into: &effects)
        case .readAlarm(let request): readAlarm(request, in: directory, at: now, into: &effects)
        case .readPolicy(let request): readPolicy(request, in: directory, at: now, into: &effects)
        case .locate(let request): locate(request, in: directory, at: now, into: &effects)
        case .journey(let request): change(request, in: directory, at: now, into: &effects)
        case .directoryChanging(let change, let time):
            placement.note(change, before: directory)
            journeys.note(change, at: time, before: directory)
            forget(change, before: directory, into: &effects)
        case .computed(let event): follow(event, in: directory, at: now, into: &effects)
        case .fired(let event): takeFired(event, in: directory, at: now, into: &effects)
        case .watchesReplaced(let running):
            endWatches(except: running, at: now, into: &effects)
        case .delivered(let event): takeDelivered(event, in: directory, at: now, into: &effects)
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

    /// What was kept of a person goes with them.
    private mutating func forget(
        _ change: EventBody, before directory: Replica, into effects: inout [Effect]
    ) {
        if case .deviceRemoved(let removal) = change {
            phones.forget(removal.device, into: &effects)
        }
        guard case .personRemoved(let removal) = change else { return }
        for device in directory.devices(of: removal.person) {
            phones.forget(device.id, into: &effects)
        }
        for device in intake.devices(of: removal.person) {
            backlog.forget(device, into: &effects)
        }
        emergencies.forget(removal.person, into: &effects)
        phones.forget(removal.person, into: &effects)
        alarms.forget(removal.person, into: &effects)
        policies.forget(removal.person, into: &effects)
        journeys.forget(removal.person, into: &effects)
        silences.forget(removal.person, into: &effects)
        effects += [.removeDecisions(removal.person), .erase(removal.person)]
    }

    /// Whether another turn is wanted at once.
    public var hasWork: Bool { placement.hasWork || backlog.count > 0 }

    /// Version of the logic by which the logs of all partitions go on.
    public var logic: UInt16 { sequencer.logic }

    /// Whether no partition has a record yet.
    public var isNew: Bool { sequencer.isEmpty }

    /// Reports that wait behind what is live.
    public var waitingCount: Int { backlog.count }

    /// Emergencies that go on.
    public var activeEmergencyCount: Int { emergencies.activeCount }

    /// Since when the oldest emergency that nobody has taken goes on; nil: there is none.
    public var oldestUntakenEmergency: Timestamp? { emergencies.oldestUntaken }

    /// Journeys that go on.
    public var openJourneyCount: Int { journeys.openCount }

    /// Zones of sets that no record has room for: nobody is judged by them.
    public var zonesLeftOut: Int { placement.leftOut }

    /// Phones that say that they may fall silent.
    public var blindCount: Int { phones.blindCount }

    /// What is kept of a device; nil if it was never heard.
    public func device(_ id: DeviceID) -> DeviceRow? { intake.devices[id] }

    /// Whether the emergency that a signal belongs to is in countdown, open or acknowledged.
    public func isActive(_ signal: EmergencyID) -> Bool {
        emergencies.view(of: signal)?.state.isActive ?? false
    }

    /// Whether a further call would change nothing about the emergency that a signal belongs to: it
    /// is in countdown or open, nobody has acknowledged it, and nobody has ended any of it.
    public func isUnanswered(_ signal: EmergencyID) -> Bool {
        guard let view = emergencies.view(of: signal) else { return false }
        return view.state.isActive && view.state != .acknowledged && view.told != .acknowledged
            && view.endedCircles.isEmpty && !emergencies.hasAnswer(to: view.person)
    }

    /// Devices of which something is so, the highest number first.
    public func devices(where isSo: (DeviceRow) -> Bool) -> [DeviceID] {
        intake.devices.values.lazy.filter(isSo)
            .map { (id: $0.device, number: $0.number) }
            .sorted { $0.number > $1.number }.map(\.id)
    }

    /// Devices that ever reported.
    public var deviceCount: Int { intake.devices.count }

    /// Configuration first, as reports are judged by it; then some of what waits.
    private mutating func endTurn(
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        if placement.hasWork {
            place(in: directory, at: now, into: &effects) { placement, context in
                placement.run(&context)
            }
        }
        journeys.look(in: directory, at: now, into: &effects)
        for reports in backlog.takeTurn(into: &effects) {
            sequence(reports, at: now, into: &effects)
            if let row = intake.devices[reports[0].device] { effects.append(.noteDevice(row)) }
        }
        noteHearing(at: now, into: &effects)
        if silences.held != nil { weighSilences(at: now, into: &effects) }
        if now - forgotten > .seconds(3600) {
            forgotten = now
            let limit = now - .seconds(Limits.memoryDays * 86_400)
            emergencies.forget(endedBefore: limit, into: &effects)
            effects.append(.forgetApplied(before: limit))
        }
    }

    /// Puts reports of one device on `in/p`, each marked late if newer ones of the device are there
    /// already.
    mutating func sequence(_ reports: [Report], at now: Timestamp, into effects: inout [Effect]) {
        var rest = reports[...]
        while !rest.isEmpty {
            var reports = Array(rest.prefix(Limits.reportsPerRecord))
            rest = rest.dropFirst(reports.count)
            let partition = intake.sequence(&reports)
            sequencer.append(
                EventBody(reports: reports), id: Meaning.record(of: reports),
                trace: reports[0].trace, to: partition, at: now, into: &effects)
        }
    }

    /// Lets the placement append, and takes back what it did.
    mutating func place(
        in directory: Replica, at now: Timestamp, into effects: inout [Effect],
        _ work: (inout Placement, inout PlacementContext) -> Void
    ) {
        var context = PlacementContext(
            directory: directory, firstDevices: intake.firstDevices, now: now,
            sequencer: sequencer)
        work(&placement, &context)
        sequencer = context.sequencer
        effects += context.effects
    }
}
