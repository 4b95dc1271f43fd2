import API
import Dialects
import Directory
import Hosting
import MembershipCore
import Model
import Runtime
import Timing
import Web
import Wire

/// Authenticates requests and routes them to the features that handle them.
final class MembershipRequests {
    let unauthenticated: UnauthenticatedRequests
    let signOn: SignOnRequests
    let billing: BillingRequests
    private let runner: CoreRunner
    private let responses: Responses
    private let sessions: OpenSessions
    private let changes: ChangeRequests
    private let geometry: GeometryRequests
    private let accessLog: AccountAccessLog
    private let broker: PhoneBroker?
    private var host: Host { runner.host }

    init(
        _ runner: CoreRunner, _ responses: Responses, _ sessions: OpenSessions,
        _ geometry: GeometryRequests, _ accessLog: AccountAccessLog,
        _ operatorToken: OperatorTokenSync, _ timeZones: TimeZoneFolder
    ) throws {
        self.runner = runner
        self.responses = responses
        self.sessions = sessions
        self.geometry = geometry
        self.accessLog = accessLog
        let host = runner.host
        broker = try PhoneBroker(host.configuration)
        changes = ChangeRequests(
            runner, responses, sessions, geometry, accessLog, operatorToken, timeZones, broker)
        unauthenticated = UnauthenticatedRequests(
            runner: runner, responses: responses, sessions: sessions, changes: changes)
        signOn = SignOnRequests(
            providers: SignOnEndpoints(
                host, try ProviderFile(host.configuration).entries, sessions),
            passkeys: PasskeyEndpoints(host, sessions))
        billing = try BillingRequests(runner)
    }

    func handle(_ request: Request) throws { try handle(request, PreparedShapes()) }

    /// - Parameter shapes: the shapes of the request that are prepared so far
    func handle(_ request: Request, _ shapes: PreparedShapes) throws {
        do {
            do {
                try serve(request, shapes)
            } catch is Problem where !shapes.missing.isEmpty {
                try geometry.wait(request, for: shapes)
            }
        } catch let problem as Problem {
            responses.answer(request.id, .problem(problem))
        }
    }

    private func serve(_ request: Request, _ shapes: PreparedShapes) throws {
        switch Route.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let found, let parameters):
            switch found.id {
            case .open(let opening): try unauthenticated.handle(opening, request, parameters)
            case .signOn(let signing): try signOn.handle(signing, request, parameters)
            case .billing: try billing.handle(request)
            case .read(let reading):
                let (principal, credential) = try authenticate(request)
                let reader = reader(request, parameters, principal, credential)
                let reason = try request.accessReason()
                let response = try reader.read(reading)
                try accessLog.recordReading(reading, parameters, by: principal, reason)
                responses.answer(request.id, response)
            case .change(.importZones(let kind)) where try ZoneFileReader.isPreview(request):
                let (principal, _) = try authenticate(request)
                try changes.preview(kind, request, parameters, by: principal, shapes)
            case .change(let changing):
                let (principal, _) = try authenticate(request)
                try changes.handle(
                    changing, found.operation, request, parameters, by: principal, shapes)
            }
        }
    }

    /// Authenticates a request, and rotates the credential of its session if that is due.
    ///
    /// - Throws: 401 for missing or invalid credentials
    private func authenticate(
        _ request: Request
    ) throws -> (principal: Principal, credential: Credential) {
        guard DeviceSetup.token(of: request) ?? request.sessionToken != nil else {
            throw Problem.unauthorized(
                "credentials are missing", hint: "send Authorization: Bearer TOKEN")
        }
        guard let credential = host.credential(of: request), let principal = credential.principal
        else {
            throw Problem.unauthorized("the credentials are invalid, expired or were replaced")
        }
        try sessions.rotate(of: request, credential)
        return (principal, credential)
    }

    private func reader(
        _ request: Request, _ parameters: Parameters, _ principal: Principal,
        _ credential: Credential
    ) -> Reader {
        let core = runner.core
        return Reader(
            directory: core.directory, codes: core.codes, sessions: core.sessions,
            uses: runner.store.credentialUses, invitations: core.invitations,
            consents: core.consents, wards: core.wards, principal: principal,
            credential: credential, request: request, parameters: parameters, now: host.now,
            publicURL: runner.publicURL, broker: broker, circleLists: core.circleLists,
            position: position)
    }

    /// The end of the directory, sealed for live streams.
    private func position() -> String {
        var cursor = StreamCursor()
        if let end = host.bus.position(of: .directory) { cursor.read(.directory, to: end) }
        return LivePosition(cursor: cursor).sealed(with: runner.messageKey)
    }
}
