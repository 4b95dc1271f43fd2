import Bus
import EvaluatorCore
import Glibc
import Hashing
import Model
import Store
import Wire

/// Measures the path from records of `in/p` to outputs on ingest's disk, with one thread for both
/// ends: `EvaluatorBench through FIXES`.
///
/// Frames are read and their hash chain is verified. Each record is decoded and handled. Outputs
/// are encoded, framed, read again as by ingest, appended, and committed per frame with a disk
/// sync. Only the sockets in between are missing.
struct Through {
    private static let people = 1000
    private static let partition = Partition.all[17]

    /// Fixes in each record.
    let perRecord: Int
    private var core = EvaluatorCore()
    private var city = City()
    private let database: Database
    private let store: SQLiteBusStore
    private var input: Position
    private var output: Position
    private(set) var outputs = 0
    private(set) var commits = 0

    /// - Parameter folder: the store's folder.
    init(zones: Int, perRecord: Int, in folder: String) throws {
        self.perRecord = perRecord
        let path = "\(folder)/\(zones)-\(perRecord).sqlite"
        database = try Database(path: path, migrations: SQLiteBusStore.migrations)
        store = SQLiteBusStore(database)
        let life = Hash.id("life")
        (_, output) = try store.open(.events(Through.partition)) { life }
        input = .start(of: life)
        core.assign(Through.partition)
        let circle = ConfiguredCircle(circle: City.circle, zones: try city.zones(zones))
        var events: [Event] = []
        for body in [.inputCircle(circle)] + city.people(Through.people) {
            core.handle(
                Event(id: EventID(.zero), time: .zero, body: body), in: Through.partition,
                into: &events)
        }
        // First decisions are not part of the steady state.
        city.fixes(&events, count: Through.people, first: 0)
        var first: [Event] = []
        for event in events { core.handle(event, in: Through.partition, into: &first) }
    }

    /// Fixes per second.
    mutating func run(fixes: Int) throws -> Double {
        var done = 0
        var seconds = 0.0
        while done < fixes {
            let frames = try frames()
            let start = Through.now
            for frame in frames { try handle(frame) }
            seconds += Through.now - start
            done += Through.people * perRecord
        }
        return Double(done) / seconds
    }

    /// Some fixes of each person, as published by ingest.
    private mutating func frames() throws -> [[UInt8]] {
        var reports = [[Report]](repeating: [], count: Through.people)
        var events: [Event] = []
        for _ in 0..<perRecord {
            city.fixes(&events, count: Through.people, first: 0)
            for (number, event) in events.enumerated() { reports[number] += event.body.reports }
        }
        let records = try reports.map { reports in
            let last = reports[reports.count - 1]
            return try EventCodec.encode(
                Event(
                    id: EventID(last.id.raw), time: last.fix.time, trace: last.trace,
                    body: EventBody(reports: reports)))
        }
        return Batch.cut(records).map { range in
            let batch = Batch(
                stream: .input(Through.partition), after: input, records: Array(records[range]),
                head: 0, published: .zero)
            input = batch.last
            return batch.encoded()
        }
    }

    private mutating func handle(_ frame: [UInt8]) throws {
        let batch = try Batch(frame: frame)
        var decided: [Event] = []
        for record in batch.records {
            core.handle(
                try EventCodec.decode(record), in: Through.partition, into: &decided)
        }
        guard !decided.isEmpty else { return }
        let records = try decided.map { try EventCodec.encode($0) }
        for range in Batch.cut(records) {
            let batch = Batch(
                stream: .events(Through.partition), after: output,
                records: Array(records[range]), head: 0, published: .zero)
            try append(Proposal(batch, from: input).encoded())
        }
        try database.commit()
        commits += 1
    }

    /// Appends outputs like ingest, at the end of its stream.
    private mutating func append(_ frame: [UInt8]) throws {
        guard case .proposal(let proposal) = try Frame(frame),
            proposal.batch.previous == output
        else {
            fatalError("the proposal does not continue the stream")
        }
        for (index, record) in proposal.batch.records.enumerated() {
            try store.append(
                record, at: proposal.batch.position(after: index + 1),
                of: .events(Through.partition), now: .zero)
        }
        outputs += proposal.batch.records.count
        output = proposal.batch.last
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Measures each case and prints a line for it.
    static func measure(fixes: Int, printLine: (String) -> Void) throws {
        var template = Array("/tmp/jaga-bench-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { fatalError("cannot create a folder in /tmp") }
        let folder = String(cString: path)
        defer { system("rm -r \(folder)") }
        printLine("from in/p to committed events/p: \(people) people, both ends in one thread")
        for zones in [10, 1000, 10_000, 100_000] {
            for perRecord in [1, 50, 200] {
                var through = try Through(zones: zones, perRecord: perRecord, in: folder)
                let rate = try through.run(fixes: fixes / (perRecord == 1 ? 10 : 1))
                printLine(
                    "  \(zones) zones, \(perRecord) fixes a record: \(Int(rate)) fixes/s, "
                        + "\(through.outputs) outputs in \(through.commits) commits")
            }
        }
    }
}
