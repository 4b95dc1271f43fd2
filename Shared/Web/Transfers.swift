import Model
import Runtime

/// Calls to the outside, HTTP and mail, in the loop of their service.
///
/// Lanes share nothing: an emergency's call waits behind no other lane's connection, queue or
/// limit. Every transfer that was started ends in exactly one result, unless ``stop()`` comes
/// before. Not thread-safe: everything happens on the thread of the loop.
public final class Transfers: Pollable {
    private let engines: [LaneEngine]

    public init(limits: TransferLimits = TransferLimits()) {
        engines = Lane.allCases.map { _ in LaneEngine(limits: limits) }
    }

    public func appendPollItems(to items: inout [PollItem]) {
        for engine in engines { items.append(PollItem(descriptor: engine.descriptor)) }
    }

    public var waitMilliseconds: Int? { engines.compactMap(\.waitMilliseconds).min() }

    /// Transfers of a lane that were started and are not finished.
    public func openCount(_ lane: Lane) -> Int { engine(of: lane).openCount }

    /// Begins a transfer, or lets it wait for its turn in its lane.
    ///
    /// A lane that is full (``TransferLimits/waiting``) fails it at once, as not sent.
    public func start(_ transfer: Transfer) { engine(of: transfer.lane).start(transfer) }

    /// Moves what is ready.
    ///
    /// - Returns: what ended since the last time, in the order of the ends.
    public func drain() -> [TransferResult] { engines.flatMap { $0.drain() } }

    /// What came by now of the body of an HTTP call's answer with status 200, while it goes on: for
    /// answers without an end. It is in no result then, and does not count for the call's limit.
    public func takeBody(of token: UInt64) -> [UInt8] {
        engines.flatMap { $0.takeBody(of: token) }
    }

    /// Gives up everything that is under way, without results.
    public func stop() {
        for engine in engines { engine.stop() }
    }

    /// Runs one transfer and waits for its end. For programs that have nothing else to do.
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
