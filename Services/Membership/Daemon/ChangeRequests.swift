import API
import Dialects
import Directory
import DirectoryViews
import Hosting
import MembershipCore
import Model
import Runtime
import Timing
import Web

/// Turns requests for changes into commands, and answers them.
final class ChangeRequests {
    private let runner: CoreRunner
    private let responses: Responses
    private let sessions: OpenSessions
    private let geometry: GeometryRequests
    private let accessLog: AccountAccessLog
    private let operatorToken: OperatorTokenSync
    private let timeZones: TimeZoneFolder
    private let broker: PhoneBroker?
    private var host: Host { runner.host }

    init(
        _ runner: CoreRunner, _ responses: Responses, _ sessions: OpenSessions,
        _ geometry: GeometryRequests, _ accessLog: AccountAccessLog,
        _ operatorToken: OperatorTokenSync, _ timeZones: TimeZoneFolder, _ broker: PhoneBroker?
    ) {
        self.runner = runner
        self.responses = responses
        self.sessions = sessions
        self.geometry = geometry
        self.accessLog = accessLog
        self.operatorToken = operatorToken
        self.timeZones = timeZones
        self.broker = broker
    }

    /// - Parameter shapes: the shapes of the request that are prepared so far
    func handle(
        _ changing: Route.Changing, _ operation: Operation, _ request: Request,
        _ parameters: Parameters, by principal: Principal, _ shapes: PreparedShapes
    ) throws {
        if host.diskPressure == .short, operation.canWait {
            throw Problem.diskNearlyFull("changes")
        }
        let key = try IdempotencyStore.Key(request, as: operation.repetition)
        if let kept = try responses.stored(key) { return responses.answer(request.id, kept) }
        try geometry.checkRoom(for: request, shapes)
        let reader = reader(request, parameters, principal, shapes)
        var requested = try reader.read(changing)
        if let session = reader.session, let cookie = host.sessionCookie(for: request) {
            requested.endedSession = (session, cookie.removal)
        }
        let command = Command(
            request: request.id, principal: principal, ifVersion: try reader.ifVersion(),
            change: requested.change)
        try accessLog.recordChange(of: command, try request.accessReason())
        try perform(command, requested, trace: request.trace, key: key)
    }

    /// Answers a preview: the zones that a file would create, and its errors.
    func preview(
        _ kind: ZoneOwnerKind, _ request: Request, _ parameters: Parameters,
        by principal: Principal, _ shapes: PreparedShapes
    ) throws {
        _ = try IdempotencyStore.keyText(request)
        try geometry.checkRoom(for: request, shapes)
        let reader = reader(request, parameters, principal, shapes)
        let owner = try parameters.owner(kind)
        var found = try reader.importedZones(for: owner)
        if found.faults.isEmpty {
            let command = Command(
                request: request.id, principal: principal,
                change: .createZones(owner, found.zones))
            if case .rejected(let rejection) = runner.core.answer(to: command, at: host.now) {
                found.faults = [ImportedZones.Fault(problem: Problem(rejection, of: found))]
            }
        }
        guard shapes.missing.isEmpty else { return try geometry.wait(request, for: shapes) }
        responses.answer(request.id, .json(View.preview(found)))
    }

    private func reader(
        _ request: Request, _ parameters: Parameters, _ principal: Principal,
        _ shapes: PreparedShapes
    ) -> ChangeReader {
        ChangeReader(
            directory: runner.core.directory, principal: principal,
            session: sessions.session(of: request), request: request, parameters: parameters,
            clocks: ZoneClocks(timeZones, now: host.now), shapes: shapes,
            messageKey: runner.messageKey, publicURL: runner.publicURL, broker: broker)
    }

    /// Passes a command to the core, and answers it.
    func perform(
        _ command: Command, _ requested: RequestedChange, trace: String, key: IdempotencyStore.Key?
    ) throws {
        try runner.submit(
            .command(command),
            CoreRunner.Attachments(
                code: requested.code, mail: requested.mail, link: requested.link),
            trace: trace
        ) { request, answer in
            try respond(to: request, with: answer, of: command, requested, key: key)
        }
    }

    private func respond(
        to request: RequestID, with answer: Answer, of command: Command,
        _ requested: RequestedChange, key: IdempotencyStore.Key?
    ) throws {
        if case .credential = answer, case .rotateOperatorToken = command.change,
            let secret = requested.secret
        {
            try operatorToken.write(secret)
        }
        var view = AnswerView(
            directory: runner.core.directory, codes: runner.core.codes,
            principal: command.principal, now: host.now, location: requested.location,
            secret: requested.secret, file: requested.file, mail: requested.mail,
            setup: requested.setup, circleLists: runner.core.circleLists)
        view.link = requested.link
        if case .person(let person) = answer, case .createPerson = command.change {
            let code = NewSecret()
            try runner.submit(.issueActivation(person.id, hash: code.credential.hash))
            view.activation = (code.token, host.now + Limits.activationAgeMax)
        }
        if let ended = requested.endedSession, let person = command.principal.person,
            runner.core.sessions.session(ended.id, of: person) == nil
        {
            view.cookieRemoval = ended.cookieRemoval
        }
        if let key { try responses.store(view.response(to: answer), to: key) }
        responses.respond(to: request, with: answer, view, key: key)
    }
}
