import Bus
import Dialects
import Directory
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// The thin layer around ``Core``: requests and records become inputs, effects become rows, records
/// and answers.
final class IngestService: Service {
    let outside: any Surroundings
    let database: Database
    let writer: Writer
    let firstAnswers: FirstAnswers
    let ownership: Ownership
    let journeys: JourneyStore
    let readers: JourneyReaders
    let photos: PhotoFolder
    let sosWord: String
    /// Pressing "report" twice within so many seconds is a panic; 0 = it never is.
    let pressesWithinSeconds: Int64
    let deviceKeys: DeviceKeys
    let topics: TopicTable
    let brokerSecrets: BrokerSecrets
    /// Calls for help that could not be processed.
    let keptCalls: KeptCalls
    /// The operator's broker; nil where there is none.
    let mqtt: MQTTIntake?
    /// Who has to wait; calls for help never do.
    var gate: Gate
    /// Digests of replaced secrets by which this turn opens an emergency.
    var openedByReplaced: [String] = []
    /// Digests of what phones called themselves last.
    var namesOfDevices: [DeviceID: ID128] = [:]
    /// Calls for help and cancellations of this turn, logged after COMMIT.
    private var milestones: [Event] = []
    var core = Core(Core.Stored(), in: Replica())
    var counts = Counts()
    /// Requests whose answer has a form or is kept: taken when the core answers.
    var pending: [UInt64: Pending] = [:]
    /// What is kept long enough, and who is gone.
    var retention: Retention
    var erasures: Erasures
    /// Fixes of deleted journeys may be left.
    var isForgettingJourneys = true
    /// What became of requests that never came as far as the core; written with this turn.
    var diaryNotes: [DiaryRow] = []
    /// Used again for every input.
    private var effects: [Effect] = []

    /// How a request is to be answered.
    struct Pending {
        /// The app that asks; nil = Jaga's own API.
        var phone: PhoneAnswer?
        /// It is published for a phone, and not an answer to a request.
        var published: MQTTForm?
        /// Status of success.
        var status = 200
        /// Where the answer is kept for a repeated request.
        var key: ID128?
        /// Fields of the request that were of no use.
        var ignored: [String] = []
    }

    /// - Parameters:
    ///   - secrets: folder of the suite's secrets
    ///   - limits: how much one device and one address may take
    ///   - mqtt: the operator's broker; nil = there is none
    ///   - brokerFolder: shared with it; nil = there is none
    ///   - logicNewest: the logs go over to no newer version of the logic
    init(
        outside: any Surroundings, database: Database, secrets: String, sosWord: String,
        pressesWithinSeconds: Int64 = 0, limits: GateLimits = .none,
        logicNewest: UInt16 = Limits.logicNewest, ages: RetentionAges = RetentionAges(),
        mqtt: MQTTIntake? = nil, brokerFolder: String? = nil
    ) {
        self.outside = outside
        self.database = database
        retention = Retention(database: database, ages: ages)
        erasures = Erasures(database: database)
        self.sosWord = sosWord
        self.pressesWithinSeconds = pressesWithinSeconds
        gate = Gate(limits)
        deviceKeys = DeviceKeys(database: database, secrets: secrets)
        topics = TopicTable(database: database)
        brokerSecrets = BrokerSecrets(database: database, folder: brokerFolder)
        keptCalls = KeptCalls(database: database)
        self.mqtt = mqtt
        writer = Writer(database: database)
        firstAnswers = FirstAnswers(database: database)
        journeys = JourneyStore(database: database)
        readers = JourneyReaders(outside: outside, store: journeys)
        photos = PhotoFolder(beside: database.path)
        ownership = Ownership(outside: outside, database: database, logicNewest: logicNewest)
    }

    // MARK: Service

    func start() throws {
        try reload()
        try photos.sweep(journeys)
        ownership.start(core)
    }

    func reload() throws {
        pending.removeAll()
        milestones.removeAll()
        ownership.progress.rollBack()
        mqtt?.takenBack()
        try topics.load()
        try brokerSecrets.load()
        try keptCalls.load()
        diaryNotes.removeAll()
        openedByReplaced.removeAll()
        readers.cut()
        photos.stay()
        isForgettingJourneys = true
        try retention.load()
        try erasures.load()
        core = Core(try StoredState(writer: writer).load(), in: outside.replica)
        let closed = try deviceKeys.load()
        if closed > 0 {
            outside.log.warning(
                "keys of phones cannot be opened: the file in the secrets folder is another one",
                ["keys": closed])
        }
        try ownership.logicIs(core.logic)
    }

    func directoryWillChange(_ event: Event) throws {
        readers.noteChange()
        try noteReplaced(event)
        try take(.directoryChanging(event.body, at: event.time))
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        switch stream {
        case .events:
            if let signal = event.body.answeredSignal { ownership.progress.answered(signal) }
            try take(.computed(event))
        case .fired, .deliveries: try applyOnce(event, from: stream)
        case .directory, .input, .sos: break
        }
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        guard stream == .fired || stream == .deliveries else { return }
        // A watch of which a snapshot says nothing was over before it was made.
        if stream == .fired {
            try take(.watchesReplaced(running: IngestService.running(in: events)))
        }
        for event in events { try applyOnce(event, from: stream) }
    }

    /// The watches that go on, as a snapshot of the timer's stream says.
    private static func running(in events: [Event]) -> Set<WatchID> {
        Set(
            events.compactMap { event in
                guard case .watchChanged(let watch) = event.body,
                    [.active, .reminded].contains(watch.state)
                else {
                    return nil
                }
                return watch.id
            })
    }

    /// Only what leads to a record of `in/p` has to be remembered; the rest may be heard twice.
    private func applyOnce(_ event: Event, from stream: StreamName) throws {
        switch event.kind {
        case .clockFired, .watchExpired, .acknowledgementGiven, .resolutionGiven, .ladderAdopted,
            .ladderStanding, .signalGiven, .contactGiven:
            guard try writer.isFirst(event.id, at: outside.now) else { return }
        case .retentionDue:
            guard case .retentionDue(let round) = event.body else { return }
            return try begin(round)
        case .notificationChanged, .watchChanged, .accessRecorded: break
        default: return
        }
        try take(stream == .fired ? .fired(event) : .delivered(event))
    }

    var pollable: (any Pollable)? { mqtt?.broker }

    func committed() {
        mqtt?.committed()
        ownership.progress.commit()
        // Not before: what is answered 503 was not raised.
        for event in milestones { log(event) }
        milestones.removeAll(keepingCapacity: true)
        for hash in openedByReplaced { gate.opened(byReplaced: hash, at: outside.now) }
        openedByReplaced.removeAll()
    }

    func startLeaving() { mqtt?.broker.stop() }

    func tick() throws {
        if mqtt != nil {
            try brokerSecrets.exchange(
                in: outside.replica, isComplete: outside.isDirectoryFresh, at: outside.now)
        }
        try takeMessages()
        try raise(to: try ownership.tick())
        try take(.turnEnd)
        try writeDiaryNotes()
        try forget()
        try tendJourneys()
        try writer.devices.writeSome(at: outside.now, of: core)
    }

    func coordinate(_ question: Control, from route: Route) throws {
        try raise(to: try ownership.take(question, from: route))
    }

    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool {
        ownership.mayPropose(stream, by: member)
    }

    func proposalRejected(
        _ stream: StreamName, by member: ID128, because reason: String
    ) throws {
        try ownership.proposalRejected(stream, by: member, because: reason)
    }

    private func raise(to logic: UInt16?) throws {
        guard let logic else { return }
        outside.log.info("the logs go over to another version of the logic", ["logic": logic])
        try take(.logic(logic))
        try ownership.logicIs(core.logic)
    }

    func pruneFloor(of stream: StreamName) throws -> UInt64? {
        guard case .input(let partition) = stream else { return nil }
        return try ownership.pruneFloor(of: partition)
    }

    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot {
        guard case .input(let partition) = stream else { return StreamSnapshot([]) }
        return try ownership.snapshot(of: partition)
    }

    var nextDeadline: Timestamp? {
        core.hasWork || isForgetting ? outside.now : nextOfJourneys
    }

    var troubles: [String] {
        let isFull = core.waitingCount >= Limits.waitingReports
        return (isFull ? ["the backlog is full: old reports are refused until it shrinks"] : [])
            + ownership.troubles
    }

    var alarms: [String] {
        let leftOut =
            core.zonesLeftOut == 0
            ? []
            : [
                "\(core.zonesLeftOut) zones of sets judge nobody: with so many points they do not"
                    + " fit into one record; draw them with fewer"
            ]
        let broker = mqtt?.alarm(at: outside.now).map { [$0] } ?? []
        return keptCallAlarms + leftOut + silenceAlarms + ownership.alarms + broker
    }

    var concerns: [String] { mqtt?.concern.map { [$0] } ?? [] }

    var statusDetails: JSON {
        .object(
            [
                .init("devices", .integer(Int64(core.deviceCount))),
                .init("blind", .integer(Int64(core.blindCount))),
                .init("waiting", .integer(Int64(core.waitingCount))),
                .init("activeEmergencies", .integer(Int64(core.activeEmergencyCount))),
            ] + ownership.statusMembers + (mqtt.map { [$0.statusMember] } ?? []))
    }

    func writeMetrics(_ metrics: Metrics) {
        counts.write(to: metrics, core: core, at: outside.now)
        counts.writeSilences(to: metrics, core: core)
        ownership.write(to: metrics)
        mqtt?.write(to: metrics)
        writeKeptCalls(to: metrics)
        metrics.counter(
            "jaga_ingest_quarantine_dropped_total",
            "Payloads put aside that went for want of room."
        ).set(Double(writer.quarantine.dropped))
        metrics.gauge("jaga_ingest_quarantine_payloads", "Payloads put aside, up to 100,000.")
            .set(Double((try? quarantinedCount()) ?? 0))
    }

    // MARK: Inputs and effects

    /// Gives the core one input and does what it says.
    func take(_ input: Input) throws {
        effects.removeAll(keepingCapacity: true)
        core.handle(input, in: outside.replica, at: outside.now, into: &effects)
        for effect in effects { try perform(effect) }
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .append(let event, let partition):
            let record = try EventCodec.encode(event)
            let position = try outside.append(record, to: .input(partition))
            ownership.progress.append(event.body, to: partition, at: outside.now)
            outside.log.debug(
                "told",
                [
                    "stream": StreamName.input(partition).text, "event": event.id,
                    "trace": event.trace,
                ])
            try ownership.placed.note(
                event.body, record, at: position.sequence, in: partition)
        case .raise(let event):
            try outside.append(try EventCodec.encode(event), to: .sos)
            milestones.append(event)
        case .answer(let request, let answer): try reply(to: request, answer)
        case .phone(.forgetDevice(let device)):
            deviceKeys.forget(device)
            topics.forget(device)
            try brokerSecrets.forget(device)
            try writer.write(effect)
        case .saveHold(let since):
            try writer.write(effect)
            tellHold(since: since)
        case .forgetApplied:
            try writer.write(effect)
            try firstAnswers.forget(at: outside.now)
            try keptCalls.forget(raisedBefore: outside.now - .seconds(Limits.keptCallSeconds))
        case .saveEmergency(let row) where erasures.isGone(row.person): break
        case .journey(let change): try write(change)
        case .erase(let person): try erasures.begin(person, at: outside.now)
        default: try writer.write(effect)
        }
    }

    /// Emergencies are rare and matter: one line each, by id alone.
    private func log(_ event: Event) {
        switch event.body {
        case .sosRaised(let signal):
            counts.emergencies += 1
            outside.log.info(
                "emergency raised",
                [
                    "emergency": signal.id, "trigger": signal.trigger.rawValue,
                    "trace": signal.trace,
                ])
        case .sosCancelled(let cancel):
            outside.log.info(
                "emergency taken back", ["emergency": cancel.emergency, "trace": cancel.trace])
        default: break
        }
    }

    private func reply(to request: UInt64, _ answer: Answer) throws {
        let form = pending.removeValue(forKey: request) ?? Pending()
        counts.count(answer)
        if let published = form.published { return try publish(answer, published) }
        if case .located(let view) = answer { askAtOnce(view.device) }
        if let phone = form.phone {
            return outside.answer(request, try response(to: answer, as: phone))
        }
        let response =
            if case .journey(let answer) = answer {
                try journeyResponse(to: answer)
            } else {
                Answers.response(to: answer, status: form.status, ignored: form.ignored)
            }
        if let key = form.key { try firstAnswers.keep(response, to: key, at: outside.now) }
        outside.answer(request, response)
    }
}
