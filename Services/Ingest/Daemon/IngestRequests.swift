import API
import Dialects
import Hosting
import IngestCore
import JourneysDaemon
import Model
import Runtime
import Web

/// Routes requests to the features that answer them.
struct IngestRequests {
    static let router = Router(IngestOperation.table)

    let runner: CoreRunner
    let admission: AdmissionControl
    let batches: BatchRequests
    let phones: PhoneRequests
    let emergencies: EmergencyRequests
    let quarantine: QuarantineRequests
    let mqtt: MQTTRequests
    private let alarms: AlarmRequests
    private let contacts: ContactRequests
    private let devices: DeviceRequests
    private let deviceLog: DeviceLogRequests
    let access: AccessRequests
    private let decisions: DecisionRequests
    private let journeys: JourneyRequests
    private let unprocessedCalls: UnprocessedCallRequests

    private var host: any IngestHost { runner.host }

    init(
        _ runner: CoreRunner, _ admission: AdmissionControl, reader: PhoneReader,
        pressesWithinSeconds: Int64, mqtt: MQTTIntake?
    ) {
        self.runner = runner
        self.admission = admission
        batches = BatchRequests(
            runner: runner, reader: reader, admission: admission,
            pressesWithinSeconds: pressesWithinSeconds)
        phones = PhoneRequests(runner, reader: reader, admission: admission, batches: batches)
        emergencies = EmergencyRequests(runner: runner, admission: admission, batches: batches)
        quarantine = QuarantineRequests(
            runner: runner, reader: reader, admission: admission, batches: batches)
        self.mqtt = MQTTRequests(runner: runner, mqtt: mqtt)
        alarms = AlarmRequests(runner: runner)
        contacts = ContactRequests(runner: runner)
        devices = DeviceRequests(runner: runner)
        deviceLog = DeviceLogRequests(runner: runner)
        access = AccessRequests(runner: runner)
        decisions = DecisionRequests(runner: runner)
        journeys = JourneyRequests(runner.journeys, owner: runner)
        unprocessedCalls = UnprocessedCallRequests(runner: runner)
    }

    func handle(_ request: Request) throws {
        switch IngestRequests.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let found, let parameters):
            if case .phone(let phone) = found.id {
                return try phones.handle(request, as: phone, token: nil)
            }
            if case .phoneByToken(let phone) = found.id {
                return try phones.handle(request, as: phone, token: parameters["token"])
            }
            do {
                try handle(request, found, parameters)
            } catch let problem as Problem {
                runner.replies.pending[request.id] = nil
                host.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(
        _ request: Request, _ found: RoutedOperation<IngestOperation>, _ parameters: Parameters
    ) throws {
        let route = found.id
        let principal = try principal(of: request, on: route)
        switch found.operation.limit {
        case .answers: try admission.admitAnswer(principal)
        case .usual:
            try admission.admit(principal, request)
            _ = try IdempotencyStore.keyText(request)
        // Emergencies and their cancellations are never limited; batches are once their content is
        // known.
        case .none, .content: break
        }
        func read<Kind: IdentifierKind>(
            _ name: String, _ type: Identifier<Kind>.Type
        ) throws(Problem) -> ReadRequest<Identifier<Kind>> {
            ReadRequest(
                request: request.id, principal: principal, id: try parameters.id(name, type))
        }
        switch route {
        case .phone, .phoneByToken: break
        case .reports: try batches.handle(request, by: principal)
        case .emergencies: try emergencies.raise(request, by: principal)
        case .emergency: try runner.handle(.readEmergency(read("emergency", EmergencyID.self)))
        case .cancellation:
            let id = try parameters.id("emergency", EmergencyID.self)
            try emergencies.cancel(request, id, by: principal)
        case .positions:
            var reading = try read("circle", CircleID.self)
            reading.reason = try request.accessReason(
                isRequired: principal.needsReason(toReadIn: reading.id, in: host.replica))
            try runner.handle(.readPositions(reading))
        case .alarm: try runner.handle(.readAlarm(read("person", PersonID.self)))
        case .policy: try runner.handle(.readPolicy(read("person", PersonID.self)))
        case .checkIn: try contacts.recordCheckIn(request, parameters, by: principal)
        case .alarmAction: try alarms.answerAlarm(request, parameters, by: principal)
        case .decisions:
            let id = try parameters.id("person", PersonID.self)
            host.answer(request.id, try decisions.list(of: id, request, for: principal))
        case .accessLog:
            let id = try parameters.id("person", PersonID.self)
            host.answer(request.id, try access.list(to: id, request, for: principal))
        case .recordAccess: try access.recordAccess(request, by: principal)
        case .deviceLog:
            let id = try parameters.id("device", DeviceID.self)
            host.answer(request.id, try deviceLog.read(of: id, request, for: principal))
        case .export:
            try access.export(
                try parameters.id("person", PersonID.self), request, for: principal)
        case .device(let operation):
            try devices.handle(request, operation, parameters, by: principal)
        case .journeys(let operation):
            try journeys.handle(request, operation, parameters, by: principal)
        case .mqtt(let operation):
            try mqtt.handle(request, operation, parameters, by: principal)
        case .quarantine(let operation):
            try quarantine.handle(request, operation, parameters, by: principal)
        case .unprocessedCall(let operation):
            try unprocessedCalls.handle(request, operation, parameters, by: principal)
        }
    }

    /// The principal of a request.
    ///
    /// - Throws: 401 if the credentials are missing or wrong, 503 if they may not have arrived here
    ///   yet
    private func principal(of request: Request, on route: IngestOperation) throws(Problem)
        -> Principal
    {
        if let principal = host.principal(of: request) { return principal }
        let secrets = request.token.map { [$0] } ?? []
        // A phone that is about to be set up again can call for help meanwhile.
        if case .emergencies = route, let former = admission.formerCaller(secrets) {
            if let problem = admission.wait(for: former, of: request, isPhone: false) {
                throw problem
            }
            return .device(former.device, of: former.person)
        }
        throw admission.rejection(of: request, secrets: secrets)
    }
}
