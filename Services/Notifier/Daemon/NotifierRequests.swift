import API
import Directory
import Hosting
import Model
import NotifierCore
import Web

/// Authenticates requests and routes them to the features that handle them.
final class NotifierRequests {
    static let router = Router(NotifierOperation.table)

    private let runner: CoreRunner
    private let live: LiveStreams
    private let printer: ReportPrinter
    private let host: any NotifierHost
    private let idempotencyStore: IdempotencyStore
    private var accessRecords = AccessRecords()

    init(_ runner: CoreRunner, _ live: LiveStreams, _ printer: ReportPrinter) {
        self.printer = printer
        self.runner = runner
        self.live = live
        host = runner.host
        idempotencyStore = IdempotencyStore(runner.store.database)
    }

    /// Forgets what a rolled-back turn recorded.
    func reset() { accessRecords.reset() }

    func handle(_ request: Request) throws {
        switch Self.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let found, let parameters):
            do {
                try handle(request, found, parameters)
            } catch let problem as Problem {
                runner.answers.forget(request.id)
                host.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(
        _ request: Request, _ found: RoutedOperation<NotifierOperation>, _ parameters: Parameters
    ) throws {
        let context = runner.requestContext
        if found.id == .emergencyPage {
            return try handleLink(request, token: parameters["token"], context)
        }
        if found.id == .livePage {
            return try handleLiveLink(request, token: parameters["token"], context)
        }
        if found.id == .questionPage {
            return try handleQuestion(request, token: parameters["token"], context)
        }
        if found.id == .receipt || found.id == .reply {
            return try handleCallback(
                request, found.id, token: parameters["token"], context)
        }
        let principal = try principal(of: request)
        // Commands about emergencies are idempotent while their effect lasts and must count again
        // afterwards, so their answers are not stored.
        let key = try IdempotencyStore.Key(request, as: found.operation.repetition)
        if let key, let first = try idempotencyStore.response(to: key, at: host.now) {
            return host.answer(request.id, first)
        }
        runner.answers.append(request.id, storedAs: key)
        if case .rights(let actions) = found.operation.access {
            for action in actions where action.target == .suite {
                try context.require(action, of: principal, on: .suite)
            }
        }
        if found.operation.canWait, host.diskPressure == .short {
            throw Problem.diskNearlyFull("test messages")
        }
        if found.id == .live { return try live.open(request, by: principal) }
        let reason = try request.accessReason()
        switch try outcome(of: request, found.id, parameters, by: principal, context) {
        case .respond(let response, let people):
            try accessRecords.record(
                people, by: principal.person, as: found.id.accessKind, reason: reason, host)
            host.answer(request.id, response)
        case .submit(let input): try runner.submit(input)
        case .printReport(let report, let people):
            try accessRecords.record(
                people, by: principal.person, as: found.id.accessKind, reason: reason, host)
            try printer.append(report, for: request.id, at: host.now)
        }
    }

    /// Answers a gateway's callback, then passes what it reports to the core.
    private func handleCallback(
        _ request: Request, _ operation: NotifierOperation, token: String,
        _ context: RequestContext
    ) throws {
        let callbacks = GatewayCallbacks(context: context)
        let (response, input) =
            operation == .receipt
            ? try callbacks.receipt(request, token: token, &runner.counts)
            : try callbacks.reply(request, token: token, &runner.counts, host.log)
        host.answer(request.id, response)
        if let input { try runner.submit(input) }
    }

    private func handleLink(
        _ request: Request, token: String, _ context: RequestContext
    ) throws {
        let drills = DrillPages(key: runner.answers.linkPages.key, context: context)
        if let (response, input) = drills.outcome(of: request, token: token) {
            host.answer(request.id, response)
            if let input { try runner.submit(input) }
            return
        }
        switch try runner.answers.linkPages.outcome(of: request, token: token, context) {
        case .respond(let response): host.answer(request.id, response)
        case .show(let response, let look, let person, let viewer):
            let people = [person].compactMap(\.self)
            try accessRecords.record(people, by: viewer, as: .emergency, reason: nil, host)
            host.answer(request.id, response)
            if let look { try runner.submit(.look(look)) }
        case .submit(let input): try runner.submit(input)
        }
    }

    private func handleLiveLink(
        _ request: Request, token: String, _ context: RequestContext
    ) throws {
        switch try runner.answers.livePages.outcome(of: request, token: token, context) {
        case .respond(let response): host.answer(request.id, response)
        case .show(let response, let link, let isLook):
            if !context.core.isHidden(link) { try accessRecords.record(link, host) }
            host.answer(request.id, response)
            if isLook { try runner.submit(.liveLook(link.hash)) }
        }
    }

    private func handleQuestion(
        _ request: Request, token: String, _ context: RequestContext
    ) throws {
        switch runner.answers.questionPages.outcome(of: request, token: token, context) {
        case .respond(let response): host.answer(request.id, response)
        case .submit(let input): try runner.submit(input)
        }
    }

    private func outcome(
        of request: Request, _ operation: NotifierOperation, _ parameters: Parameters,
        by principal: Principal, _ context: RequestContext
    ) throws -> RequestOutcome {
        let escalations = EscalationRequests(context: context)
        let notifications = NotificationRequests(context: context)
        let gateways = GatewayRequests(context: context)
        let drafts = DraftRequests(context: context)
        let optOuts = OptOutRequests(context: context)
        switch operation {
        case .acknowledgement:
            return .submit(
                .acknowledge(try escalations.command(request, parameters, by: principal)))
        case .withdrawal:
            return .submit(.withdraw(try escalations.command(request, parameters, by: principal)))
        case .acknowledgementByReference:
            return .submit(
                .acknowledgeByReference(
                    try escalations.referenceCommand(request, parameters, by: principal)))
        case .resolution:
            return .submit(.resolve(try escalations.command(request, parameters, by: principal)))
        case .confirmation:
            let command = try escalations.confirmation(request, parameters, by: principal)
            runner.answers.delay(request.id)
            return .submit(.confirmEnd(command))
        case .reopening:
            return .submit(.reopen(try escalations.command(request, parameters, by: principal)))
        case .escalations: return try escalations.list(request, for: principal.person)
        case .escalation:
            return try escalations.show(
                try parameters.id("emergency", EmergencyID.self), for: principal.person, host.log)
        case .rights:
            return try escalations.rights(
                in: try parameters.id("emergency", EmergencyID.self), request, of: principal)
        case .emergencies:
            return try IncidentRequests(context: context).list(request, for: principal)
        case .incident:
            return try IncidentRequests(context: context).show(
                try parameters.id("emergency", EmergencyID.self), request, for: principal)
        case .liveLinks:
            return try LiveLinkRequests(context: context).list(
                of: try parameters.id("person", PersonID.self), for: principal)
        case .makeLiveLink:
            return try LiveLinkRequests(context: context).make(
                request, for: try parameters.id("person", PersonID.self), by: principal)
        case .revokeLiveLink:
            return .submit(
                .revokeLiveLink(
                    LiveLinkRevocation(
                        request: request.id, principal: principal,
                        person: try parameters.id("person", PersonID.self),
                        link: try parameters.id("link", LiveLinkID.self))))
        case .timeline:
            return try TimelineRequests(context: context).timeline(
                of: try parameters.id("circle", CircleID.self), request, for: principal)
        case .reachability:
            return try ReachabilityRequests(context: context).reachability(
                of: try parameters.id("circle", CircleID.self), for: principal)
        case .readiness:
            return try ReadinessRequests(context: context).readiness(
                of: try parameters.id("circle", CircleID.self), for: principal)
        case .drills, .drill, .startDrill, .stopDrill, .scheduleDrills, .unscheduleDrills:
            return try DrillRequests(context: context).outcome(
                of: request, operation, parameters, by: principal)
        case .personNotifications:
            return try notifications.list(
                ofPerson: try parameters.id("person", PersonID.self), request, for: principal)
        case .notifications: return try notifications.list(request)
        case .notification:
            return try notifications.show(try parameters.id("notification", NotificationID.self))
        case .outbox: return try notifications.outbox(request)
        case .gateways: return gateways.list()
        case .gatewayTest: return try gateways.test(request, gateway: parameters["gateway"])
        case .drafts:
            return try drafts.list(
                of: try parameters.id("person", PersonID.self), request, for: principal)
        case .sendDraft: return try drafts.send(request, parameters, by: principal)
        case .optOuts: return try optOuts.list(request)
        case .setOptOut: return try optOuts.set(request)
        case .receipt, .reply, .live, .emergencyPage, .questionPage, .livePage:
            throw Problem.notFound("not a request of this kind")
        }
    }

    /// Authenticates a request.
    ///
    /// - Throws: 401 for missing or invalid credentials, 503 if the directory replica may be
    ///   outdated
    private func principal(of request: Request) throws(Problem) -> Principal {
        if let principal = host.principal(of: request) { return principal }
        if request.token != nil, !host.isDirectoryFresh {
            throw .unavailable("credentials cannot be checked right now")
        }
        runner.counts.unauthorized += 1
        throw .unauthorized(
            "the credentials are missing or wrong",
            hint: "send a token as Bearer, or as the password of Basic")
    }
}

extension NotifierOperation {
    /// What the access log calls a reading of its answer.
    fileprivate var accessKind: AccessKind {
        switch self {
        case .timeline: .timeline
        case .personNotifications, .notifications, .notification: .messages
        case .outbox: .outbox
        case .escalations, .escalation, .emergencies, .incident: .emergency
        case .livePage: .liveLink
        case .acknowledgement, .acknowledgementByReference, .withdrawal, .emergencyPage,
            .questionPage, .confirmation, .resolution, .reopening, .gateways, .gatewayTest,
            .receipt, .drafts, .sendDraft, .optOuts, .setOptOut, .reply, .reachability, .live,
            .rights,
            .readiness, .drills, .drill, .startDrill, .stopDrill, .scheduleDrills,
            .unscheduleDrills, .liveLinks, .makeLiveLink, .revokeLiveLink:
            .unspecified
        }
    }
}
