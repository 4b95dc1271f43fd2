import Bus
import Glibc
import Model
import Runtime
import Store
import Wire

/// Serves the 64 inputs like ingest: one store, one transaction per turn, published after its
/// commit.
///
/// On `load RATE COUNT` on standard input it appends COUNT records at RATE per second (0 = one full
/// turn after the other); `end` ends it.
final class Writer {
    private static let perTurn = 256
    private static let streams = Partition.all.map(StreamName.input)
    private let bus: Bus
    private let database: Database
    private var records: Records
    private let commands = Commands()
    private var placed = 0
    private var load: (start: Int64, rate: Int, count: Int, done: Int)?

    init(_ options: Options) throws {
        database = try Database(path: options["store"], migrations: SQLiteBusStore.migrations)
        records = Records(size: options.number("size"))
        var configuration = Bus.Configuration(name: "writer")
        configuration.served = Writer.streams.map { Bus.Served($0) }
        configuration.publishEndpoint = "tcp://127.0.0.1:*"
        configuration.controlEndpoint = "tcp://127.0.0.1:*"
        configuration.security = try options.security(.ingest)
        bus = try Bus(
            configuration: configuration, store: SQLiteBusStore(database), clock: SystemClock())
    }

    func run() throws {
        emit(
            "ready",
            [
                "publish": bus.endpoints.publish ?? "", "control": bus.endpoints.control ?? "",
            ])
        while !commands.isEnded {
            Loop.wait(on: [bus, commands], atMost: load == nil ? 100 : untilDue)
            handleCommands()
            try bus.receive { _, _, _ in }
            let count = due
            for _ in 0..<count { try append() }
            if database.isInTransaction { try database.commit() }
            bus.committed()
            try bus.tick()
            finish(count)
        }
    }

    /// Records of an hour without waiting for the disk; nothing is published.
    func fill() throws {
        try database.run("PRAGMA synchronous = OFF")
        let count = commands.count(or: 2_000_000)
        for number in 1...count {
            try append()
            guard number % 10_000 == 0 || number == count else { continue }
            try database.commit()
            bus.committed()
        }
        emit("filled", ["records": count])
    }

    private func append() throws {
        try bus.append(try records.next(), to: Writer.streams[placed % Writer.streams.count])
        placed += 1
    }

    private func handleCommands() {
        for words in commands.drain() where words.first == "load" && words.count == 3 {
            load = (microseconds(), Int(words[1]) ?? 0, Int(words[2]) ?? 0, 0)
        }
    }

    /// The number of records to append now.
    private var due: Int {
        guard let load else { return 0 }
        let left = min(Writer.perTurn, load.count - load.done)
        guard load.rate > 0 else { return left }
        let late = Int(microseconds() - load.start) * load.rate / 1_000_000 - load.done
        return max(0, min(left, late))
    }

    /// Milliseconds until the next record is due; at least one if there is a rate.
    private var untilDue: Int { load.map { $0.rate > 0 ? 1 : 0 } ?? 100 }

    private func finish(_ count: Int) {
        load?.done += count
        guard let load, load.done == load.count else { return }
        emit("loaded", ["microseconds": microseconds() - load.start, "begun": load.start])
        self.load = nil
    }
}

/// Lines of standard input.
final class Commands: Pollable {
    private var rest = ""
    private(set) var isEnded = false

    init() { _ = fcntl(0, F_SETFL, O_NONBLOCK) }

    /// Waits for the number on the first line.
    func count(or standard: Int) -> Int {
        _ = fcntl(0, F_SETFL, 0)
        return Int(readLine() ?? "") ?? standard
    }

    /// The words of each line received so far.
    func drain() -> [[String]] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(0, &buffer, buffer.count)
        if count == 0 { isEnded = true }
        if count > 0 { rest += String(decoding: buffer[..<count], as: UTF8.self) }
        var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
        rest = String(lines.popLast() ?? "")
        return lines.map { $0.split(separator: " ").map(String.init) }
    }

    func appendPollItems(to items: inout [PollItem]) { items.append(PollItem(descriptor: 0)) }
    var waitMilliseconds: Int? { nil }
}
