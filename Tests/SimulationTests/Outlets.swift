import Hosting
import Runtime
import Web

/// The HTTP server of a simulated process.
final class SimulatedHTTPServer: HTTPServer {
    typealias Answered = (Response) -> Void

    private let gate: OutputGate
    private var arrived: [Request] = []
    private var waiting: [UInt64: Answered] = [:]
    private var answered: [(Answered, Response)] = []

    let port = 0

    init(gate: OutputGate) { self.gate = gate }

    /// Adds a request; the closure receives the response.
    func arrive(_ request: Request, answered: @escaping Answered) {
        arrived.append(request)
        waiting[request.id] = answered
    }

    func drain() -> [Request] {
        defer { arrived = [] }
        return arrived
    }

    func answer(_ id: UInt64, _ response: Response) {
        guard let found = waiting.removeValue(forKey: id) else { return }
        answered.append((found, response))
    }

    /// The simulation requests no streamed responses.
    func stream(_ id: UInt64, _ step: StreamStep) {}
    func unsentBytes(of id: UInt64) -> Int? { nil }

    func flush() {
        for (handle, response) in answered where gate.admitsNext() { handle(response) }
        answered = []
    }

    func stop() {}
    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { arrived.isEmpty ? nil : 0 }
}

/// The HTTP client of a simulated process, for gateways.
final class SimulatedHTTPClient: HTTPClient {
    private let gate: OutputGate
    private let carrier: Carrier
    private var ended: [TransferResult] = []
    private var isOpen = true
    /// Called when a transfer has ended.
    var wake: () -> Void = {}

    init(carrier: Carrier, gate: OutputGate) {
        self.carrier = carrier
        self.gate = gate
    }

    func start(_ transfer: Transfer) {
        guard gate.admitsNext() else { return }
        carrier.accept(transfer) { [weak self] outcome in
            guard let self, isOpen else { return }
            ended.append(TransferResult(token: transfer.token, outcome: outcome, elapsed: .zero))
            wake()
        }
    }

    func drain() -> [TransferResult] {
        defer { ended = [] }
        return ended
    }

    func stop() { isOpen = false }
    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { ended.isEmpty ? nil : 0 }
}
