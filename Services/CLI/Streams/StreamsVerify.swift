import Bus
import Hashing
import Model
import Parsing
import Runtime
import Wire

// `jaga streams verify`: reads chains over the bus, one after the other.
extension Streams {
    /// An answer that does not come is asked for again, …
    private static let patience = Duration.seconds(2)
    /// … and not for ever.
    private static let patienceMax = Duration.seconds(10)

    static func verify(_ call: Call, stream text: String?) throws -> Int32 {
        var wanted = StreamName.all
        if let text {
            guard let stream = StreamName(text: text) else {
                throw CommandError.usage("\(text) is no stream: in/17, events/3, sos …", syntax)
            }
            wanted = [stream]
        }
        let ports = try ports(call)
        let name = "verify-" + Hex.encode(SecureRandom.bytes(4))
        var isWhole = true
        for service in Service.allCases {
            let streams = wanted.filter { $0.keeper == service }
            guard !streams.isEmpty else { continue }
            var configuration = Bus.Configuration(name: name)
            configuration.peers = [
                Bus.Peer(
                    name: service.rawValue,
                    publishEndpoint: "tcp://127.0.0.1:\(ports.publisher(service))",
                    controlEndpoint: "tcp://127.0.0.1:\(ports.router(service))", streams: [])
            ]
            let transport = try ZeroMQTransport(configuration)
            for stream in streams {
                isWhole = try check(stream, name, transport, ports, call) && isWhole
            }
            transport.close()
        }
        return isWhole ? 0 : 1
    }

    /// Checks one stream and tells of it.
    private static func check(
        _ stream: StreamName, _ name: String, _ transport: ZeroMQTransport, _ ports: Ports,
        _ call: Call
    ) throws -> Bool {
        let clock = SystemClock()
        var check = ChainCheck(stream, name: name)
        var asked: Duration?
        var heard = Duration.zero
        while check.outcome == nil {
            if asked.map({ clock.monotonic - $0 >= patience }) != false {
                if transport.ask(check.question, of: 0) { asked = clock.monotonic }
            }
            guard clock.monotonic - heard < patienceMax else {
                throw CommandError(
                    "\(stream) is not heard of",
                    hint: "does Jaga run here, with --port-base \(ports.base)?")
            }
            Loop.wait(on: [transport], atMost: asked == nil ? 20 : 250)
            while let arrival = transport.next() {
                guard case .answered(_, let frame) = arrival, check.take(frame) else { continue }
                heard = clock.monotonic
                asked = nil
            }
        }
        tell(check, seconds: clock.monotonic.seconds, call)
        return check.outcome == .whole
    }

    private static func tell(_ check: ChainCheck, seconds: Double, _ call: Call) {
        let rate = Int(Double(check.records) / max(seconds, 0.001))
        var verdict = "OK"
        var broken: Int64?
        if case .broken(let sequence, let reason) = check.outcome {
            verdict = "BROKEN at \(sequence): \(reason)"
            broken = Int64(clamping: sequence)
        }
        if call.has("--json") {
            let line: JSON = [
                "stream": .string(check.stream.text), "whole": .bool(broken == nil),
                "records": .integer(Int64(clamping: check.records)),
                "bytes": .integer(Int64(clamping: check.bytes)),
                "brokenAt": broken.map { .integer($0) } ?? .null,
                "head": .integer(Int64(clamping: check.position?.sequence ?? 0)),
            ]
            return Console.say(line.text)
        }
        // Streams without a record say nothing, unless they were asked for.
        guard check.records > 0 || broken != nil || call.parameters.count > 1 else { return }
        Console.say(
            "\(check.stream): \(check.records) records, \(StreamsReport.size(Int(check.bytes))), "
                + "\(rate)/s: \(verdict)")
    }
}

extension StreamName {
    /// The service that keeps it.
    fileprivate var keeper: Service {
        switch self {
        case .input, .events, .sos: .ingest
        case .directory: .membership
        case .fired: .timer
        case .deliveries: .notifier
        }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
