import Bus
import Dialects
import Directory
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
    Authenticates, OwnsDirectory
{
    let host: Host
    let geometry = GeometryQueue()
    private let rows: DirectoryRows
    private let codeRows: CodeRows
    private let idempotencyStore: IdempotencyStore
    private let operatorToken: OperatorToken
    private let messageKeyFile: KeyFile
    /// Seals messages for the notifier, so that the store alone reveals no code.
    private var messageKey: [UInt8] = []
    private let timeZones: TimeZoneFolder
    private var erasures: Erasures
    private let publicURL: String?
    private let broker: PhoneBroker?
    private var core = MembershipCore()
    private var awaited = AwaitedAnswers()
    /// Whether the directory may have another token than the secrets folder.
    private var mustSyncToken = true
    private var nextPrune = Timestamp.zero

    private static let pruningInterval: Duration = .seconds(600)

    init(_ host: Host) throws {
        self.host = host
        rows = DirectoryRows(database: host.database)
        idempotencyStore = IdempotencyStore(host.database)
        codeRows = CodeRows(database: host.database)
        operatorToken = OperatorToken(home: host.configuration.text("JAGA_HOME"))
        messageKeyFile = .messages(
            secrets: host.configuration.text("JAGA_HOME") + "/secrets")
        erasures = Erasures(home: host.configuration.text("JAGA_HOME"))
        timeZones = TimeZoneFolder(host.configuration.text("JAGA_MEMBERSHIP_ZONEINFO"))
        publicURL = host.configuration.optional("JAGA_PUBLIC_URL")
        broker = try PhoneBroker(host.configuration)
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
        try load()
        awaited.rolledBack(to: host.bus.end(of: .directory))
        geometry.rolledBack()
        mustSyncToken = true
    }

    func committed() {
        awaited.committed()
        geometry.committed()
    }

    var pollable: (any Pollable)? { geometry }

    private func load() throws {
        core = MembershipCore(
            directory: try rows.load(), codes: try codeRows.load(at: host.now))
    }

    var ownDirectory: Replica { core.directory }

    /// Requests whose change is committed, or which were not handled yet.
    var suspendedRequests: Set<UInt64> { awaited.requests.union(geometry.requests) }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {}

    func tick() throws {
        if mustSyncToken { try syncOperatorToken() }
        erasures.write(at: host.now, log: host.log)
        if host.now >= nextPrune {
            try idempotencyStore.prune(at: host.now)
            try codeRows.prune(at: host.now)
            nextPrune = host.now + MembershipService.pruningInterval
        }
        try answerPrepared()
        for (awaited, isActive) in awaited.ready(at: host.now, acknowledged: acknowledgedByIngest) {
            let response = awaited.response(isActive)
            if isActive, let key = awaited.key {
                try idempotencyStore.store(response, to: key, at: host.now)
            }
            host.answer(awaited.request, response)
        }
    }

    var nextDeadline: Timestamp? { awaited.deadline }

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
        var effects: [Effect] = []
        core.handle(.operatorToken(secret.credential), at: host.now, into: &effects)
        for case .record(let body) in effects { try record(body, cause: SecureRandom.id()) }
        mustSyncToken = false
    }

    /// Erases people again who came back when an older store was restored.
    private func eraseAgain() throws {
        let people = try erasures.people().filter { core.directory.person($0) != nil }
        guard !people.isEmpty else { return }
        var effects: [Effect] = []
        for person in people { core.handle(.eraseAgain(person), at: host.now, into: &effects) }
        for case .record(let body) in effects { try record(body, cause: SecureRandom.id()) }
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
        var effects: [Effect] = []
        core.handle(.zoneClocks(known), at: host.now, into: &effects)
        var renewed: [String] = []
        for case .record(let body) in effects {
            try record(body, cause: SecureRandom.id())
            if case .zoneChanged(let zone) = body, let name = zone.clock?.timeZone {
                renewed.append(name)
            }
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
            host.answer(request.id, .problem(problem))
        }
    }

    func principal(of request: Request) -> Principal? {
        DeviceSetup.token(of: request).flatMap {
            core.directory.principal(tokenHash: NewSecret.hash(of: $0))
        }
    }

    private func serve(_ request: Request, _ shapes: PreparedShapes) throws {
        switch Route.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let found, let parameters):
            guard DeviceSetup.token(of: request) != nil else {
                throw Problem.unauthorized(
                    "credentials are missing", hint: "send Authorization: Bearer TOKEN")
            }
            guard let principal = principal(of: request) else {
                throw Problem.unauthorized("the credentials are invalid or were replaced")
            }
            switch found.id {
            case .read(let reading):
                let reader = Reader(
                    directory: core.directory, codes: core.codes, principal: principal,
                    request: request, parameters: parameters, now: host.now, publicURL: publicURL,
                    broker: broker)
                host.answer(request.id, try reader.read(reading))
            case .change(.importZones(let kind)) where try ZoneFileReader.isPreview(request):
                _ = try IdempotencyStore.keyText(request)
                try checkRoom(for: request, shapes)
                let reader = changeReader(request, parameters, principal, shapes)
                let response = try preview(reader, for: parameters.owner(kind))
                guard shapes.missing.isEmpty else { return try wait(request, for: shapes) }
                host.answer(request.id, response)
            case .change(let changing):
                if host.diskPressure == .short, found.operation.canWait {
                    throw Problem.diskNearlyFull("changes")
                }
                let key = try IdempotencyStore.Key(request, of: found.operation)
                if let key, let kept = try idempotencyStore.response(to: key, at: host.now) {
                    return host.answer(request.id, kept)
                }
                try checkRoom(for: request, shapes)
                let reader = changeReader(request, parameters, principal, shapes)
                let requested = try reader.read(changing)
                let command = Command(
                    request: request.id, principal: principal, ifVersion: try reader.ifVersion(),
                    change: requested.change)
                try perform(command, requested, trace: request.trace, key: key)
            }
        }
    }

    private func changeReader(
        _ request: Request, _ parameters: Parameters, _ principal: Principal,
        _ shapes: PreparedShapes
    ) -> ChangeReader {
        ChangeReader(
            directory: core.directory, principal: principal, request: request,
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

    // MARK: Changes

    private func perform(
        _ command: Command, _ requested: RequestedChange, trace: String, key: IdempotencyStore.Key?
    ) throws {
        var effects: [Effect] = []
        core.handle(.command(command), at: host.now, into: &effects)
        let cause = SecureRandom.id()
        for effect in effects {
            switch effect {
            case .record(let body): try record(body, cause: cause, trace: trace)
            case .code(let change):
                try codeRows.record(change)
                if case .send(let order) = change, let code = requested.code {
                    try request(RequestedMessage(order, code), expires: order.expires, trace)
                } else if case .mail(let order) = change, let mail = requested.mail {
                    try request(RequestedMessage(order, mail), expires: order.expires, trace)
                }
            case .answer(let request, let answer):
                try respond(to: request, with: answer, of: command, requested, key: key)
            }
        }
    }

    /// Writes the row of a directory event, and publishes the event.
    private func record(_ body: EventBody, cause: ID128, trace: String = "") throws {
        try rows.record(body)
        if case .personRemoved(let removal) = body {
            erasures.append(removal.person)
            // Deleted data must also leave the write-ahead log.
            host.database.truncateLogAfterCommit()
        }
        let id = Hash.derivedID(
            kind: body.kind, person: nil,
            subject: body.directoryEntity.map { HashPart.id($0) } ?? .none,
            cause: cause)
        try host.publish(
            Event(id: id, time: host.now, trace: trace, body: body), on: .directory)
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
        let view = AnswerView(
            directory: core.directory, codes: core.codes, principal: command.principal,
            now: host.now, location: requested.location, secret: requested.secret,
            file: requested.file, mail: requested.mail, setup: requested.setup)
        let response = view.response(to: answer)
        if let key { try idempotencyStore.store(response, to: key, at: host.now) }
        guard answer.showsCredential else { return host.answer(request, response) }
        awaited.append(
            AwaitedAnswers.Awaited(
                request: request, sequence: host.bus.end(of: .directory),
                deadline: host.now + AwaitedAnswers.patience,
                response: { view.response(to: answer, isActive: $0) }, key: key))
    }

    // MARK: The stream

    func snapshot(of stream: StreamName) throws -> [Event] {
        guard stream == .directory else { return [] }
        return core.directory.allEvents().map { body in
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
        case .newDevice, .credential: true
        case .person, .device, .circle, .zone, .zones, .set, .message, .mailed, .gone,
            .rejected:
            false
        }
    }
}
