import Directory
import Gateways
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web
import Wire

/// Connects ``Notifier`` to the process: routes records, requests, transfer results and time to the
/// types that handle them.
final class NotifierService: Service, WatchesDirectory, ReadsSnapshots, RereadsStreams,
    StartsTransfers, Reconfigures, HoldsItems, HasPollable, SuspendsRequests
{
    let host: any NotifierHost
    let runner: CoreRunner
    let heartbeat: HeartbeatRunner
    /// Builds the registry from settings; nil in tests without reconfiguration.
    var makeGatewayRegistry: ((Configuration) throws -> GatewayRegistry)?
    private let live: LiveStreams
    private let retention: RetentionRounds
    private let streams: ConsumedStreams
    private let requests: NotifierRequests
    private let status: NotifierStatus
    /// Prints incidents as PDF.
    private let printer: ReportPrinter
    private var readinessCount = ReadinessCount()

    /// - Parameters:
    ///   - messageKey: opens the requested messages of membership, and seals positions of live
    ///     streams
    ///   - emergencyDays: retention of ended emergencies
    init(
        host: any NotifierHost, store: NotifierStore, zones: TimeZoneFolder,
        settings: NotifierSettings, messageKey: KeyFile, emergencyDays: Int = 365,
        heartbeat: Heartbeat? = nil, printer: ReportPrinter = ReportPrinter()
    ) {
        self.printer = printer
        self.host = host
        runner = CoreRunner(host: host, store: store, zones: zones, settings: settings)
        self.heartbeat = HeartbeatRunner(host, heartbeat)
        live = LiveStreams(host, LiveTable(database: store.database), key: messageKey)
        retention = RetentionRounds(runner, emergencyDays: emergencyDays)
        streams = ConsumedStreams(
            runner: runner, live: live, heartbeat: self.heartbeat, retention: retention,
            sealedMessages: SealedMessages(key: messageKey))
        requests = NotifierRequests(runner, live, printer)
        status = NotifierStatus(runner: runner, heartbeat: self.heartbeat, live: live)
    }

    var core: Notifier { runner.core }

    // MARK: Turns

    func start() throws {
        try reload()
        try runner.submit(.started)
        for gateway in runner.registry.gateways {
            let channels = gateway.channels.map(\.rawValue).sorted().joined(separator: ",")
            host.log.info("gateway configured", ["name": gateway.name, "channels": channels])
        }
        warnAboutSink()
    }

    private func warnAboutSink() {
        guard let sentence = runner.registry.sinkNotice else { return }
        host.log.warning(
            "nobody outside is reached",
            ["reason": sentence, "hint": "Set JAGA_SMS_GATEWAY or JAGA_MAIL_URL."])
    }

    func reload() throws {
        requests.reset()
        heartbeat.reload()
        try retention.load()
        try live.reload()
        try runner.reload()
    }

    /// Applies gateways, map link and replies of new settings.
    func reconfigure(_ configuration: Configuration) throws {
        guard let makeGatewayRegistry else { return }
        let sentence = runner.registry.sinkNotice
        var settings = runner.settings
        settings.apply(configuration, try makeGatewayRegistry(configuration))
        try runner.use(settings)
        try runner.submit(.started)
        if runner.registry.sinkNotice != sentence { warnAboutSink() }
    }

    // MARK: Reports

    var pollable: (any Pollable)? { printer }
    func committed() { printer.committed() }
    var suspendedRequests: Set<UInt64> { printer.requests }

    func tick() throws {
        for (request, response) in printer.finished(at: host.now) {
            host.answer(request, response)
        }
        try heartbeat.tick()
        if let deadline = core.nextDeadline, deadline <= host.now { try runner.submit(.tick) }
        readinessCount.step(in: host.replica, core.delivery.reachability, at: host.now)
        try retention.tick()
        try live.tick()
    }

    var nextDeadline: Timestamp? {
        [core.nextDeadline, heartbeat.nextRound, live.nextDeadline, readinessCount.next]
            .compactMap(\.self).reduce(retention.nextDeadline, min)
    }

    func transferCompleted(_ result: TransferResult) throws {
        if heartbeat.transferCompleted(result) { return }
        try runner.transferCompleted(result)
    }

    // MARK: Streams

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        try streams.apply(event, from: stream, at: position)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        try streams.replace(stream, with: events)
    }

    func restart(_ stream: StreamName) throws { try streams.restart(stream) }

    func directoryWillChange(_ event: Event) throws {
        live.directoryWillChange(event)
        try retention.directoryWillChange(event)
    }

    // MARK: Requests

    func handle(_ request: Request) throws { try requests.handle(request) }

    // MARK: Held items

    var heldEntries: [HeldEntry] { core.heldSummaries.map(HeldEntry.init) }

    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let items = core.heldSummaries.map(\.item).filter { isAll || named.contains($0.text) }
        try runner.submit(isDropped ? .drop(items) : .release(items))
    }

    // MARK: Status

    var healthProblems: [String] { status.healthProblems }
    var concerns: [String] { status.concerns }
    var alarms: [String] { status.alarms }
    func writeMetrics(_ metrics: Metrics) { status.write(to: metrics, readinessCount) }
    var statusDetails: JSON { status.details }
}
