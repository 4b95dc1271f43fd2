import Bus
import Dialects
import Directory
import Hosting
import MembershipCore
import Model
import Parsing
import Runtime
import Web
import Wire

/// Connects ``MembershipCore`` to the process: routes requests, transfer results and time to the
/// types that handle them.
final class MembershipService: Service, OffersSnapshots, SuspendsRequests, HasPollable,
    Authenticates, OwnsDirectory, RecordsUsage, StartsTransfers, ReadsSnapshots
{
    let host: Host
    private let runner: CoreRunner
    private let responses: Responses
    private let sessions: OpenSessions
    private let geometry: GeometryRequests
    private let accessLog: AccountAccessLog
    private let operatorToken: OperatorTokenSync
    private let requests: MembershipRequests
    private let dueWork: DueWork
    private let zoneClocks: ZoneClockUpdate
    private let status: MembershipStatus

    init(_ host: Host) throws {
        self.host = host
        let timeZones = TimeZoneFolder(host.configuration.text("JAGA_MEMBERSHIP_ZONEINFO"))
        runner = try CoreRunner(host)
        responses = Responses(host)
        sessions = OpenSessions(runner, responses)
        geometry = GeometryRequests(runner, responses)
        accessLog = AccountAccessLog(runner)
        operatorToken = OperatorTokenSync(runner)
        requests = try MembershipRequests(
            runner, responses, sessions, geometry, accessLog, operatorToken, timeZones)
        dueWork = DueWork(runner, timeZones)
        zoneClocks = ZoneClockUpdate(runner: runner, timeZones: timeZones)
        status = MembershipStatus(runner: runner, responses: responses)
        runner.personRemoved = { [signOn = requests.signOn] in try signOn.personRemoved($0) }
    }

    // MARK: Turns

    func start() throws {
        try runner.load()
        try requests.signOn.load()
        try runner.loadMessageKey()
        try operatorToken.sync()
        try zoneClocks.run()
        try RestoredPeople(runner: runner).eraseAgain()
        try dueWork.endOverdue()
    }

    func reload() throws {
        accessLog.rollBack()
        try runner.rollBack()
        try requests.signOn.load()
        responses.rollBack()
        geometry.queue.rolledBack()
        responses.rollBackCookies(keeping: suspendedRequests)
        operatorToken.rollBack()
    }

    func committed() {
        responses.committed()
        geometry.queue.committed()
    }

    var pollable: (any Pollable)? { geometry.queue }

    /// Requests whose change is committed, or which were not handled yet.
    var suspendedRequests: Set<UInt64> {
        responses.requests.union(geometry.queue.requests)
            .union(requests.signOn.providers.pendingRequests)
    }

    func tick() throws {
        try operatorToken.tick()
        runner.writeErasures()
        try dueWork.prune {
            try responses.prune()
            try requests.signOn.providers.prune()
            try requests.billing.prune()
        }
        try requests.signOn.tick()
        try dueWork.tick()
        try geometry.answerPrepared(requests.handle)
        try responses.tick()
    }

    var nextDeadline: Timestamp? {
        [
            responses.nextDeadline, requests.signOn.providers.nextDeadline, dueWork.nextDeadline,
        ].compactMap(\.self).min()
    }

    func transferCompleted(_ result: TransferResult) throws {
        try requests.signOn.providers.completed(result)
    }

    // MARK: Streams

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        try apply(event)
    }

    private func apply(_ event: Event) throws {
        switch event.body {
        case .usageRecorded(let usage): try recordUsage(usage)
        case .deadlineExpired(let expired):
            guard let due = AccountWaits.due(expired) else { return }
            try runner.submit(due.input, notBefore: due.notBefore, trace: event.trace)
        default: break
        }
    }

    /// Applies what has expired lately, after the timer's store was replaced.
    func replace(_ stream: StreamName, with events: [Event]) throws {
        for event in events { try apply(event) }
    }

    func recordUsage(_ usage: CredentialUsage) throws { try runner.store.record(usage) }

    func snapshot(of stream: StreamName) throws -> [Event] {
        stream == .directory ? runner.snapshot() : []
    }

    // MARK: Requests

    var ownDirectory: Replica { runner.core.directory }

    func handle(_ request: Request) throws { try requests.handle(request) }

    func credential(of request: Request) -> Credential? {
        (DeviceSetup.token(of: request) ?? request.sessionToken).flatMap {
            ownDirectory.credential(tokenHash: NewSecret.hash(of: $0), at: host.now)
        }
    }

    // MARK: Status

    func writeMetrics(_ metrics: Metrics) { status.write(to: metrics) }
    var statusDetails: JSON { status.details }
}
