import Model
import Runtime

/// HTTP and mail client in the loop of its service.
///
/// Lanes share nothing: transfers of an emergency never wait for a connection, queue or limit of
/// another lane. Every started transfer ends with exactly one result, unless ``stop()`` is called
/// before. Not thread-safe: everything runs on the thread of the loop.
public final class Transfers: Pollable {
    private let engines: [LaneEngine]

    public init(limits: TransferLimits = TransferLimits()) {
        engines = Lane.allCases.map { _ in LaneEngine(limits: limits) }
    }

    public func appendPollItems(to items: inout [PollItem]) {
        for engine in engines { items.append(PollItem(descriptor: engine.descriptor)) }
    }

    public var waitMilliseconds: Int? { engines.compactMap(\.waitMilliseconds).min() }

    /// Number of unfinished transfers of a lane.
    public func openCount(_ lane: Lane) -> Int { engine(of: lane).openCount }

    /// Starts a transfer, or queues it in its lane.
    ///
    /// If the queue is full (``TransferLimits/waiting``), the transfer fails at once as not sent.
    public func start(_ transfer: Transfer) { engine(of: transfer.lane).start(transfer) }

    /// Reads and writes whatever is ready.
    ///
    /// - Returns: the results since the last call, in order
    public func drain() -> [TransferResult] { engines.flatMap { $0.drain() } }

    /// Returns and removes the received part of a running response with status 200, for streamed
    /// responses. This part is not in the result and does not count against the call's limit.
    public func drainBody(of token: UInt64) -> [UInt8] {
        engines.flatMap { $0.drainBody(of: token) }
    }

    /// Aborts all transfers, without results.
    public func stop() {
        for engine in engines { engine.stop() }
    }

    /// Runs one transfer and blocks until its end. For programs without a loop.
    public static func run(_ transfer: Transfer) -> TransferResult {
        let transfers = Transfers()
        defer { transfers.stop() }
        transfers.start(transfer)
        while true {
            if let result = transfers.drain().first { return result }
            Loop.wait(on: [transfers], atMost: 1000)
        }
    }

    private func engine(of lane: Lane) -> LaneEngine {
        engines[lane == .safety ? 0 : 1]
    }
}
