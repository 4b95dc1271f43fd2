import Bus
import Model
import Runtime
import Store
import Wire

/// Follows some of the inputs and writes a row per record, in the transaction of its cursor.
final class Consumer {
    private let bus: Bus
    private let database: Database
    private let records: Records
    private let expected: Int
    private var waits = Waits()

    init(_ options: Options) throws {
        let table = Migration(
            number: 1, sql: "CREATE TABLE effect (id BLOB PRIMARY KEY, created INTEGER) STRICT")
        database = try Database(
            path: options["store"], migrations: SQLiteBusStore.migrations + [table])
        records = Records(size: options.number("size"))
        expected = options.number("count")
        var configuration = Bus.Configuration(name: options["name"])
        let share = options.number("share")
        let shares = options.number("shares", or: 1)
        configuration.peers = [
            Bus.Peer(
                name: "ingest", publishEndpoint: options["publish"],
                controlEndpoint: options["control"],
                streams: Partition.all.filter { Int($0.number) % shares == share }
                    .map(StreamName.input))
        ]
        configuration.security = try options.security(.evaluator)
        bus = try Bus(
            configuration: configuration, store: SQLiteBusStore(database), clock: SystemClock())
    }

    func run() throws {
        var first: Int64?
        var applied = 0
        var isReady = false
        while applied < expected {
            Loop.wait(on: [bus], atMost: 100)
            var times: [Int64] = []
            try bus.receive { _, _, record in
                first = first ?? microseconds()
                let time = try records.created(record)
                if !database.isInTransaction { try database.begin() }
                try database.run(
                    "INSERT INTO effect VALUES (?, ?)", .id(record.id), .integer(time))
                times.append(time)
            }
            if database.isInTransaction { try database.commit() }
            bus.committed()
            try bus.tick()
            let now = microseconds()
            for time in times { waits.add(now - time) }
            applied += times.count
            if !isReady, bus.lags.allSatisfy(\.isLive) {
                isReady = true
                emit("ready")
            }
        }
        emit(
            "whole",
            [
                "records": applied, "first": first ?? 0, "last": microseconds(),
                "p50": waits.milliseconds(0.5), "p99": waits.milliseconds(0.99),
                "max": waits.milliseconds(1), "replays": bus.counters.replaysRequested,
            ])
    }
}
