import Bus
import Dialects
import Directory
import DirectoryViews
import Hashing
import Hosting
import MembershipCore
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// Shell of ``MembershipCore``: connects it to HTTP, store and directory stream.
final class MembershipService: Service, OffersSnapshots, SuspendsRequests, HasPollable,
    Authenticates, OwnsDirectory, RecordsUsage, StartsTransfers, SessionKeeper
{
    let host: Host
    let geometry = GeometryQueue()
    private let rows: DirectoryRows
    private let codeRows: CodeRows
    private let sessionRows: SessionRows
    private let activationRows: ActivationRows
    private let credentialUses: CredentialUseRows
    private let circleListTable: CircleListTable
    private let signInRows: SignInRows
    private let reminderRows: ContactReminderRows
    private let signInPolicy: SignInCodes.Policy
    /// Name of this site in messages.
    private let siteName: String
    private let stateRows: StateRows
    private let idempotencyStore: IdempotencyStore
    private let operatorToken: OperatorToken
    private let messageKeyFile: KeyFile
    /// Seals messages for the notifier, so that the store alone reveals no code.
    private var messageKey: [UInt8] = []
    private let timeZones: TimeZoneFolder
    private var erasures: Erasures
    private let billing: BillingEvents
    private let publicURL: String?
    private let broker: PhoneBroker?
    private var core = MembershipCore()
    private var awaited = AwaitedAnswers()
    private var cookies = SessionCookies()
    private var accessRecords = AccessRecords()
    private let providers: [ProviderFile.Entry]
    private(set) lazy var signOn = SignOnEndpoints(host, providers, self)
    private(set) lazy var passkeys = PasskeyEndpoints(host, self)
    /// Whether the directory may have another token than the secrets folder.
    private var mustSyncToken = true
    private var nextPrune = Timestamp.zero

    private static let pruningInterval: Duration = .seconds(600)

    init(_ host: Host) throws {
        self.host = host
        rows = DirectoryRows(
            database: host.database, rights: try RightsFile.read(host.configuration))
        idempotencyStore = IdempotencyStore(host.database)
        codeRows = CodeRows(database: host.database)
        sessionRows = SessionRows(database: host.database)
        activationRows = ActivationRows(database: host.database)
        credentialUses = CredentialUseRows(database: host.database)
        circleListTable = CircleListTable(database: host.database)
        signInRows = SignInRows(database: host.database)
        reminderRows = ContactReminderRows(database: host.database)
        signInPolicy = SignInCodes.Policy(host.configuration)
        siteName = host.configuration.text("JAGA_SITE_NAME")
        stateRows = StateRows(database: host.database)
        operatorToken = OperatorToken(home: host.configuration.text("JAGA_HOME"))
        messageKeyFile = .messages(
            secrets: host.configuration.text("JAGA_HOME") + "/secrets")
        erasures = Erasures(home: host.configuration.text("JAGA_HOME"))
        timeZones = TimeZoneFolder(host.configuration.text("JAGA_MEMBERSHIP_ZONEINFO"))
        billing = try BillingEvents(host.database, host.configuration)
        publicURL = host.configuration.optional("JAGA_PUBLIC_URL")
        broker = try PhoneBroker(host.configuration)
        providers = try ProviderFile(host.configuration).entries
    }

    // MARK: Turns

    func start() throws {
        try load()
        messageKey = try messageKeyFile.loadOrCreate(isUsed: isStoreUsed)
        try syncOperatorToken()
        try refreshZoneClocks()
        try eraseAgain()
    }

    func reload() throws {
        erasures.rollBack()
        accessRecords.reset()
        try load()
        awaited.rolledBack(to: host.bus.end(of: .directory))
        geometry.rolledBack()
        cookies.rolledBack(keeping: suspendedRequests)
        mustSyncToken = true
    }

    func committed() {
        awaited.committed()
        geometry.committed()
    }

    var pollable: (any Pollable)? { geometry }

    private func load() throws {
        core = MembershipCore(
            directory: try rows.load(), codes: try codeRows.load(at: host.now),
            sessions: try sessionRows.load(), activations: try activationRows.load(),
            circleLists: try circleListTable.load(),
            signIn: try signInRows.load(signInPolicy, at: host.now),
            reminders: try reminderRows.load(at: host.now),
            invitations: try stateRows.invitations(), consents: try stateRows.consents(),
            wardNotices: try stateRows.wardNotices())
        try signOn.load()
        try passkeys.load()
    }

    var ownDirectory: Replica { core.directory }

    /// The time of the next change: now, or a little later if there was one at the same time. The
    /// versions of circle lists are such times.
    private var changeTime: Timestamp {
        max(host.now, core.circleLists.newest + .microseconds(1))
    }

    /// Requests whose change is committed, or which were not handled yet.
    var suspendedRequests: Set<UInt64> {
        awaited.requests.union(geometry.requests).union(signOn.pendingRequests)
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        if case .usageRecorded(let usage) = event.body { try recordUsage(usage) }
    }

    func recordUsage(_ usage: CredentialUsage) throws { try credentialUses.record(usage) }

    func tick() throws {
        if mustSyncToken { try syncOperatorToken() }
        erasures.write(at: host.now, log: host.log)
        if host.now >= nextPrune {
            try idempotencyStore.prune(at: host.now)
            try codeRows.prune(at: host.now)
            try perform(.removeExpired)
            try credentialUses.prune()
            try signOn.prune()
            try signInRows.prune(at: host.now)
            try billing.prune(at: host.now)
            try stateRows.prune(at: host.now)
            try perform(.removeOld)
            nextPrune = host.now + MembershipService.pruningInterval
        }
        if core.wards.nextDue.map({ $0 <= host.now }) ?? false { try perform(.wards) }
        try signOn.tick()
        try passkeys.tick()
        try endTrials()
        try answerPrepared()
        try remind()
        for (awaited, isActive) in awaited.ready(at: host.now, acknowledged: acknowledgedByIngest) {
            let response = awaited.response(isActive)
            if isActive, let key = awaited.key {
                try idempotencyStore.store(response, to: key, at: host.now)
            }
            host.answer(awaited.request, cookies.add(to: response, of: awaited.request))
        }
    }

    var nextDeadline: Timestamp? {
        [
            awaited.deadline, signOn.nextDeadline, core.reminders.nextDue, core.nextTrialEnd,
            core.wards.nextDue,
        ].compactMap(\.self).min()
    }

    func transferCompleted(_ result: TransferResult) throws { try signOn.completed(result) }

    /// Ends trials whose time is over.
    private func endTrials() throws {
        guard let next = core.nextTrialEnd, next <= host.now else { return }
        try perform(.trials)
    }

    /// Asks the next person to verify their contact points.
    private func remind() throws {
        guard let due = core.reminders.nextDue, due <= host.now else { return }
        let clocks = clocks
        try perform(.remind { clocks.hour(in: $0) })
    }

    /// Sequence up to which ingest has stored the directory.
    private var acknowledgedByIngest: UInt64 {
        host.bus.acknowledged(.directory, by: ServiceName.ingest.rawValue)
    }

    /// Whether the directory ever had a record: false at the first start only.
    private var isStoreUsed: Bool { host.bus.end(of: .directory) > 0 }

    /// Makes the token in the secrets folder the operator's only token.
    private func syncOperatorToken() throws {
        let isNew = !operatorToken.exists
        let secret = try operatorToken.establish()
        if isNew, isStoreUsed {
            host.log.warning(
                "operator token missing, created a new one",
                ["file": operatorToken.path])
        } else if isNew {
            host.log.info("operator token created", ["file": operatorToken.path])
        }
        try perform(.operatorToken(secret.credential))
        mustSyncToken = false
    }

    /// Erases people again who came back when an older store was restored.
    private func eraseAgain() throws {
        let people = try erasures.people().filter { core.directory.person($0) != nil }
        guard !people.isEmpty else { return }
        for person in people { try perform(.eraseAgain(person)) }
        host.log.warning(
            "erased restored people again",
            ["people": people.count])
    }

    private var clocks: ZoneClocks { ZoneClocks(timeZones, now: host.now) }

    /// Updates zones whose offsets differ from the time zone database. Offsets change by law, and a
    /// zone's clock covers a limited number of years.
    private func refreshZoneClocks() throws {
        let names = Set(core.directory.sortedZones.compactMap { $0.clock?.timeZone }).sorted()
        let known = names.compactMap { clocks.clock(of: $0) }
        if known.count < names.count {
            let missing = Set(names).subtracting(known.map(\.timeZone)).sorted()
            host.log.warning(
                "time zones unknown, zones keep their offsets",
                ["timeZones": missing.joined(separator: " "), "folder": timeZones.path])
        }
        let renewed = try perform(.zoneClocks(known)).compactMap { body -> String? in
            if case .zoneChanged(let zone) = body { zone.clock?.timeZone } else { nil }
        }
        guard !renewed.isEmpty else { return }
        host.log.info(
            "zone offsets updated",
            [
                "zones": renewed.count,
                "timeZones": Set(renewed).sorted().joined(separator: " "),
            ])
    }

    // MARK: Requests

    func handle(_ request: Request) throws { try handle(request, PreparedShapes()) }

    /// - Parameter shapes: the shapes of the request that are prepared so far
    func handle(_ request: Request, _ shapes: PreparedShapes) throws {
        do {
            do {
                try serve(request, shapes)
            } catch is Problem where !shapes.missing.isEmpty {
                try wait(request, for: shapes)
            }
        } catch let problem as Problem {
            answer(request.id, .problem(problem))
        }
    }

    func credential(of request: Request) -> Credential? {
        (DeviceSetup.token(of: request) ?? request.sessionToken).flatMap {
            core.directory.credential(tokenHash: NewSecret.hash(of: $0), at: host.now)
        }
    }

    /// Answers a request after COMMIT. A response that sets a session's cookie waits until ingest
    /// knows the credential.
    func answer(_ id: RequestID, _ response: Response) {
        guard cookies.contains(id) else { return host.answer(id, response) }
        awaited.append(
            AwaitedAnswers.Awaited(
                request: id, sequence: host.bus.end(of: .directory),
                deadline: host.now + AwaitedAnswers.patience, response: { _ in response }))
    }

    private func serve(_ request: Request, _ shapes: PreparedShapes) throws {
        switch Route.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let found, let parameters):
            if case .open(let opening) = found.id {
                return try open(opening, request, parameters)
            }
            if case .signOn(let signing) = found.id {
                return try signOn(signing, request, parameters)
            }
            if case .billing = found.id { return try serveBilling(request) }
            guard DeviceSetup.token(of: request) ?? request.sessionToken != nil else {
                throw Problem.unauthorized(
                    "credentials are missing", hint: "send Authorization: Bearer TOKEN")
            }
            guard let credential = host.credential(of: request),
                let principal = credential.principal
            else {
                throw Problem.unauthorized("the credentials are invalid, expired or were replaced")
            }
            try rotateSession(of: request, credential)
            switch found.id {
            case .open, .signOn, .billing: break
            case .read(let reading):
                let reader = Reader(
                    directory: core.directory, codes: core.codes, sessions: core.sessions,
                    uses: credentialUses, invitations: core.invitations, consents: core.consents,
                    wards: core.wards, principal: principal, credential: credential,
                    request: request, parameters: parameters, now: host.now, publicURL: publicURL,
                    broker: broker, circleLists: core.circleLists, position: position)
                let reason = try request.accessReason()
                let response = try reader.read(reading)
                try recordReading(reading, parameters, by: principal, reason)
                answer(request.id, response)
            case .change(.importZones(let kind)) where try ZoneFileReader.isPreview(request):
                _ = try IdempotencyStore.keyText(request)
                try checkRoom(for: request, shapes)
                let reader = changeReader(request, parameters, principal, shapes)
                let response = try preview(reader, for: parameters.owner(kind))
                guard shapes.missing.isEmpty else { return try wait(request, for: shapes) }
                answer(request.id, response)
            case .change(let changing):
                if host.diskPressure == .short, found.operation.canWait {
                    throw Problem.diskNearlyFull("changes")
                }
                let key = try IdempotencyStore.Key(request, as: found.operation.repetition)
                if let key, let kept = try idempotencyStore.response(to: key, at: host.now) {
                    return answer(request.id, kept)
                }
                try checkRoom(for: request, shapes)
                let reader = changeReader(request, parameters, principal, shapes)
                var requested = try reader.read(changing)
                if let session = reader.session, let cookie = host.sessionCookie(for: request) {
                    requested.endedSession = (session, cookie.removal)
                }
                let command = Command(
                    request: request.id, principal: principal, ifVersion: try reader.ifVersion(),
                    change: requested.change)
                try recordChange(of: command, try request.accessReason())
                try perform(command, requested, trace: request.trace, key: key)
            }
        }
    }

    /// The end of the directory, sealed for live streams.
    private func position() -> String {
        var cursor = StreamCursor()
        if let end = host.bus.position(of: .directory) { cursor.read(.directory, to: end) }
        return LivePosition(cursor: cursor).sealed(with: messageKey)
    }

    // MARK: Access log

    /// Records that somebody reads the account of another person.
    private func recordReading(
        _ reading: Route.Reading, _ parameters: Parameters, by principal: Principal,
        _ reason: String?
    ) throws {
        guard AccountAccess.showsAccount(reading) else { return }
        var people = [try parameters.id("person", PersonID.self)]
        if case .wards = reading { people += core.wards.wards(of: people[0]) }
        for person in people {
            let record = accessRecords.reading(
                of: person, by: principal, reason: reason, at: host.now)
            if let record { try publish(record) }
        }
    }

    /// Records that somebody changes the account of another person, unless it is rejected.
    private func recordChange(of command: Command, _ reason: String?) throws {
        guard let access = AccountAccess.of(command.change),
            access.person != command.principal.person
        else { return }
        if case .rejected = core.answer(to: command, at: host.now) { return }
        try publish(
            AccessRecord(
                person: access.person, viewer: command.principal.person, at: host.now,
                kind: access.kind, reason: reason))
    }

    private func publish(_ record: AccessRecord) throws {
        try host.publish(
            Event(id: EventID(SecureRandom.id()), time: host.now, body: .accessRecorded(record)),
            on: .directory)
    }

    private func changeReader(
        _ request: Request, _ parameters: Parameters, _ principal: Principal,
        _ shapes: PreparedShapes
    ) -> ChangeReader {
        ChangeReader(
            directory: core.directory, principal: principal,
            session: session(of: request), request: request,
            parameters: parameters, clocks: clocks, shapes: shapes, messageKey: messageKey,
            publicURL: publicURL, broker: broker)
    }

    /// Response to a preview: the zones that a file would create, and its errors.
    private func preview(
        _ reader: ChangeReader, for owner: ZoneOwner
    ) throws(Problem) -> Response {
        var found = try reader.importedZones(for: owner)
        if found.faults.isEmpty {
            let command = Command(
                request: reader.request.id, principal: reader.principal,
                change: .createZones(owner, found.zones))
            if case .rejected(let rejection) = core.answer(to: command, at: host.now) {
                found.faults = [ImportedZones.Fault(problem: Problem(rejection, of: found))]
            }
        }
        return .json(View.preview(found))
    }

    /// Applies a notification of the app store, once.
    private func serveBilling(_ request: Request) throws {
        let event = try billing.read(request, at: host.now)
        if try billing.isKnown(event), let person = core.directory.person(event.notice.person) {
            return host.answer(request.id, AnswerView.billing(person))
        }
        if let rejection = core.rejection(of: event.notice, at: host.now) {
            throw Problem(rejection)
        }
        try perform(.billing(event.notice), trace: request.trace)
        try billing.save(event, at: host.now)
        if let person = core.directory.person(event.notice.person) {
            host.answer(request.id, AnswerView.billing(person))
        }
    }

    // MARK: Signing in

    /// Opens a session of a person who has just signed in with a request, whose response then sets
    /// its cookie. Answer it with ``answer(_:_:)``.
    ///
    /// - Returns: the id of the session
    /// - Throws: 403 if the sender could not keep the cookie secret; `StoreError`
    @discardableResult
    func openSession(of person: PersonID, for request: Request) throws -> CredentialID {
        let cookie = try sessionCookie(for: request)
        let secret = NewSecret()
        let name = BrowserName.of(request.headers["User-Agent"])
        try perform(
            .openSession(person, secret.credential, name: name), trace: request.trace)
        try setCookie(cookie, secret, for: request)
        return secret.credential.id
    }

    func session(of request: Request) -> CredentialID? {
        host.credential(of: request).flatMap { core.sessions.session(of: $0.id)?.id }
    }

    func isOpen(_ session: CredentialID, of person: PersonID) -> Bool {
        core.sessions.session(session, of: person) != nil
    }

    func endSession(_ id: CredentialID, of person: PersonID) throws {
        try perform(
            .command(
                Command(request: 0, principal: .person(person), change: .endSession(id))))
    }

    func apply(_ events: [EventBody], trace: String) throws {
        try perform(.decided(events), trace: trace)
    }

    private func sessionCookie(for request: Request) throws(Problem) -> SessionCookie {
        guard let cookie = host.sessionCookie(for: request) else {
            throw .denied(
                "browsers keep a session only over https",
                hint: "use the https address of this server")
        }
        return cookie
    }

    /// Gives the session of a request another credential, if its credential is due.
    private func rotateSession(of request: Request, _ credential: Credential) throws {
        guard request.sessionToken != nil,
            core.sessions.isDue(credential, in: core.directory, at: host.now),
            let cookie = host.sessionCookie(for: request)
        else { return }
        let secret = NewSecret()
        try perform(.rotateSession(credential.id, secret.credential), trace: request.trace)
        try setCookie(cookie, secret, for: request)
    }

    private func setCookie(
        _ cookie: SessionCookie, _ secret: NewSecret, for request: Request
    ) throws {
        guard let expires = core.directory.credential(secret.credential.id)?.expires else { return }
        let seconds = (expires - host.now).components.seconds
        cookies.set(cookie.header(token: secret.token, seconds: seconds), for: request.id)
    }

    /// Handles a request without credentials but a secret in its body.
    private func open(
        _ opening: Route.Opening, _ request: Request, _ parameters: Parameters
    ) throws {
        switch opening {
        case .previewInvitation:
            let requests = OpenRequests(core: core, request: request, now: host.now)
            host.answer(request.id, try requests.preview())
        case .declineInvitation:
            let hash = try OpenRequests(core: core, request: request, now: host.now).tokenHash()
            try perform(
                .declineInvitation(request.id, tokenHash: hash), trace: request.trace
            ) { id, answer in
                respond(to: id, with: answer, signInView)
            }
        case .activate:
            let person = try parameters.id("person", PersonID.self)
            let (code, terms) = try CredentialBody.readActivation(request)
            // The code works once: a client that lost the response gets it again by its key.
            let key = try IdempotencyStore.Key(request, sealedWith: code)
            if let key, let kept = try idempotencyStore.response(to: key, at: host.now) {
                return host.answer(request.id, kept)
            }
            let secret = NewSecret()
            let change = Change.activate(
                person, code: NewSecret.hash(of: code), secret.credential, terms)
            try perform(
                Command(request: request.id, principal: .person(person), change: change),
                RequestedChange(change, secret: secret), trace: request.trace, key: key)
        case .requestSignInCode:
            let code = ShortCode()
            let input = try SignInReader(request: request, messageKey: messageKey)
                .codeRequest(code)
            try perform(.signInCode(input), code: code, trace: request.trace) {
                respond(to: $0, with: $1, signInView)
            }
        case .openSession:
            let cookie = try sessionCookie(for: request)
            let secret = NewSecret()
            let input = try SignInReader(request: request, messageKey: messageKey)
                .sessionRequest(secret.credential)
            try perform(.enterSignInCode(input), trace: request.trace) { id, answer in
                if case .session = answer { try setCookie(cookie, secret, for: request) }
                respond(to: id, with: answer, signInView)
            }
        }
    }

    private var signInView: AnswerView {
        AnswerView(
            directory: core.directory, codes: core.codes, principal: nil, now: host.now,
            location: nil, secret: nil, circleLists: core.circleLists)
    }

    // MARK: Changes

    private func perform(
        _ command: Command, _ requested: RequestedChange, trace: String, key: IdempotencyStore.Key?
    ) throws {
        try perform(
            .command(command), code: requested.code, mail: requested.mail, link: requested.link,
            trace: trace
        ) { request, answer in
            try respond(to: request, with: answer, of: command, requested, key: key)
        }
    }

    /// Handles an input and performs its effects.
    ///
    /// - Parameters:
    ///   - code: the code to send, if one is needed
    ///   - mail: the zones to mail
    ///   - link: of the new invitation
    ///   - respond: answers the request
    /// - Returns: the events of the directory
    @discardableResult
    private func perform(
        _ input: Input, code: ShortCode? = nil, mail: ZoneMail? = nil,
        link: InvitationLink? = nil, trace: String = "",
        respond: (RequestID, Answer) throws -> Void = { _, _ in }
    ) throws -> [EventBody] {
        let time = changeTime
        var effects: [Effect] = []
        core.handle(input, at: time, into: &effects)
        let cause = SecureRandom.id()
        var events: [EventBody] = []
        for effect in effects {
            switch effect {
            case .record(let body):
                try record(body, cause: cause, trace: trace, at: time)
                events.append(body)
            case .circleList(let row): try circleListTable.record(row)
            case .code(let change):
                try codeRows.record(change)
                if case .send(let order) = change, let code {
                    try request(RequestedMessage(order, code), expires: order.expires, trace)
                } else if case .mail(let order) = change, let mail {
                    try request(RequestedMessage(order, mail), expires: order.expires, trace)
                }
            case .session(let change): try sessionRows.record(change)
            case .activation(let change): try activationRows.record(change)
            case .signIn(let change): try signInRows.record(change)
            case .notice(let notice):
                try request(
                    RequestedMessage(notice, code, site: siteName), expires: notice.expires, trace)
            case .reminded(let person): try reminderRows.remove(person)
            case .textLimitReached:
                host.log.warning(
                    "sign-in codes by SMS suppressed",
                    ["limit": signInPolicy.textsPerHourMax, "hint": "JAGA_SIGN_IN_SMS_PER_HOUR"])
            case .invitation(let change): try stateRows.record(change)
            case .consent(let change): try stateRows.record(change)
            case .ward(let change): try stateRows.record(change)
            case .personNotice(let notice):
                guard let message = notice.message(link: link, site: publicURL) else { continue }
                try request(message, expires: notice.expires, trace)
            case .answer(let request, let answer): try respond(request, answer)
            }
        }
        return events
    }

    /// Writes the row of a directory event, and publishes the event.
    private func record(
        _ body: EventBody, cause: ID128, trace: String = "", at time: Timestamp
    ) throws {
        try rows.record(body)
        if case .personRemoved(let removal) = body {
            erasures.append(removal.person)
            try signOn.personRemoved(removal.person)
            try passkeys.personRemoved(removal.person)
            // Deleted data must also leave the write-ahead log.
            host.database.truncateLogAfterCommit()
        }
        let id = Hash.derivedID(
            kind: body.kind, person: nil,
            subject: body.directoryEntity.map { HashPart.id($0) } ?? .none,
            cause: cause)
        try host.publish(
            Event(id: id, time: time, trace: trace, body: body), on: .directory)
    }

    /// Requests the notifier to send a message once. The message is sealed: other readers of the
    /// stream cannot read it.
    private func request(
        _ message: RequestedMessage, expires: Timestamp, _ trace: String
    ) throws {
        let sealed = SealedText.seal(try JSON.encode(message).serialized(), key: messageKey)
        let body = EventBody.messageRequested(SealedMessage(expires: expires, sealed: sealed))
        try host.publish(
            Event(id: EventID(SecureRandom.id()), time: host.now, trace: trace, body: body),
            on: .directory)
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
            directory: core.directory, codes: core.codes, principal: command.principal,
            now: host.now, location: requested.location, secret: requested.secret,
            file: requested.file, mail: requested.mail, setup: requested.setup,
            circleLists: core.circleLists)
        view.link = requested.link
        if case .person(let person) = answer, case .createPerson = command.change {
            let code = NewSecret()
            try perform(.issueActivation(person.id, hash: code.credential.hash))
            view.activation = (code.token, host.now + Limits.activationAgeMax)
        }
        if let ended = requested.endedSession, let person = command.principal.person,
            core.sessions.session(ended.id, of: person) == nil
        {
            view.cookieRemoval = ended.cookieRemoval
        }
        if let key {
            try idempotencyStore.store(view.response(to: answer), to: key, at: host.now)
        }
        respond(to: request, with: answer, view, key: key)
    }

    /// Answers a request; one with a new credential once ingest knows it.
    private func respond(
        to request: RequestID, with answer: Answer, _ view: AnswerView,
        key: IdempotencyStore.Key? = nil
    ) {
        guard answer.showsCredential else {
            return self.answer(request, view.response(to: answer))
        }
        awaited.append(
            AwaitedAnswers.Awaited(
                request: request, sequence: host.bus.end(of: .directory),
                deadline: host.now + AwaitedAnswers.patience,
                response: { view.response(to: answer, isActive: $0) }, key: key))
    }

    // MARK: The stream

    func snapshot(of stream: StreamName) throws -> [Event] {
        guard stream == .directory else { return [] }
        return DirectorySnapshot(of: core.directory).events.map { body in
            let id = Hash.derivedID(
                kind: body.kind, person: nil,
                subject: body.directoryEntity.map { HashPart.id($0) } ?? .none, cause: .zero)
            return Event(id: id, time: host.now, body: body)
        }
    }

    // MARK: Metrics and status

    func writeMetrics(_ metrics: Metrics) {
        let counts = core.directory.counts
        let entities = metrics.gauge(
            "jaga_membership_entities", "Entities in the directory.", "kind")
        for (kind, count) in [
            ("person", counts.people), ("device", counts.devices),
            ("credential", counts.credentials), ("circle", counts.circles), ("zone", counts.zones),
        ] {
            entities.set(Double(count), kind)
        }
        metrics.gauge("jaga_membership_awaited_answers", "Responses that wait for ingest.")
            .set(Double(awaited.count))
    }

    var statusDetails: JSON {
        let counts = core.directory.counts
        return [
            "people": .integer(Int64(counts.people)), "devices": .integer(Int64(counts.devices)),
            "circles": .integer(Int64(counts.circles)), "zones": .integer(Int64(counts.zones)),
        ]
    }
}

extension Answer {
    /// Whether the result contains a token that will be used soon.
    fileprivate var showsCredential: Bool {
        switch self {
        case .newDevice, .credential, .session: true
        case .person, .unreachablePerson, .device, .circle, .zone, .zones, .set, .message,
            .neverNotify, .pin, .invitation, .consent, .requested, .mailed, .codeSent, .testSent,
            .signInCodeRequested, .signInFailed,
            .choosePerson, .nameNeeded, .gone, .erased, .rejected:
            false
        }
    }
}
