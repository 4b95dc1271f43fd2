import Runtime
import Web

/// Where requests come in and their answers go out.
public protocol Door: Pollable {
    /// Where it is found.
    var port: Int { get }
    /// Requests that are complete; each is to be answered once, in this turn or a later one.
    func drain() -> [Request]
    /// Gives a request its answer, which leaves with ``flush()``; an id that nobody waits for is
    /// ignored.
    func answer(_ id: UInt64, _ response: Response)
    /// Gives a request its answer piece by piece.
    func stream(_ id: UInt64, _ step: StreamStep)
    /// Bytes of such an answer that could not be sent yet; nil = the client is gone, or has all.
    func unsentBytes(of id: UInt64) -> Int?
    /// Lets the service say whose large bodies it reads gladly, by the header alone.
    func identifySenders(_ isKnown: @escaping (Request) -> Bool)
    /// Sends what was answered.
    func flush()
    /// Answers what waits with 503 and closes.
    func stop()
}

/// Carries calls to the outside, and brings back what became of each.
public protocol Courier: Pollable {
    /// Begins a transfer; it ends in exactly one result, unless ``stop()`` comes before.
    func start(_ transfer: Transfer)
    /// What ended since the last time.
    func drain() -> [TransferResult]
    /// Gives up everything that is under way, without results.
    func stop()
}

extension Server: Door {}

extension Door {
    /// A door whose requests are always whole asks nobody.
    public func identifySenders(_ isKnown: @escaping (Request) -> Bool) {}
}
extension Transfers: Courier {}
