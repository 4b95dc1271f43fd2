import Dialects
import IngestCore
import Model
import Parsing
import Web

/// A phone that behaves like real ones: it moves, reports, and sometimes raises an emergency.
/// Unanswered requests are repeated unchanged.
final class Phone {
    let owner: String
    let id: DeviceID
    private let token: String
    private unowned let world: World
    private var chance: SeededRandom
    private var place = Place.away
    private var sent = 0
    private var lastFix = Timestamp.zero
    /// Fixes for the next request, with the ids of their reports.
    private var waiting: [(json: JSON, id: ReportID)] = []

    init(of owner: String, _ id: DeviceID, token: String, in world: World, _ chance: SeededRandom) {
        self.owner = owner
        self.id = id
        self.token = token
        self.world = world
        self.chance = chance
    }

    private var person: SimulatedPerson? { world.household.people[owner] }

    /// Runs until faults end.
    func live() {
        world.after(Int64(chance.in(200...4000))) { [self] in
            guard !world.isQuiet else { return }
            move()
            live()
        }
    }

    private func move() {
        switch chance.below(100) {
        case 0..<80: report()
        case 80..<85: reportBacklog()
        case 85..<92: callForHelp(countdown: chance.pick([0, 0, 2, 5]))
        case 92..<97: beWatchedOver()
        default: callByReport()
        }
    }

    // MARK: Reports

    private func report() {
        if chance.happens(500) { place = chance.pick(Place.all) }
        addFix(at: max(world.trueTime, lastFix + .milliseconds(1)))
        if chance.happens(700) { send() }
    }

    /// Some fixes from a time without a network.
    private func reportBacklog() {
        let start = world.trueTime - .seconds(Int64(chance.in(400...4000)))
        for index in 0..<chance.in(1...6) {
            addFix(at: start + .seconds(Int64(index * 7)), isOld: true)
        }
        send()
    }

    private func addFix(at time: Timestamp, isOld: Bool = false, trigger: String? = nil) {
        sent += 1
        let message = "\(owner)-\(sent)"
        let position = Coordinate(latitude: place.latitude, longitude: place.longitude)
        let fix = Fix(
            time: time, position: position ?? Coordinate(latitudeE7: 0, longitudeE7: 0),
            accuracyCentimetres: 500)
        if !isOld { lastFix = time }
        var members: [JSON.Member] = [
            .init("id", .string(message)), .init("time", .string(time.description)),
            .init("lat", .number(place.latitude)), .init("lon", .number(place.longitude)),
            .init("accuracy", 5),
        ]
        if let trigger { members.append(.init("trigger", .string(trigger))) }
        let id = DerivedID.report(Observation(fix: fix, messageID: message), of: self.id)
        waiting.append((.object(members), id))
    }

    private func send(panic: EmergencyID? = nil) {
        let batch = waiting
        waiting = []
        let body: JSON = ["reports": .array(batch.map(\.json))]
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/reports", of: .ingest, body, as: token,
                key: "\(owner)-reports-\(sent)"
            ) { [self] response, step in
                guard (200..<300).contains(response.status) else {
                    return world.facts.rejected("a phone's report", response)
                }
                world.facts.reports += batch.map { Confirmed($0.id, step) }
                if let panic, let person { world.facts.raised(panic, by: person.id, step) }
            })
    }

    // MARK: Emergencies

    private func callByReport() {
        guard let person else { return }
        addFix(at: max(world.trueTime, lastFix + .milliseconds(1)), trigger: "panic")
        send(
            panic: DerivedID.signal(
                .panic, person: person.id, device: id, messageID: "\(owner)-\(sent)"))
    }

    /// - Parameter countdown: seconds
    func callForHelp(countdown: Int) {
        sent += 1
        let body: JSON = [
            "id": .string("\(owner)-\(sent)"), "countdown": .integer(Int64(countdown)),
            "trigger": "panic",
        ]
        let mayCancel = countdown > 0 && chance.happens(500)
        world.clientRequests.begin(
            ClientRequest(.post, "/v1/emergencies", of: .ingest, body, as: token) {
                [self] response, step in
                guard response.status == 202, let person,
                    let id = response.emergency
                else { return world.facts.rejected("an emergency request", response) }
                world.facts.raised(id, by: person.id, step)
                guard mayCancel else { return }
                world.after(Int64(chance.in(100...4000))) { [self] in cancel(id) }
            })
    }

    private func cancel(_ id: EmergencyID) {
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/emergencies/\(id)/cancellation", of: .ingest, as: token,
                key: "cancel-\(id)"
            ) { [self] response, step in
                if response.status == 202 { world.facts.cancelled.append(Confirmed(id, step)) }
            })
    }

    // MARK: Watches

    private func beWatchedOver() {
        guard let person else { return }
        sent += 1
        let body: JSON = ["minutes": .number(Double(chance.in(6...30)) / 60)]
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/watches", of: .timer, body, as: person.token,
                key: "\(owner)-watch-\(sent)"
            ) { [self] response, step in
                guard (200..<300).contains(response.status), let watch = response.watch else {
                    return
                }
                world.facts.watched(watch, step)
                guard chance.happens(400) else { return }
                world.after(Int64(chance.in(500...15_000))) { [self] in end(watch.id, person) }
            })
    }

    private func end(_ id: WatchID, _ person: SimulatedPerson) {
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/watches/\(id)/end", of: .timer, as: person.token, key: "end-\(id)"
            ) { [self] response, step in
                if response.status == 200 { world.facts.ended(id, step) }
            })
    }
}

extension Response {
    fileprivate var json: JSON? { try? JSON.parse(body) }

    fileprivate var emergency: EmergencyID? {
        json?["id"]?.string.flatMap { EmergencyID($0) }
    }

    /// A watch as shown by the timer.
    fileprivate var watch: Facts.KnownWatch? {
        guard let json, let id = json["id"]?.string.flatMap({ WatchID($0) }),
            let expiry = json["expiry"]?.string.flatMap({ Timestamp($0) })
        else { return nil }
        return Facts.KnownWatch(id: id, expiry: expiry)
    }
}
