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
        case .answered(let response): outside.answer(request.id, response)
        case .found(.phone(let dialect), _): try deliver(request, as: dialect, token: nil)
        case .found(.phoneByToken(let dialect), let parameters):
            try deliver(request, as: dialect, token: parameters["token"])
        case .found(let route, let parameters):
            do {
                try handle(request, route, parameters)
            } catch let problem as Problem {
                pending[request.id] = nil
                outside.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(_ request: Request, _ route: Endpoint, _ parameters: Parameters) throws {
        let principal = try principal(of: request, on: route)
        if route.isAnswer {
            try passAnswer(principal)
        } else if !route.isUrgent {
            try pass(principal, request)
            _ = try KeptAnswers.name(request)
        }
        switch route {
        case .phone, .phoneByToken: break
        case .reports: try deliverReports(request, by: principal)
        case .emergencies: try raise(request, by: principal)
        case .emergency:
            let id = try parameters.id("emergency", EmergencyID.self)
            try take(
                .readEmergency(ReadRequest(request: request.id, principal: principal, id: id)))
        case .cancellation:
            try cancel(
                request, try parameters.id("emergency", EmergencyID.self), by: principal)
        case .positions:
            let id = try parameters.id("circle", CircleID.self)
            try take(
                .readPositions(ReadRequest(request: request.id, principal: principal, id: id)))
        case .alarm:
            let id = try parameters.id("person", PersonID.self)
            try take(.readAlarm(ReadRequest(request: request.id, principal: principal, id: id)))
        case .allRight: try takeAllRight(request, parameters, by: principal)
        case .alarmAction: try answerAlarm(request, parameters, by: principal)
        case .policy:
            let id = try parameters.id("person", PersonID.self)
            try take(.readPolicy(ReadRequest(request: request.id, principal: principal, id: id)))
        case .decisions:
            let id = try parameters.id("person", PersonID.self)
            outside.answer(request.id, try listDecisions(of: id, request, for: principal))
        case .accessLog:
            let id = try parameters.id("person", PersonID.self)
            outside.answer(request.id, try listAccess(to: id, request, for: principal))
        case .recordAccess: try recordAccess(request, by: principal)
        case .diary:
            let id = try parameters.id("device", DeviceID.self)
            outside.answer(request.id, try readDiary(of: id, request, for: principal))
        case .export:
            try export(try parameters.id("person", PersonID.self), request, for: principal)
        case .locate, .offers, .dropOffer, .setKey, .dropKey:
            try handlePhone(request, route, parameters, by: principal)
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

    /// Who asks.
    ///
    /// - Throws: 401 where the credentials are missing or surely wrong, 503 where they may only not
    ///   have arrived here yet.
    func principal(of request: Request, on route: Endpoint) throws(Problem) -> Principal {
        if let principal = outside.principal(of: request) { return principal }
        let secrets = Credentials(request.headers).map { [$0.token] } ?? []
        // A phone that is about to be set up anew can call for help meanwhile.
        if case .emergencies = route, let former = formerCaller(secrets) {
            if let problem = wait(for: former, of: request, isPhone: false) { throw problem }
            return .device(former.device, of: former.person)
        }
        throw refusal(of: request, secrets: secrets)
    }

    /// The device that speaks.
    func device(_ principal: Principal) throws(Problem) -> (DeviceID, PersonID) {
        guard case .device(let device, let person) = principal else {
            throw .denied(
                "reports come from a device, and this is no device's token",
                hint: "create a device for the person and use its token")
        }
        return (device, person)
    }

    private func deliverReports(_ request: Request, by principal: Principal) throws {
        let (device, person) = try device(principal)
        let reading = read(PhonePayload(body: request.body), of: .jaga, received: outside.now)
        if let excess = reading.rejections.last, excess.reason == .tooMany {
            guard excess.index > 0 else {
                throw Problem.invalid(
                    "more than \(JSON.bodyValuesMax) JSON values",
                    hint: "send the reports in parts")
            }
            // Who calls for help is heard: what is too much is put aside.
            guard !reading.panics.isEmpty else {
                throw Problem.invalid(
                    "more than \(Limits.reportsInRequest) reports", field: "reports",
                    hint: "send them in parts")
            }
        }
        guard try !isRepeated(request, by: principal, status: 202) else { return }
        try deliver(reading, of: request, device: device, person: person, wantsPolicy: true)
    }

    func deliver(
        _ reading: Reading, of request: Request, device: DeviceID, person: PersonID,
        client: ClientApp = .jaga, wantsFriends: Bool = false, wantsPolicy: Bool = false,
        provesHearing: Bool = false,
        ownTracks: OwnTracks.App? = nil
    ) throws {
        if let refusal = refusal(of: reading) ?? wait(for: reading, of: request, device, client) {
            pending[request.id] = nil
            try take(.refusal(Visit(device: device, person: person, trace: request.trace)))
            return outside.answer(request.id, .problem(refusal))
        }
        let arrivals = try arrivals(reading.observations, of: device)
        try take(
            .delivery(
                Delivery(
                    request: request.id, device: device, person: person, arrivals: arrivals,
                    panics: reading.panics, rejections: reading.rejections,
                    payload: reading.rejections.isEmpty ? [] : request.body, path: request.path,
                    client: client, wantsFriends: wantsFriends, wantsPolicy: wantsPolicy,
                    policyMark: reading.policyMark, provesHearing: provesHearing,
                    news: reading.news,
                    pressesWithinSeconds: pressesWithinSeconds, ownTracks: ownTracks,
                    trace: request.trace)))
    }

    /// Observations with their ids and the stored reports of the same messages or fixes.
    func arrivals(
        _ observations: [Observation], of device: DeviceID
    ) throws -> [Arrival] {
        let row = core.device(device)
        return try observations.map { observation in
            let id = Meaning.report(observation, of: device)
            var known = try row.map { try writer.reports.find(id, observation.fix, of: $0) }
            if let report = known?.report, report.id != id {
                // A message of another id, or of none, brought the fix before.
                var plain = observation
                plain.messageID = nil
                let named = Meaning.report(plain, of: device)
                if named.raw.low == report.id.raw.low { known?.report?.id = named }
            }
            return Arrival(
                id: id, observation: observation, isKnown: known?.isKnown ?? false,
                known: known?.report)
        }
    }

    /// Why reports are not taken now, for want of room: old ones first, then all, but never those
    /// that come with a call for help.
    func refusal(of reading: Reading) -> Problem? {
        guard outside.diskPressure >= .tight, reading.panics.isEmpty else { return nil }
        let isOld = reading.observations.contains { observation in
            outside.now - observation.fix.time > .seconds(Limits.liveAgeSeconds)
        }
        guard isOld || outside.diskPressure == .short else { return nil }
        counts.diskFull += 1
        return .diskNearlyFull(outside.diskPressure == .short ? "new reports" : "old reports")
    }

    private func raise(_ request: Request, by principal: Principal) throws {
        let call = JagaEmergency.read(request.body, received: outside.now)
        guard try !isRepeatedCall(request, by: principal) else { return }
        pending[request.id]?.ignored = call.ignored
        var isWithReport = true
        if let person = principal.person, core.joinsUnstored(person, at: outside.now) {
            counts.joinedCalls += 1
            // Nothing is stored of it, so there is no first answer to keep; a report that comes
            // with it is one like any other.
            pending[request.id]?.key = nil
            isWithReport = (try? pass(principal, request)) != nil
        }
        var arrival: Arrival?
        // By a secret that was replaced it may not be the phone: the place is in the call alone.
        if isWithReport, case .device(let device, _) = principal,
            let observation = call.observation, outside.principal(of: request) != nil
        {
            arrival = try arrivals([observation], of: device).first
        }
        try take(
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
                request, by: principal, status: 202, within: FirstAnswers.Window.answer)
        else { return }
        let cause = SecureRandom.id()
        try take(
            .cancellation(
                CancelRequest(
                    request: request.id, principal: principal, emergency: emergency, cause: cause,
                    trace: request.trace)))
    }

    /// Gives a repeated request its first answer; else notes how the request is to be answered.
    ///
    /// - Parameter window: how long an equal request counts as the same one
    func isRepeated(
        _ request: Request, by principal: Principal, status: Int,
        within window: Duration = FirstAnswers.Window.standard
    ) throws -> Bool {
        let key = FirstAnswers.key(of: request, by: principal)
        if let key, let first = try firstAnswers.first(with: key, after: outside.now - window) {
            outside.answer(request.id, first.response)
            return true
        }
        pending[request.id] = Pending(status: status, key: key)
        return false
    }

    /// Whether an emergency request is a retry of the last one. In doubt it is a new call: a second
    /// notification is better than none.
    private func isRepeatedCall(_ request: Request, by principal: Principal) throws -> Bool {
        var window = FirstAnswers.Window.activeEmergency
        if let key = FirstAnswers.key(of: request, by: principal),
            let first = try firstAnswers.first(with: key, after: outside.now - window),
            let id = try? JSON.parse(first.response.body)["id"]?.string,
            !(EmergencyID(id).map(core.isUnanswered) ?? false)
        {
            window = FirstAnswers.Window.answeredEmergency
        }
        return try isRepeated(request, by: principal, status: 202, within: window)
    }
}
