import Bus
import Directory
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// Connects ``Core`` to the process: routes requests, records and time to the features that handle
/// them.
final class IngestService: Service, WatchesDirectory, ReadsSnapshots, PartitionOwner, DefersCalls,
    HasPollable, Drains, KnowsSenders, KeepsAccessLog, RecordsUsage
{
    let host: any IngestHost
    let runner: CoreRunner
    let ownership: Ownership
    let admission: AdmissionControl
    let requests: IngestRequests
    let deferred: DeferredCallRequests
    let rounds: RetentionRounds
    let status: IngestStatus
    /// The operator's MQTT broker; nil = none.
    let mqtt: MQTTIntake?
    private let messages: MQTTMessages?
    private let streams: ConsumedStreams

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
        self.mqtt = mqtt
        let keys = DeviceKeys(database: database, secrets: secrets)
        let brokerSecrets = BrokerSecrets(database: database, folder: brokerFolder)
        let replies = Replies(
            host: host, database: database,
            mqtt: mqtt.map {
                MQTTResponses(
                    host: host, mqtt: $0, keys: keys, brokerSecrets: brokerSecrets,
                    phones: PhoneResponses(database: database))
            })
        ownership = Ownership(host: host, database: database, logicNewest: logicNewest)
        let runner = CoreRunner(
            host: host, database: database, ownership: ownership, replies: replies, keys: keys,
            topics: TopicTable(database: database), brokerSecrets: brokerSecrets)
        let reader = PhoneReader(host: host, keys: keys, sosWord: sosWord)
        admission = AdmissionControl(
            runner, limits: limits, pressesWithinSeconds: pressesWithinSeconds)
        requests = IngestRequests(
            runner, admission, reader: reader, pressesWithinSeconds: pressesWithinSeconds,
            mqtt: mqtt)
        deferred = DeferredCallRequests(
            runner: runner, reader: reader, admission: admission, phones: requests.phones)
        rounds = RetentionRounds(runner, ages: ages)
        messages = mqtt.map { [requests, deferred] mqtt in
            MQTTMessages(
                runner: runner, reader: reader, batches: requests.batches, deferred: deferred,
                mqtt: mqtt)
        }
        streams = ConsumedStreams(runner: runner, rounds: rounds)
        status = IngestStatus(runner: runner, deferred: runner.deferredCalls, mqtt: mqtt)
        self.runner = runner
    }

    // MARK: Turns

    func start() throws {
        try reload()
        try runner.journeys.start()
        ownership.start(runner.core)
    }

    func reload() throws {
        ownership.progress.rollBack()
        mqtt?.rolledBack()
        admission.reload()
        try rounds.load()
        try runner.load()
        try ownership.logicIs(runner.core.sequencer.logic)
    }

    func tick() throws {
        if mqtt != nil {
            try runner.brokerSecrets.exchange(
                in: host.replica, isComplete: host.isDirectoryFresh, at: host.now)
        }
        try messages?.receive()
        try runner.raiseLogic(to: try ownership.tick())
        try runner.handle(.turnEnd)
        try admission.writeLogRows()
        try rounds.step()
        try runner.journeys.tick()
        try runner.writer.intake.devices.writeSome(at: host.now, of: runner.core)
    }

    var nextDeadline: Timestamp? {
        if runner.core.hasWork || rounds.isAtWork { return host.now }
        return [runner.core.followedPositions.nextDue, runner.journeys.nextDeadline]
            .compactMap(\.self).min()
    }

    func committed() {
        mqtt?.committed()
        ownership.progress.commit()
        runner.committed()
        admission.committed()
    }

    var pollable: (any Pollable)? { mqtt?.broker }
    func beginShutdown() { mqtt?.broker.stop() }
    var hasDrained: Bool { true }

    // MARK: Streams

    func directoryWillChange(_ event: Event) throws {
        runner.journeys.directoryWillChange()
        try admission.recordReplaced(event, mqtt == nil ? nil : runner.brokerSecrets)
        try runner.handle(.directoryChanging(event.body, at: event.time))
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        try streams.apply(event, from: stream)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        try streams.replace(stream, with: events)
    }

    // MARK: Partition ownership

    func coordinate(_ question: Control, from route: Route) throws {
        try runner.raiseLogic(to: try ownership.receive(question, from: route))
    }

    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool {
        ownership.mayPropose(stream, by: member)
    }

    func proposalRejected(_ stream: StreamName, by member: ID128, because reason: String) throws {
        try ownership.proposalRejected(stream, by: member, because: reason)
    }

    func pruneFloor(of stream: StreamName) throws -> UInt64? {
        guard case .input(let partition) = stream else { return nil }
        return try ownership.checkpoints.pruneFloor(of: partition)
    }

    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot {
        guard case .input(let partition) = stream else { return StreamSnapshot([]) }
        return try ownership.checkpoints.snapshot(of: partition)
    }

    func recordUsage(_ usage: CredentialUsage) throws {
        try UsageLog(host: host).append(usage)
    }

    // MARK: Requests

    func handle(_ request: Request) throws { try requests.handle(request) }

    func knowsSender(of request: Request) -> Bool { admission.knowsSender(of: request) }

    func recordAccess(to people: Set<PersonID>, reason: String?) throws {
        try requests.access.record(people, reason: reason)
    }

    func isEmergencyRequest(_ request: Request) -> Bool { deferred.isEmergencyRequest(request) }

    func deferCall(_ request: Request, because reason: String) throws -> Response? {
        try deferred.deferCall(request, because: reason)
    }

    var deferredCallDue: Timestamp? { runner.deferredCalls.due }
    func retryDeferredCall(isBare: Bool) throws { try deferred.retry(isBare: isBare) }
    func postponeDeferredCall() throws { try deferred.postpone() }

    // MARK: Status

    var healthProblems: [String] { status.healthProblems }
    var alarms: [String] { status.alarms }
    var concerns: [String] { status.concerns }
    var statusDetails: JSON { status.details }
    func writeMetrics(_ metrics: Metrics) { status.write(to: metrics) }
}
