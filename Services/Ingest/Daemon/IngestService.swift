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

/// Connects ``Core`` to the process: requests and records become inputs, effects become rows,
/// records and responses.
final class IngestService: Service {
    let host: any IngestHost
    let database: Database
    let writer: Writer
    let storedResponses: StoredResponses
    let ownership: Ownership
    let journeys: JourneyStore
    let readers: JourneyReaders
    let photos: PhotoFolder
    let sosWord: String
    /// Two presses of "report" within this many seconds are a panic; 0 = never.
    let pressesWithinSeconds: Int64
    let deviceKeys: DeviceKeys
    let topics: TopicTable
    let brokerSecrets: BrokerSecrets
    /// Calls for help that could not be processed.
    let deferredCalls: DeferredCalls
    /// The operator's MQTT broker; nil = none.
    let mqtt: MQTTIntake?
    /// Limits request rates; calls for help are exempt.
    var limiter: IngestLimiter
    /// Hashes of replaced secrets with which this turn opens an emergency.
    var openedByReplaced: [String] = []
    /// Digest of the names that each device last used.
    var deviceNames: [DeviceID: ID128] = [:]
    /// Calls for help and cancellations of this turn, logged after COMMIT.
    private var milestones: [Event] = []
    var core = Core(Core.Stored(), in: Replica())
    var counts = Counts()
    /// Requests whose response has a special form or is stored; removed when the core responds.
    var pending: [UInt64: Pending] = [:]
    /// Deletes expired data and data of removed people.
    var retention: Retention
    var erasures: Erasures
    /// Whether fixes of deleted journeys may be left.
    var isForgettingJourneys = true
    /// Log rows of requests that were rejected before they reached the core; written with this
    /// turn.
    var pendingLogRows: [DeviceLogRow] = []
    /// Reused for every input.
    private var effects: [Effect] = []

    /// How a request is answered.
    struct Pending {
        /// The phone's protocol; nil = Jaga's own API.
        var phone: PhoneResponse?
        /// Set if the response is published to a phone instead.
        var published: MQTTForm?
        /// HTTP status of success.
        var status = 200
        /// Key under which the response is stored for repeated requests.
        var key: ID128?
        /// Fields of the request that could not be used.
        var ignored: [String] = []
    }

    /// - Parameters:
    ///   - secrets: folder of the suite's secrets
    ///   - limits: request limits per device and address
    ///   - mqtt: the operator's broker; nil = none
    ///   - brokerFolder: folder shared with the broker; nil = none
    ///   - logicNewest: the newest version of the logic that logs may switch to
    init(
        host: any IngestHost, database: Database, secrets: String, sosWord: String,
        pressesWithinSeconds: Int64 = 0, limits: IngestLimits = .none,
        logicNewest: UInt16 = Limits.logicNewest, ages: RetentionAges = RetentionAges(),
        mqtt: MQTTIntake? = nil, brokerFolder: String? = nil
    ) {
        self.host = host
        self.database = database
        retention = Retention(database: database, ages: ages)
        erasures = Erasures(database: database)
        self.sosWord = sosWord
        self.pressesWithinSeconds = pressesWithinSeconds
        limiter = IngestLimiter(limits)
        deviceKeys = DeviceKeys(database: database, secrets: secrets)
        topics = TopicTable(database: database)
        brokerSecrets = BrokerSecrets(database: database, folder: brokerFolder)
        deferredCalls = DeferredCalls(database: database)
        self.mqtt = mqtt
        writer = Writer(database: database)
        storedResponses = StoredResponses(database: database)
        journeys = JourneyStore(database: database)
        readers = JourneyReaders(host: host, store: journeys)
        photos = PhotoFolder(beside: database.path)
        ownership = Ownership(host: host, database: database, logicNewest: logicNewest)
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
        mqtt?.rolledBack()
        try topics.load()
        try brokerSecrets.load()
        try deferredCalls.load()
        pendingLogRows.removeAll()
        openedByReplaced.removeAll()
        readers.cut()
        photos.rollBack()
        isForgettingJourneys = true
        try retention.load()
        try erasures.load()
        core = Core(try StoredState(writer: writer).load(), in: host.replica)
        let closed = try deviceKeys.load()
        if closed > 0 {
            host.log.warning(
                "device keys cannot be opened",
                ["keys": closed])
        }
        try ownership.logicIs(core.logic)
    }

    func directoryWillChange(_ event: Event) throws {
        readers.recordChange()
        try recordReplaced(event)
        try handle(.directoryChanging(event.body, at: event.time))
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        switch stream {
        case .events:
            if let signal = event.body.answeredSignal { ownership.progress.answered(signal) }
            try handle(.derived(event))
        case .deadlines, .deliveries: try applyOnce(event, from: stream)
        case .directory, .input, .sos: break
        }
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        guard stream == .deadlines || stream == .deliveries else { return }
        // A watch that is not in the snapshot ended before it was made.
        if stream == .deadlines {
            try handle(.watchesReplaced(running: IngestService.running(in: events)))
        }
        for event in events { try applyOnce(event, from: stream) }
    }

    /// The running watches in a snapshot of the timer's stream.
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

    /// Only events that lead to a record of `in/p` are deduplicated; others may be applied twice.
    private func applyOnce(_ event: Event, from stream: StreamName) throws {
        switch event.kind {
        case .deadlineExpired, .watchExpired, .acknowledgementCommitted, .resolutionCommitted,
            .escalationFallbackOpened,
            .emergencySnapshot, .signalReceived, .checkInReceived:
            guard try writer.isFirst(event.id, at: host.now) else { return }
        case .retentionDue:
            guard case .retentionDue(let round) = event.body else { return }
            return try begin(round)
        case .notificationChanged, .watchChanged, .accessRecorded: break
        default: return
        }
        try handle(stream == .deadlines ? .deadlines(event) : .deliveries(event))
    }

    var pollable: (any Pollable)? { mqtt?.broker }

    func committed() {
        mqtt?.committed()
        ownership.progress.commit()
        // Not earlier: a request that is answered 503 raised nothing.
        for event in milestones { log(event) }
        milestones.removeAll(keepingCapacity: true)
        for hash in openedByReplaced { limiter.recordOpened(byReplaced: hash, at: host.now) }
        openedByReplaced.removeAll()
    }

    func beginShutdown() { mqtt?.broker.stop() }

    func tick() throws {
        if mqtt != nil {
            try brokerSecrets.exchange(
                in: host.replica, isComplete: host.isDirectoryFresh, at: host.now)
        }
        try receiveMessages()
        try raise(to: try ownership.tick())
        try handle(.turnEnd)
        try writePendingLogRows()
        try forget()
        try tendJourneys()
        try writer.devices.writeSome(at: host.now, of: core)
    }

    func coordinate(_ question: Control, from route: Route) throws {
        try raise(to: try ownership.receive(question, from: route))
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
        host.log.info("logic version changed", ["logic": logic])
        try handle(.logic(logic))
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
        core.hasWork || isForgetting ? host.now : nextOfJourneys
    }

    var healthProblems: [String] {
        let isFull = core.waitingCount >= Limits.backlogReportsMax
        return (isFull ? ["the backlog is full: old reports are rejected until it shrinks"] : [])
            + ownership.healthProblems
    }

    var alarms: [String] {
        let leftOut =
            core.zonesLeftOut == 0
            ? []
            : [
                "\(core.zonesLeftOut) zones of sets judge nobody: with so many points they do not"
                    + " fit into one record; draw them with fewer"
            ]
        let broker = mqtt?.alarm(at: host.now).map { [$0] } ?? []
        return deferredCallAlarms + leftOut + contactLossAlarms + ownership.alarms + broker
    }

    var concerns: [String] { mqtt?.concern.map { [$0] } ?? [] }

    var statusDetails: JSON {
        .object(
            [
                .init("devices", .integer(Int64(core.deviceCount))),
                .init("blind", .integer(Int64(core.impairedCount))),
                .init("waiting", .integer(Int64(core.waitingCount))),
                .init("activeEmergencies", .integer(Int64(core.activeEmergencyCount))),
            ] + ownership.statusMembers + (mqtt.map { [$0.statusMember] } ?? []))
    }

    func writeMetrics(_ metrics: Metrics) {
        counts.write(to: metrics, core: core, at: host.now)
        counts.writeContactStates(to: metrics, core: core)
        ownership.write(to: metrics)
        mqtt?.write(to: metrics)
        writeDeferredCalls(to: metrics)
        metrics.counter(
            "jaga_ingest_quarantine_dropped_total",
            "Quarantined payloads deleted for lack of room."
        ).set(Double(writer.quarantine.dropped))
        metrics.gauge(
            "jaga_ingest_quarantine_payloads", "Quarantined payloads, counted up to 100,000."
        )
        .set(Double((try? quarantinedCount()) ?? 0))
    }

    // MARK: Inputs and effects

    /// Passes one input to the core and performs its effects.
    func handle(_ input: Input) throws {
        effects.removeAll(keepingCapacity: true)
        core.handle(input, in: host.replica, at: host.now, into: &effects)
        for effect in effects { try perform(effect) }
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .append(let event, let partition):
            let record = try EventCodec.encode(event)
            let position = try host.append(record, to: .input(partition))
            ownership.progress.append(event.body, to: partition, at: host.now)
            host.log.debug(
                "record appended",
                [
                    "stream": StreamName.input(partition).text, "event": event.id,
                    "trace": event.trace,
                ])
            try ownership.configuration.record(
                event.body, record, at: position.sequence, in: partition)
        case .raise(let event):
            try host.append(try EventCodec.encode(event), to: .sos)
            milestones.append(event)
        case .answer(let request, let answer): try reply(to: request, answer)
        case .device(.forgetDevice(let device)):
            deviceKeys.forget(device)
            topics.forget(device)
            try brokerSecrets.forget(device)
            try writer.write(effect)
        case .saveContactLossHold(let since):
            try writer.write(effect)
            logContactLossHold(since: since)
        case .removeApplied:
            try writer.write(effect)
            try storedResponses.forget(at: host.now)
            try deferredCalls.forget(raisedBefore: host.now - .seconds(Limits.deferredCallSeconds))
        case .saveEmergency(let row) where erasures.isGone(row.person): break
        case .journey(let change): try write(change)
        case .erase(let person): try erasures.begin(person, at: host.now)
        default: try writer.write(effect)
        }
    }

    /// One log line per emergency, without names or positions.
    private func log(_ event: Event) {
        switch event.body {
        case .sosRaised(let signal):
            counts.emergencies += 1
            host.log.info(
                "emergency raised",
                [
                    "emergency": signal.id, "trigger": signal.trigger.rawValue,
                    "trace": signal.trace,
                ])
        case .sosCancelled(let cancel):
            host.log.info(
                "emergency cancelled", ["emergency": cancel.emergency, "trace": cancel.trace])
        default: break
        }
    }

    private func reply(to request: UInt64, _ answer: Answer) throws {
        let form = pending.removeValue(forKey: request) ?? Pending()
        counts.count(answer)
        if let published = form.published { return try publish(answer, published) }
        if case .located(let view) = answer { requestLocationAtOnce(view.device) }
        if let phone = form.phone {
            return host.answer(request, try response(to: answer, as: phone))
        }
        let response =
            if case .journey(let answer) = answer {
                try journeyResponse(to: answer)
            } else {
                Responses.response(to: answer, status: form.status, ignored: form.ignored)
            }
        if let key = form.key { try storedResponses.keep(response, to: key, at: host.now) }
        host.answer(request, response)
    }
}
