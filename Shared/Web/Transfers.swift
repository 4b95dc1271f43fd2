import Runtime

/// Calls to the outside, HTTP and mail, in the loop of their service.
public final class Transfers: Pollable {
    public init(limits: TransferLimits = TransferLimits()) {}

    public var waitMilliseconds: Int? { nil }
    public func appendPollItems(to items: inout [PollItem]) {}
    /// Begins a transfer, or lets it wait for its turn in its lane.
    public func start(_ transfer: Transfer) {}
    /// Moves what is ready; returns what ended.
    public func drain() -> [TransferResult] { [] }
    /// Gives up everything without a result.
    public func stop() {}
}
