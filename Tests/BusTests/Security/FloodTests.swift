import Foundation
import Model
import Runtime
import Testing
import Wire

@testable import Bus

@Suite struct `A peer that sends more than is read` {
    /// Runs in its own process, which a failure would end.
    @Test func `ends no process when it disconnects`() async throws {
        await #expect(processExitsWith: .success) {
            let net = try Guarded()
            let ingest = try net.ingest()
            for _ in 0..<3 {
                let rogue = try net.rawAsker(of: ingest, .evaluator)
                let request = Control.join(member: SecureRandom.id(), logic: 1...1).encoded()
                // Ingest accepts it, and is then busy.
                try net.run(until: { rogue.sendRequest(request, to: 0) })
                for _ in 0..<200 {
                    for _ in 0..<100 { _ = rogue.sendRequest(request, to: 0) }
                    usleep(2000)
                }
                rogue.close()
                // Longer than the heartbeat interval.
                usleep(1_500_000)
                try net.run(for: .milliseconds(200))
            }
        }
    }

    @Test func `does not delay the requests of others`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let rogue = try net.rawAsker(of: ingest, .evaluator)
        let honest = try net.rawAsker(of: ingest, .notifier)
        var received: [BusRole] = []
        ingest.bus.hooks.coordinate = { _, route in received.append(route.role ?? .operator) }
        let join = Control.join(member: SecureRandom.id(), logic: 1...1).encoded()
        try net.run(until: { rogue.sendRequest(join, to: 0) && !received.isEmpty })
        var sent = 0
        for _ in 0..<100 {
            for _ in 0..<1000 where rogue.sendRequest(join, to: 0) { sent += 1 }
            usleep(1000)
        }
        #expect(sent > 5000)
        var isReplied = false
        try net.run(until: { honest.sendRequest(Control.headsRequest.encoded(), to: 0) })
        received = []
        try net.run(until: {
            while let event = honest.next() {
                if case .replied = event { isReplied = true }
            }
            return isReplied
        })
        #expect(
            received.count <= 2 * BusLimits.framesPerTurn, "\(received.count) requests before it")
    }

    @Test
    func `gets a bounded number of connections with the evaluators' key, and services find room`()
        throws
    {
        _ = OpenFiles.raise()
        let net = try Guarded()
        let ingest = try net.ingest()
        let endpoint = try #require(ingest.bus.endpoints.control)
        let context = try ZeroMQContext()
        func dealer(_ role: BusRole) throws -> ZeroMQSocket {
            let security = try net.security(role)
            let socket = try ZeroMQSocket(.dealer, in: context)
            socket.use(security.own, towards: try security.publicKey(of: "ingest"))
            try socket.connect(to: endpoint)
            return socket
        }
        let request = Control.headsRequest.encoded()
        let rogues = try (0..<BusLimits.connectionsMax + 44).map { _ in try dealer(.evaluator) }
        try net.run(until: {
            ingest.reasons.contains(.tooManyConnections(.evaluator))
        })
        // Rejected ones connect again while there is room.
        var admitted = 0
        try net.run(until: {
            admitted = rogues.count { $0.send(request) }
            return admitted > BusLimits.connectionsMax / 2
        })
        try net.run(for: .seconds(2))
        admitted = rogues.count { $0.send(request) }
        #expect(admitted <= BusLimits.connectionsMax, "\(admitted) connections")
        let honest = try dealer(.notifier)
        try net.run(until: { honest.send(request) })
        try net.run(until: { honest.receive() != nil })
    }

    @Test func `of one frame above the limit is disconnected before it is in memory`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let rogue = try net.rawAsker(of: ingest, .evaluator)
        let honest = try net.rawAsker(of: ingest, .notifier)
        let long = [UInt8](repeating: 0, count: BusLimits.boundFrameBytesMax + 1)
        try net.run(until: { rogue.sendRequest(long, to: 0) })
        try net.run(for: .milliseconds(300))
        #expect(ingest.bus.counters.framesRejected == 0, "it was never received")
        let slightly = [UInt8](repeating: 0, count: WireLimits.frameBytesMax + 1)
        try net.run(until: { rogue.sendRequest(slightly, to: 0) })
        try net.run(until: { ingest.bus.counters.framesRejected > 0 })
        var isReplied = false
        try net.run(until: { honest.sendRequest(Control.headsRequest.encoded(), to: 0) })
        try net.run(until: {
            while let event = honest.next() {
                if case .replied = event { isReplied = true }
            }
            return isReplied
        })
    }

    @Test func `that is suspended is detected`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let notifier = try net.follower(
            "notifier", of: ingest, [.sos], security: net.security(.notifier))
        try net.run(until: { notifier.bus.isCaughtUp && ingest.bus.disconnectedPeers.isEmpty })
        // Its loop and its ZeroMQ thread are suspended for the notifier.
        let began = ContinuousClock.now
        while notifier.bus.disconnectedPeers.isEmpty, ContinuousClock.now - began < .seconds(10) {
            try notifier.turn()
            usleep(10_000)
        }
        let elapsed = ContinuousClock.now - began
        #expect(!notifier.bus.disconnectedPeers.isEmpty)
        #expect(elapsed < .seconds(3), "\(elapsed)")
    }
}

@Suite struct `A receive queue` {
    private static let limits = ReceiveQueue.Limits(
        messagesPerSender: 3, bytesPerSender: 100, bytes: 150)

    private static func message(_ size: Int) -> ZeroMQSocket.Message {
        ZeroMQSocket.Message(frames: [[UInt8](repeating: 0, count: size)])
    }

    /// Appends a message if it is within the bounds.
    private static func add(_ size: Int, from sender: Int32, to queue: inout ReceiveQueue) -> Bool {
        guard queue.admits(from: sender, bytes: size) else { return false }
        queue.append(message(size), from: sender)
        return true
    }

    @Test func `pops one message of each sender in turn`() {
        var queue = ReceiveQueue(Self.limits)
        for (size, sender) in [(1, 7), (2, 7), (3, 7), (4, 8), (5, 9), (6, 8)] as [(Int, Int32)] {
            #expect(Self.add(size, from: sender, to: &queue))
        }
        var sizes: [Int] = []
        while let message = queue.popFirst() { sizes.append(message.byteCount) }
        #expect(sizes == [1, 4, 5, 2, 6, 3])
        #expect(queue.isEmpty)
    }

    @Test func `is bounded per sender, and in total except for a first message`() {
        var queue = ReceiveQueue(Self.limits)
        #expect((0..<5).map { _ in Self.add(1, from: 7, to: &queue) }.count { $0 } == 3)
        #expect(Self.add(60, from: 8, to: &queue))
        #expect(!Self.add(60, from: 8, to: &queue), "more than 100 of one sender")
        #expect(Self.add(80, from: 9, to: &queue))
        #expect(!Self.add(10, from: 9, to: &queue), "more than 150 in total")
        #expect(Self.add(90, from: 10, to: &queue), "first message of its sender")
        while queue.popFirst() != nil {}
        #expect(Self.add(100, from: 9, to: &queue), "there is room again")
    }
}
