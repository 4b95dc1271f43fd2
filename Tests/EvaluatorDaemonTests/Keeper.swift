import Bus
import Foundation
import Hashing
import Model
import Runtime
import TestSupport
import Wire

/// Plays ingest: keeps `in/p` and takes what evaluators compute for `events/p`.
final class Keeper {
    let portBase: Int
    let home = try? TemporaryFolder()
    private let bus: Bus
    private var number: UInt64 = 0
    /// What was taken into `events/p`, in order, by stream.
    private(set) var events: [StreamName: [Event]] = [:]
    private(set) var notices: [BusNotice] = []

    init() throws {
        portBase = FreePorts.base(of: [101, 201, 301])
        var configuration = Bus.Configuration(name: "ingest")
        configuration.served =
            Partition.all.map { Bus.Served(.input($0)) }
            + Partition.all.map { Bus.Served(.events($0), isComputed: true) }
        configuration.publishEndpoint = "tcp://127.0.0.1:\(portBase + 101)"
        configuration.controlEndpoint = "tcp://127.0.0.1:\(portBase + 201)"
        configuration.computedEndpoint = "tcp://127.0.0.1:\(portBase + 301)"
        bus = try Bus(
            configuration: configuration, store: MemoryBusStore(), clock: SystemClock())
        bus.hooks.notice = { [unowned self] in notices.append($0) }
    }

    deinit { bus.close() }

    /// Starts an evaluator of this keeper.
    func startEvaluator() throws -> Capture {
        try Capture(
            Programs.path("jaga-evaluator"), [],
            environment: [
                "JAGA_PORT_BASE": "\(portBase)", "JAGA_HOME": home?.path ?? "",
            ])
    }

    /// Appends a record about a person.
    func append(_ body: EventBody, of person: PersonID) throws {
        number += 1
        let event = Event(
            id: EventID(ID128(high: 1, low: number)), time: Timestamp(seconds: Int64(number)),
            body: body)
        try bus.append(try EventCodec.encode(event), to: .input(Partition.of(person)))
        bus.committed()
    }

    /// Runs until something holds, 30 s at most.
    func run(until holds: () throws -> Bool) throws -> Bool {
        let end = Date().addingTimeInterval(30)
        while try !holds() {
            if Date() > end { return false }
            Loop.wait(on: [bus], atMost: 20)
            try bus.receive { stream, _, record in
                events[stream, default: []].append(try EventCodec.decode(record))
            }
            bus.committed()
            try bus.tick()
        }
        return true
    }

    /// What was decided about a person.
    func events(of person: PersonID) -> [Event] { events[.events(Partition.of(person))] ?? [] }
}

extension Capture {
    /// The port of its HTTP, once it said so.
    var port: Int? {
        for line in lines where line.contains("ready") {
            guard let range = line.range(of: " port=") else { continue }
            return Int(line[range.upperBound...].prefix { $0.isNumber })
        }
        return nil
    }
}
