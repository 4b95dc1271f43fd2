import Hosting
import Runtime
import Web

/// The HTTP door of a simulated process.
final class SimulatedDoor: Door {
    typealias Answered = (Response) -> Void

    private let mouth: Mouth
    private var arrived: [Request] = []
    private var waiting: [UInt64: Answered] = [:]
    private var answered: [(Answered, Response)] = []

    let port = 0

    init(mouth: Mouth) { self.mouth = mouth }

    /// A request has come; its answer goes to the closure.
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

    /// Nobody here asks for anything that comes piece by piece.
    func stream(_ id: UInt64, _ step: StreamStep) {}
    func unsentBytes(of id: UInt64) -> Int? { nil }

    func flush() {
        for (tell, response) in answered where mouth.speaks() { tell(response) }
        answered = []
    }

    func stop() {}
    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { arrived.isEmpty ? nil : 0 }
}

/// The way of a simulated process to gateways.
final class SimulatedCourier: Courier {
    private let mouth: Mouth
    private let carrier: Carrier
    private var ended: [TransferResult] = []
    private var isOpen = true
    /// Called when a transfer has ended.
    var wake: () -> Void = {}

    init(carrier: Carrier, mouth: Mouth) {
        self.carrier = carrier
        self.mouth = mouth
    }

    func start(_ transfer: Transfer) {
        guard mouth.speaks() else { return }
        carrier.take(transfer) { [weak self] outcome in
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
