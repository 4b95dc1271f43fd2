import Dialects
import Hashing
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Web

// Requests become inputs.
extension IngestService {
    func handle(_ request: Request) throws {
        switch Endpoint.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(.phone(let dialect), _): try handlePhone(request, as: dialect, token: nil)
        case .found(.phoneByToken(let dialect), let parameters):
            try handlePhone(request, as: dialect, token: parameters["token"])
        case .found(let route, let parameters):
            do {
                try handle(request, route, parameters)
            } catch let problem as Problem {
                pending[request.id] = nil
                host.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(_ request: Request, _ route: Endpoint, _ parameters: Parameters) throws {
        let principal = try principal(of: request, on: route)
        if route.isAnswer {
            try admitAnswer(principal)
        } else if !route.isUrgent {
            try admit(principal, request)
            _ = try IdempotencyStore.keyText(request)
        }
        switch route {
        case .phone, .phoneByToken: break
        case .reports: try handleReports(request, by: principal)
        case .emergencies: try raise(request, by: principal)
        case .emergency:
            let id = try parameters.id("emergency", EmergencyID.self)
            try handle(
                .readEmergency(ReadRequest(request: request.id, principal: principal, id: id)))
        case .cancellation:
            try cancel(
                request, try parameters.id("emergency", EmergencyID.self), by: principal)
        case .positions:
            let id = try parameters.id("circle", CircleID.self)
            try handle(
                .readPositions(ReadRequest(request: request.id, principal: principal, id: id)))
        case .alarm:
            let id = try parameters.id("person", PersonID.self)
            try handle(.readAlarm(ReadRequest(request: request.id, principal: principal, id: id)))
        case .checkIn: try recordCheckIn(request, parameters, by: principal)
        case .alarmAction: try answerAlarm(request, parameters, by: principal)
        case .policy:
            let id = try parameters.id("person", PersonID.self)
            try handle(.readPolicy(ReadRequest(request: request.id, principal: principal, id: id)))
        case .decisions:
            let id = try parameters.id("person", PersonID.self)
            host.answer(request.id, try listDecisions(of: id, request, for: principal))
        case .accessLog:
            let id = try parameters.id("person", PersonID.self)
            host.answer(request.id, try listAccess(to: id, request, for: principal))
        case .recordAccess: try recordAccess(request, by: principal)
        case .deviceLog:
            let id = try parameters.id("device", DeviceID.self)
            host.answer(request.id, try readDeviceLog(of: id, request, for: principal))
        case .export:
            try export(try parameters.id("person", PersonID.self), request, for: principal)
        case .locate, .suggestions, .removeSuggestion, .setKey, .dropKey:
            try handleDevice(request, route, parameters, by: principal)
        case .journeys, .startJourney, .journey, .removeJourney, .stopJourney, .resetJourney,
            .journeyPoints, .journeyTrack, .journeyReplay, .addJourneyNote, .addJourneyPhoto,
            .journeyPhoto:
            try handleJourneys(request, route, parameters, by: principal)
        case .mqtt, .setTopic, .dropTopic:
            try handleMQTT(request, route, parameters, by: principal)
        case .quarantine, .quarantined, .retryQuarantined, .dropQuarantined:
            try handleQuarantine(request, route, parameters, by: principal)
        }
    }

    /// The principal of a request.
    ///
    /// - Throws: 401 if the credentials are missing or wrong, 503 if they may not have arrived here
    ///   yet
    func principal(of request: Request, on route: Endpoint) throws(Problem) -> Principal {
        if let principal = host.principal(of: request) { return principal }
        let secrets = Credentials(request.headers).map { [$0.token] } ?? []
        // A phone that is about to be set up again can call for help meanwhile.
        if case .emergencies = route, let former = formerCaller(secrets) {
            if let problem = wait(for: former, of: request, isPhone: false) { throw problem }
            return .device(former.device, of: former.person)
        }
        throw rejection(of: request, secrets: secrets)
    }

    /// The device of a principal.
    func device(_ principal: Principal) throws(Problem) -> (DeviceID, PersonID) {
        guard case .device(let device, let person) = principal else {
            throw .denied(
                "only a device may send reports; this token belongs to a person",
                hint: "Create a device for the person and use its token.")
        }
        return (device, person)
    }

    private func handleReports(_ request: Request, by principal: Principal) throws {
        let (device, person) = try device(principal)
        let reading = read(PhonePayload(body: request.body), of: .jaga, received: host.now)
        if let excess = reading.rejections.last, excess.reason == .tooMany {
            guard excess.index > 0 else {
                throw Problem.invalid(
                    "more than \(JSON.bodyValuesMax) JSON values",
                    hint: "Send the reports in parts.")
            }
            // Calls for help are always accepted; excess reports are quarantined.
            guard !reading.panics.isEmpty else {
                throw Problem.invalid(
                    "more than \(Limits.reportsInRequest) reports", field: "reports",
                    hint: "Send them in parts.")
            }
        }
        guard try !isRepeated(request, by: principal, status: 202) else { return }
        try accept(reading, of: request, device: device, person: person, requestsPolicy: true)
    }

    func accept(
        _ reading: Reading, of request: Request, device: DeviceID, person: PersonID,
        client: ClientApp = .jaga, requestsFriends: Bool = false, requestsPolicy: Bool = false,
        provesResponseReceived: Bool = false,
        ownTracks: OwnTracks.App? = nil
    ) throws {
        if let rejection = rejection(of: reading) ?? wait(for: reading, of: request, device, client)
        {
            pending[request.id] = nil
            try handle(
                .rejectedRequest(
                    RejectedRequest(device: device, person: person, trace: request.trace)))
            return host.answer(request.id, .problem(rejection))
        }
        let arrivals = try arrivals(reading.observations, of: device)
        try handle(
            .batch(
                IncomingBatch(
                    request: request.id, device: device, person: person, arrivals: arrivals,
                    panics: reading.panics, rejections: reading.rejections,
                    payload: reading.rejections.isEmpty ? [] : request.body, path: request.path,
                    client: client, requestsFriends: requestsFriends,
                    requestsPolicy: requestsPolicy,
                    policyMark: reading.policyMark, provesResponseReceived: provesResponseReceived,
                    status: reading.status,
                    pressesWithinSeconds: pressesWithinSeconds, ownTracks: ownTracks,
                    trace: request.trace)))
    }

    /// Observations with their report ids and the stored reports of the same messages or fixes.
    func arrivals(
        _ observations: [Observation], of device: DeviceID
    ) throws -> [Arrival] {
        let row = core.device(device)
        return try observations.map { observation in
            let id = DerivedID.report(observation, of: device)
            var known = try row.map { try writer.reports.find(id, observation.fix, of: $0) }
            if let report = known?.report, report.id != id {
                // An earlier message with another id, or without one, had the same fix.
                var plain = observation
                plain.messageID = nil
                let named = DerivedID.report(plain, of: device)
                if named.raw.low == report.id.raw.low { known?.report?.id = named }
            }
            return Arrival(
                id: id, observation: observation, isKnown: known?.isKnown ?? false,
                known: known?.report)
        }
    }

    /// Why reports are rejected for lack of disk space: first old ones, then all, but never those
    /// sent with a call for help.
    func rejection(of reading: Reading) -> Problem? {
        guard host.diskPressure >= .tight, reading.panics.isEmpty else { return nil }
        let isOld = reading.observations.contains { observation in
            host.now - observation.fix.time > .seconds(Limits.liveAgeSeconds)
        }
        guard isOld || host.diskPressure == .short else { return nil }
        counts.diskFull += 1
        return .diskNearlyFull(host.diskPressure == .short ? "new reports" : "old reports")
    }

    private func raise(_ request: Request, by principal: Principal) throws {
        let call = JagaEmergency.read(request.body, received: host.now)
        guard try !isRepeatedCall(request, by: principal) else { return }
        pending[request.id]?.ignored = call.ignored
        var isWithReport = true
        if let person = principal.person, core.joinsUnstored(person, at: host.now) {
            counts.joinedCalls += 1
            // Nothing is stored, so there is no response to keep. A report sent along counts for
            // the limits.
            pending[request.id]?.key = nil
            isWithReport = (try? admit(principal, request)) != nil
        }
        var arrival: Arrival?
        // With a replaced secret it may not be the phone, so the position is used for the call
        // only.
        if isWithReport, case .device(let device, _) = principal,
            let observation = call.observation, host.principal(of: request) != nil
        {
            arrival = try arrivals([observation], of: device).first
        }
        try handle(
            .emergency(
                EmergencyRequest(
                    request: request.id, principal: principal, call: call, arrival: arrival,
                    chance: SecureRandom.id(), trace: request.trace)))
    }

    private func cancel(
        _ request: Request, _ emergency: EmergencyID, by principal: Principal
    ) throws {
        guard
            try !isRepeated(
                request, by: principal, status: 202, within: StoredResponses.Window.answer)
        else { return }
        let cause = SecureRandom.id()
        try handle(
            .cancellation(
                CancelRequest(
                    request: request.id, principal: principal, emergency: emergency, cause: cause,
                    trace: request.trace)))
    }

    /// Answers a repeated request with the stored response, otherwise records how to answer it.
    ///
    /// - Parameter window: how long an equal request counts as a repetition
    func isRepeated(
        _ request: Request, by principal: Principal, status: Int,
        within window: Duration = StoredResponses.Window.standard
    ) throws -> Bool {
        let key = StoredResponses.key(of: request, by: principal)
        if let key, let first = try storedResponses.first(with: key, after: host.now - window) {
            host.answer(request.id, first.response)
            return true
        }
        pending[request.id] = Pending(status: status, key: key)
        return false
    }

    /// Whether an emergency request is a retry of the last one. In doubt it is a new call: a second
    /// notification is better than none.
    private func isRepeatedCall(_ request: Request, by principal: Principal) throws -> Bool {
        var window = StoredResponses.Window.activeEmergency
        if let key = StoredResponses.key(of: request, by: principal),
            let first = try storedResponses.first(with: key, after: host.now - window),
            let id = try? JSON.parse(first.response.body)["id"]?.string,
            !(EmergencyID(id).map(core.isUnanswered) ?? false)
        {
            window = StoredResponses.Window.answeredEmergency
        }
        return try isRepeated(request, by: principal, status: 202, within: window)
    }
}
