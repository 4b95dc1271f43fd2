import Runtime
import TestSupport
import Testing
import Web

@testable import Gateways

/// Sends messages through a driver and receives its callbacks, as the notifier does.
final class GatewayHarness {
    var driver: GatewayDriver
    private let transfers = Transfers()
    private let server: Server
    private var results: [TransferResult] = []
    /// Delivery reports received by callback, oldest first.
    private(set) var receipts: [GatewayReceipt] = []
    /// Incoming texts, oldest first.
    private(set) var replies: [GatewayReply] = []
    /// Paths of all received callbacks.
    private(set) var callbackPaths: Set<String> = []

    init(_ make: (_ callbackBase: String) throws -> GatewayDriver) throws {
        server = try Server(port: 0)
        driver = try make("http://127.0.0.1:\(server.port)")
    }

    deinit {
        transfers.stop()
        server.stop()
    }

    /// Waits up to 50 ms and handles all ready results and callbacks.
    func turn() {
        Loop.wait(on: [transfers, server], atMost: 50)
        results += transfers.drain()
        for request in server.drain() {
            callbackPaths.insert(request.path)
            if request.path.hasPrefix("/v1/replies/") {
                replies += driver.reply(of: request).map { [$0] } ?? []
            } else if let receipt = driver.receipt(of: request) {
                receipts.append(receipt)
            }
            server.answer(request.id, Response(status: 200))
        }
        server.flush()
    }

    /// Runs turns until a condition holds, at most 30 s.
    func run(
        until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while !condition(), clock.now < end { turn() }
        #expect(condition(), sourceLocation: sourceLocation)
    }

    func send(_ message: GatewayMessage) throws -> GatewayAnswer {
        switch driver.prepare(message, token: 1, lane: .safety) {
        case .ended(let answer): return answer
        case .transfer(let transfer):
            let count = results.count
            transfers.start(transfer)
            run(until: { results.count > count })
            return driver.answer(to: try #require(results.last).outcome)
        }
    }
}

/// A driver for a shipped kind of gateway.
func driver(
    _ kind: String, url: String, user: String, password: String, sender: String = "",
    callbackBase: String, timeoutMilliseconds: Int = 10_000
) throws -> GatewayDriver {
    let account = HTTPGateway.Account(
        url: url, login: Login(user: user, password: password), sender: sender,
        callbackBase: callbackBase, timeoutMilliseconds: timeoutMilliseconds)
    return GatewayDriver(
        name: kind, channels: [.sms],
        kind: .http(
            HTTPGateway(
                description: try GatewaySettings.description(of: kind), account: account)))
}
