import Model
import Runtime
import Web

/// Performs what ``Heartbeat`` decides, if one is configured.
final class HeartbeatRunner {
    private let host: any NotifierHost
    /// Nil if not configured.
    var heartbeat: Heartbeat?

    init(_ host: any NotifierHost, _ heartbeat: Heartbeat?) {
        self.host = host
        self.heartbeat = heartbeat
    }

    var nextRound: Timestamp? { heartbeat?.nextRound }

    /// Starts a round if it is due.
    func tick() throws {
        guard let canary = heartbeat?.beginRound(at: host.now, log: host.log) else { return }
        try host.publish(canary, on: .deliveries)
        startTransfers()
    }

    func canaryReturned(_ canary: DeadlineID) {
        heartbeat?.canaryReturned(canary, at: host.now)
        startTransfers()
    }

    /// Handles the end of a transfer.
    ///
    /// - Returns: whether it belongs to the heartbeat
    func transferCompleted(_ result: TransferResult) -> Bool {
        guard heartbeat?.handle(result, at: host.now, log: host.log) == true else { return false }
        startTransfers()
        return true
    }

    /// Abandons the round of a rolled-back turn.
    func reload() { heartbeat?.abandonRound() }

    private func startTransfers() {
        for transfer in heartbeat?.popTransfers() ?? [] { host.start(transfer) }
    }
}
