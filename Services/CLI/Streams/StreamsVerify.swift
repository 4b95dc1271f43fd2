import Bus
import Hashing
import Hosting
import Model
import Parsing
import Runtime
import Wire

// `jaga streams verify`: reads chains over the bus, one after the other.
extension Streams {
    /// How long to wait for a response before the request is repeated.
    private static let retryInterval = Duration.seconds(2)
    /// How long to wait for a response in all.
    private static let timeout = Duration.seconds(10)

    static func verify(_ call: Call, stream text: String?) throws -> Int32 {
        var wanted = StreamName.all
        if let text {
            guard let stream = StreamName(text: text) else {
                throw CommandError.usage(
                    "STREAM must be such as in/17, events/3 or sos, not \(text)", syntax)
            }
            wanted = [stream]
        }
        let settings = try call.configuration(CommonSettings.network)
        let topology = Topology(settings)
        var configuration = Bus.Configuration(
            name: "verify-" + Hex.encode(SecureRandom.bytes(4)))
        configuration.security = try BusSecurity.read(settings, role: .operator)
        var isWhole = true
        for keeper in ServiceName.keepers {
            let streams = wanted.filter(keeper.served.contains)
            guard !streams.isEmpty else { continue }
            let peer = Bus.Peer(keeper, in: topology, streams: [])
            configuration.peers = [peer]
            let transport = try ZeroMQTransport(configuration)
            for stream in streams {
                let (check, seconds) = try check(stream, configuration.name, transport, peer)
                isWhole = check.outcome == .whole && isWhole
                print(check, seconds: seconds, call)
            }
            transport.close()
        }
        return isWhole ? 0 : 1
    }

    /// Checks one stream.
    ///
    /// - Returns: the check and its duration
    private static func check(
        _ stream: StreamName, _ name: String, _ transport: ZeroMQTransport, _ peer: Bus.Peer
    ) throws -> (check: ChainCheck, seconds: Double) {
        let clock = SystemClock()
        var check = ChainCheck(stream, name: name)
        var requested: Duration?
        var lastReceived: Duration?
        while check.outcome == nil {
            if requested.map({ clock.monotonic - $0 >= retryInterval }) != false {
                if transport.sendRequest(check.request, to: 0) { requested = clock.monotonic }
            }
            let waited = clock.monotonic - (lastReceived ?? .zero)
            guard waited < (lastReceived == nil ? NoAnswer.timeout : timeout) else {
                throw NoAnswer.error(of: [peer])
            }
            Loop.wait(on: [transport], atMost: requested == nil ? 20 : 250)
            while let arrival = transport.next() {
                guard case .replied(_, let frame) = arrival, check.receive(frame) else { continue }
                lastReceived = clock.monotonic
                requested = nil
            }
        }
        return (check, clock.monotonic.seconds)
    }

    private static func print(_ check: ChainCheck, seconds: Double, _ call: Call) {
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
            return Console.print(line.text)
        }
        // Empty streams are shown only if they were named.
        guard check.records > 0 || broken != nil || call.parameters.count > 1 else { return }
        Console.print(
            "\(check.stream): \(check.records) records, \(StreamsReport.size(Int(check.bytes))), "
                + "\(rate)/s: \(verdict)")
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
