import EvaluatorCore
import Model
import NotifierCore
import Parsing
import Store
import Wire

@testable import Bus
@testable import Hosting

/// What an oracle says of a world that is not as it must be.
struct Objection: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: String) { description = sentence }
}

/// Looks at everything that the suite keeps, and says what must not be.
struct Oracle {
    let world: World

    init(_ world: World) { self.world = world }

    // MARK: What there is

    func database(_ service: ServiceName) -> Database {
        guard let disk = world.seat(service).disk else { fatalError("\(service) has a disk") }
        return disk.database
    }

    func count(_ sql: String, in service: ServiceName) -> Int {
        ((try? database(service).first(sql) { $0.int(0) }) ?? nil) ?? 0
    }

    /// All records of a stream, as its keeper has them or has had them before they were pruned.
    func records(of stream: StreamName, at service: ServiceName) throws -> [StoredRecord] {
        let store = SQLiteBusStore(database(service))
        let (base, _) = try store.open(stream, newIncarnation: { .zero })
        return world.seat(service).archive.records(of: stream, through: base.sequence)
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

    /// Whether a promise was forgotten together with a disk that was replaced by an older copy.
    func isExcused(_ step: Int, at service: ServiceName) -> Bool {
        world.seat(service).disk?.hasForgotten(step) ?? false
    }

    /// Whether a service ever found an older disk.
    func wentBack(_ service: ServiceName) -> Bool {
        world.seat(service).disk?.forgotten.isEmpty == false
    }

    // MARK: What still goes on

    /// What has yet to happen before everything is at rest, as sentences.
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
        let open = (try? rows("emergencies", as: NotifierCore.Emergency.self)) ?? []
        for emergency in open where isUnanswered(emergency) {
            all.append("\(emergency.id) is \(emergency.state)")
        }
        return all
    }

    /// Whether somebody could still answer an emergency.
    private func isUnanswered(_ emergency: NotifierCore.Emergency) -> Bool {
        guard emergency.state == .open || emergency.state == .countdown else { return false }
        let replica = world.seat(.notifier).life?.host.directory?.replica
        return replica?.circles(of: emergency.person).isEmpty == false && !emergency.isRecordOnly
    }

    // MARK: The verdict

    /// - Throws: ``Objection``, the first one that there is
    func judge() throws {
        try judgeStreams()
        try judgePromises()
        try judgeWatches()
        try judgeConsumers()
        try judgeTold()
        try judgeEnds()
    }

    private func judgeStreams() throws {
        for partition in Partition.all {
            let inputs = try events(of: .input(partition), at: .ingest)
            let outputs = try records(of: .events(partition), at: .ingest).map(\.record)
            if inputs.isEmpty, outputs.isEmpty { continue }
            try judgeDecisions(inputs, outputs, of: partition)
        }
        for seat in world.seats {
            for lag in seat.life?.host.bus.lags ?? [] where lag.records > 0 {
                throw Objection("\(seat.name) has not applied all of \(lag.stream)")
            }
        }
    }

    /// One log entry a decision: the log is what a new evaluator makes of the inputs. Each crossing
    /// stands there once, and entries and exits alternate as long as nobody changes the zones.
    private func judgeDecisions(
        _ inputs: [Event], _ outputs: [Record], of partition: Partition
    ) throws {
        var core = EvaluatorCore(logics: world.logics)
        core.begin(partition)
        var expected: [Record] = []
        var crossings = Crossings()
        for input in inputs {
            var made: [Event] = []
            core.handle(input, in: partition, into: &made)
            try crossings.take(input, made)
            expected += try made.map { try EventCodec.encode($0) }
        }
        guard expected != outputs else { return }
        let place = zip(expected, outputs).prefix { $0 == $1 }.count
        throw Objection(
            "events/\(partition) is not what its inputs lead to: \(outputs.count) records where "
                + "there should be \(expected.count), different after \(place)")
    }
}

/// Who is inside of what, as far as it was told.
private struct Crossings {
    private struct Presence: Hashable {
        let person: PersonID
        let zone: ZoneID
    }

    private var seen: Set<EventID> = []
    private var inside: [Presence: Bool] = [:]

    mutating func take(_ input: Event, _ outputs: [Event]) throws {
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
            case .zoneInitial(let crossing), .zoneEntered(let crossing), .zoneExited(let crossing):
                try take(crossing, isInitial: output.kind == .zoneInitial)
            default: break
            }
        }
    }

    private mutating func take(_ crossing: ZoneCrossing, isInitial: Bool) throws {
        let presence = Presence(person: crossing.person, zone: crossing.zone)
        if !isInitial, inside[presence] == crossing.inside {
            throw Objection(
                "\(crossing.person) went \(crossing.inside ? "into" : "out of") "
                    + "\(crossing.zone) twice")
        }
        inside[presence] = crossing.inside
    }
}
