import EvaluatorCore
import Model
import NotifierCore
import Parsing
import Store
import Wire

@testable import Bus
@testable import Hosting

/// An oracle's objection to the state of a world.
struct Objection: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: String) { description = sentence }
}

/// Checks everything that the suite stores.
struct Oracle {
    let world: World

    init(_ world: World) { self.world = world }

    // MARK: State

    func database(_ service: ServiceName) -> Database {
        guard let disk = world.slot(service).disk else { fatalError("\(service) has a disk") }
        return disk.database
    }

    func count(_ sql: String, in service: ServiceName) -> Int {
        ((try? database(service).first(sql) { $0.int(0) }) ?? nil) ?? 0
    }

    /// All records of a stream, including those that its writer has pruned.
    func records(of stream: StreamName, at service: ServiceName) throws -> [StoredRecord] {
        let store = SQLiteBusStore(database(service))
        let (base, _) = try store.open(stream, newIncarnation: { .zero })
        return world.slot(service).archive.records(of: stream, through: base.sequence)
            + (try store.records(
                of: stream, after: base.sequence, through: .max >> 16, bytesMax: .max))
    }

    func events(of stream: StreamName, at service: ServiceName) throws -> [Event] {
        try records(of: stream, at: service).map { try EventCodec.decode($0.record) }
    }

    func rows<Row: Decodable>(_ table: String, as type: Row.Type) throws -> [Row] {
        let texts = try database(.notifier).all("SELECT body FROM \(table)") { $0.text(0) }
        return try texts.map { try JSON.parse($0).decode(Row.self) }
    }

    /// Whether a confirmed fact was lost because a disk was replaced by an older copy.
    func isExcused(_ step: Int, at service: ServiceName) -> Bool {
        world.slot(service).disk?.hasLost(step) ?? false
    }

    /// Whether a service was ever restarted on an older disk.
    func wasRestored(_ service: ServiceName) -> Bool {
        world.slot(service).disk?.lost.isEmpty == false
    }

    // MARK: Pending work

    /// Work that is still pending, as sentences.
    var waits: [String] {
        var all: [String] = []
        func wait(_ what: String, _ service: ServiceName, _ sql: String) {
            let number = count(sql, in: service)
            if number > 0 { all.append("\(number) \(what)") }
        }
        wait("reports wait", .ingest, "SELECT count(*) FROM waiting")
        wait("messages are not sent", .notifier, "SELECT count(*) FROM notifications WHERE pending")
        wait(
            "watches run", .timer,
            "SELECT count(*) FROM watch WHERE state IN ('active', 'reminded')")
        if waitsForTakeover { all.append("a ward has not taken over") }
        let open = (try? rows("emergencies", as: NotifierCore.Emergency.self)) ?? []
        for emergency in open where isUnanswered(emergency) {
            all.append("\(emergency.id) is \(emergency.state)")
        }
        return all
    }

    /// Whether an emergency still waits for an acknowledgement.
    private func isUnanswered(_ emergency: NotifierCore.Emergency) -> Bool {
        guard emergency.state == .open || emergency.state == .countdown else { return false }
        let replica = world.slot(.notifier).life?.host.directory?.replica
        return replica?.circles(of: emergency.person).isEmpty == false && !emergency.isRecordOnly
    }

    // MARK: Checks

    /// - Throws: the first ``Objection``
    func check() throws {
        try checkStreams()
        try checkConfirmations()
        try checkWatches()
        try checkConsumers()
        try checkMessages()
        try checkEnds()
        try checkAccounts()
    }

    private func checkStreams() throws {
        for partition in Partition.all {
            let inputs = try events(of: .input(partition), at: .ingest)
            let outputs = try records(of: .events(partition), at: .ingest).map(\.record)
            if inputs.isEmpty, outputs.isEmpty { continue }
            try checkDecisions(inputs, outputs, of: partition)
        }
        for slot in world.slots {
            for lag in slot.life?.host.bus.lags ?? [] where lag.records > 0 {
                throw Objection("\(slot.name) has not applied all of \(lag.stream)")
            }
        }
    }

    /// The log equals what a new evaluator computes from the inputs, with one entry per decision.
    /// Each crossing is recorded once; entries and exits alternate while the zones do not change.
    private func checkDecisions(
        _ inputs: [Event], _ outputs: [Record], of partition: Partition
    ) throws {
        var core = EvaluatorCore(logics: world.logics)
        core.assign(partition)
        var expected: [Record] = []
        var crossings = Crossings()
        for input in inputs {
            var outputEvents: [Event] = []
            core.handle(input, in: partition, into: &outputEvents)
            try crossings.apply(input, outputEvents)
            expected += try outputEvents.map { try EventCodec.encode($0) }
        }
        guard expected != outputs else { return }
        let place = zip(expected, outputs).prefix { $0 == $1 }.count
        throw Objection(
            "events/\(partition) is not what its inputs lead to: \(outputs.count) records where "
                + "there should be \(expected.count), different after \(place)")
    }
}

/// Presence of people in zones, as published.
private struct Crossings {
    private struct Presence: Hashable {
        let person: PersonID
        let zone: ZoneID
    }

    private var seen: Set<EventID> = []
    private var inside: [Presence: Bool] = [:]

    mutating func apply(_ input: Event, _ outputs: [Event]) throws {
        switch input.body {
        case .inputPerson, .inputCircle, .inputCircleRemoved, .inputPersonRemoved:
            inside.removeAll()
        default: break
        }
        for output in outputs {
            guard seen.insert(output.id).inserted else {
                throw Objection("\(output.kind.type) \(output.id) was decided twice")
            }
            switch output.body {
            case .zonePresenceEstablished(let crossing), .zoneEntered(let crossing),
                .zoneExited(let crossing):
                try apply(crossing, isInitial: output.kind == .zonePresenceEstablished)
            default: break
            }
        }
    }

    private mutating func apply(_ crossing: ZoneCrossing, isInitial: Bool) throws {
        let presence = Presence(person: crossing.person, zone: crossing.zone)
        if !isInitial, inside[presence] == crossing.inside {
            throw Objection(
                "\(crossing.person) went \(crossing.inside ? "into" : "out of") "
                    + "\(crossing.zone) twice")
        }
        inside[presence] = crossing.inside
    }
}
