import Dialects
import Directory
import Hashing
import JourneysCore
import Model

@testable import IngestCore

/// Ids that tests can read: the n-th of its kind.
func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 1, low: number)) }
func device(_ number: UInt64) -> DeviceID { DeviceID(ID128(high: 2, low: number)) }
func circle(_ number: UInt64) -> CircleID { CircleID(ID128(high: 4, low: number)) }
/// From 100 on each is on a page of its own in a set.
func zone(_ number: UInt64) -> ZoneID {
    ZoneID(ID128(high: 5 | (number >= 100 ? number << 48 : 0), low: number))
}
func zoneSet(_ number: UInt64) -> ZoneSetID { ZoneSetID(ID128(high: 6, low: number)) }

let start = Timestamp(seconds: 1_800_000_000)

/// The core with a directory, a clock set by hand, and a store that keeps what effects say, so that
/// a test can take the process down at any time.
struct Bench {
    var directory: Replica
    var core: Core
    var now = start
    var store = MemoryStore()
    /// Records of `in/p` in the order in which they were appended.
    var input: [(partition: Partition, event: Event)] = []
    /// Calls for help and their cancellations.
    var sos: [Event] = []
    /// Positions and reporting of devices, on the same stream.
    var observed: [Event] = []
    var answers: [UInt64: Answer] = [:]
    var quarantine: [QuarantineRow] = []
    var access: [AccessRow] = []
    private var nextRequest: UInt64 = 1

    init(_ directory: [EventBody] = family, rights: RightsTable = .standard) {
        self.directory = Replica(rights: rights)
        for change in directory { self.directory.apply(change) }
        core = Core(store.stored, in: self.directory)
        endTurns()
    }

    mutating func handle(_ input: Input) {
        var turn = Turn<Effect>(now: now, directory: directory)
        core.handle(input, &turn)
        for effect in turn.effects { perform(effect) }
    }

    mutating func change(_ change: EventBody) {
        handle(.directoryChanging(change, at: now))
        directory.apply(change)
    }

    mutating func wait(_ seconds: Int) { now = now + .seconds(seconds) }

    /// Turns until nothing is left to do.
    mutating func endTurns() {
        repeat { handle(.turnEnd) } while core.hasWork
    }

    /// The process dies and starts again from its store.
    mutating func restart() { core = Core(store.stored, in: directory) }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .append(let event, let partition): input.append((partition, event))
        case .raise(let event):
            let isObservation = [.sosPosition, .deviceReporting, .positionsAnswered].contains(
                event.kind)
            if isObservation { observed.append(event) } else { sos.append(event) }
        case .answer(let request, let answer): answers[request] = answer
        case .quarantine(.save(let row)): quarantine.append(row)
        case .access(let row): access.append(row)
        case .followedPosition(.open(let opening)):
            let trail = store.bodies.values.map(\.fix).filter { $0.time >= opening.since }
            observed.append(opening.event(trail: trail))
        default: store.perform(effect)
        }
    }

    // MARK: What phones and people do

    /// A phone delivers observations; ids known to the store are marked so.
    @discardableResult
    mutating func deliver(
        _ observations: [Observation], from number: UInt64 = 1, of owner: UInt64? = nil,
        panics: [Panic] = [], rejections: [Rejection] = [], requestsFriends: Bool = false,
        policyMark: String? = nil, status: DeviceStatus = DeviceStatus(),
        pressesWithinSeconds: Int64 = 0,
        ownTracks: OwnTracks.App? = nil, client: PhoneProtocol = .jaga, wasRetained: Bool = false,
        isFromFormerSecret: Bool = false
    ) -> Answer? {
        let id = device(number)
        let arrivals = observations.map { observation in
            let report = DerivedID.report(observation, of: id)
            let known = store.report(report, observation.fix, of: id)
            return Arrival(
                id: report, observation: observation,
                isKnown: known != nil || store.reports.contains(report), known: known)
        }
        let request = newRequest()
        handle(
            .batch(
                IncomingBatch(
                    request: request, device: id, person: person(owner ?? number),
                    arrivals: arrivals, panics: panics, rejections: rejections,
                    payload: Array("payload".utf8), path: "/pub", client: client,
                    requestsFriends: requestsFriends, requestsPolicy: true, policyMark: policyMark,
                    status: status,
                    pressesWithinSeconds: pressesWithinSeconds, ownTracks: ownTracks,
                    wasRetained: wasRetained, isFromFormerSecret: isFromFormerSecret,
                    trace: "t\(request)")))
        return answers[request]
    }

    @discardableResult
    mutating func call(_ call: EmergencyCall, as principal: Principal) -> Answer? {
        let request = newRequest()
        handle(
            .emergency(
                EmergencyRequest(
                    request: request, principal: principal, call: call,
                    arrival: call.observation.map { observation in
                        Arrival(
                            id: DerivedID.report(observation, of: device(1)),
                            observation: observation, isKnown: false)
                    }, chance: ID128(high: 99, low: request))))
        return answers[request]
    }

    @discardableResult
    mutating func cancel(
        _ emergency: EmergencyID, as principal: Principal, pin: String? = nil
    ) -> Answer? {
        let request = newRequest()
        handle(
            .cancellation(
                CancelRequest(
                    request: request, principal: principal, emergency: emergency,
                    cause: ID128(high: 98, low: request), pin: pin)))
        return answers[request]
    }

    mutating func read(_ emergency: EmergencyID, as principal: Principal) -> Answer? {
        let request = newRequest()
        handle(
            .readEmergency(ReadRequest(request: request, principal: principal, id: emergency)))
        return answers[request]
    }

    mutating func positions(of id: CircleID, as principal: Principal) -> Answer? {
        let request = newRequest()
        handle(.readPositions(ReadRequest(request: request, principal: principal, id: id)))
        return answers[request]
    }

    @discardableResult
    mutating func alarm(
        _ action: AlarmAction, of number: UInt64, zone: ZoneID? = nil, as principal: Principal
    ) -> Answer? {
        let request = newRequest()
        handle(
            .alarm(
                AlarmRequest(
                    request: request, principal: principal, person: person(number),
                    action: action, zone: zone, cause: ID128(high: 97, low: request))))
        return answers[request]
    }

    mutating func readAlarm(of number: UInt64, as principal: Principal) -> Answer? {
        let request = newRequest()
        handle(
            .readAlarm(ReadRequest(request: request, principal: principal, id: person(number))))
        return answers[request]
    }

    mutating func readPolicy(of number: UInt64, as principal: Principal) -> Answer? {
        let request = newRequest()
        handle(
            .readPolicy(ReadRequest(request: request, principal: principal, id: person(number))))
        return answers[request]
    }

    mutating func locate(_ number: UInt64, as principal: Principal) -> Answer? {
        let request = newRequest()
        handle(
            .locate(
                LocateRequest(request: request, principal: principal, person: person(number))))
        return answers[request]
    }

    /// Anna starts, stops, resets or removes a journey.
    mutating func journey(_ action: JourneyAction, _ journey: Int64? = nil) {
        handle(
            .journeys(
                .request(
                    JourneyRequest(
                        request: newRequest(), principal: .person(person(1)), person: person(1),
                        number: journey, action: action))))
    }

    /// An evaluator decides.
    mutating func applyDerived(_ body: EventBody) {
        handle(.derived(Event(id: EventID(.zero), time: now, body: body)))
    }

    /// The notifier publishes.
    mutating func applyDelivery(_ body: EventBody) {
        handle(.deliveries(Event(id: EventID(.zero), time: now, body: body)))
    }

    /// The timer tells.
    mutating func fire(_ body: EventBody) {
        handle(.deadlines(Event(id: EventID(.zero), time: now, body: body)))
    }

    private mutating func newRequest() -> UInt64 {
        defer { nextRequest += 1 }
        return nextRequest
    }

    /// Bodies of the records about reports, in order.
    var reports: [Report] { input.flatMap(\.event.body.reports) }

    /// Bodies of all records of one kind.
    func bodies(_ kind: EventKind) -> [EventBody] {
        input.map(\.event.body).filter { $0.kind == kind }
    }

    func state(of emergency: EmergencyID) -> EmergencyState? {
        core.emergencies.signals.view(of: emergency)?.state
    }
}

/// A fix of so many seconds before `start`, or after.
func observation(
    at seconds: Int64, lat: Int32 = 30_000_000, trigger: Trigger = .periodic, battery: UInt8? = nil,
    speed: Int32? = nil, id: String? = nil
) -> Observation {
    Observation(
        fix: Fix(
            time: start + .seconds(seconds),
            position: Coordinate(latitudeE7: lat, longitudeE7: 1_010_000_000),
            speedCentimetresPerSecond: speed),
        trigger: trigger, battery: battery, messageID: id)
}
