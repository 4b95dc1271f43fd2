import Foundation
import Model
import Runtime
import Testing
import Wire

@testable import Bus

@Suite struct `A peer that sends more than is read` {
    /// In a process of its own: what is tested ended it.
    @Test func `ends no process when it goes away`() async throws {
        await #expect(processExitsWith: .success) {
            let net = try Guarded()
            let ingest = try net.ingest()
            for _ in 0..<3 {
                let rogue = try net.rawAsker(of: ingest, .evaluator)
                let question = Control.join(member: SecureRandom.id(), logic: 1...1).encoded()
                // Ingest admits it, and is then busy with something else.
                try net.run(until: { rogue.ask(question, of: 0) })
                for _ in 0..<200 {
                    for _ in 0..<100 { _ = rogue.ask(question, of: 0) }
                    usleep(2000)
                }
                rogue.close()
                // Longer than the interval of heartbeats.
                usleep(1_500_000)
                try net.run(for: .milliseconds(200))
            }
        }
    }

    @Test func `does not keep the questions of others waiting`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let rogue = try net.rawAsker(of: ingest, .evaluator)
        let honest = try net.rawAsker(of: ingest, .notifier)
        var asked: [BusRole] = []
        ingest.bus.hooks.coordinate = { _, route in asked.append(route.role ?? .operator) }
        let join = Control.join(member: SecureRandom.id(), logic: 1...1).encoded()
        try net.run(until: { rogue.ask(join, of: 0) && !asked.isEmpty })
        var sent = 0
        for _ in 0..<100 {
            for _ in 0..<1000 where rogue.ask(join, of: 0) { sent += 1 }
            usleep(1000)
        }
        #expect(sent > 5000)
        var isAnswered = false
        try net.run(until: { honest.ask(Control.headsWanted.encoded(), of: 0) })
        asked = []
        try net.run(until: {
            while let arrival = honest.next() {
                if case .answered = arrival { isAnswered = true }
            }
            return isAnswered
        })
        #expect(asked.count <= 2 * BusLimits.framesPerTurn, "\(asked.count) questions before it")
    }

    @Test func `who is stopped and sends nothing any more is noticed`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let notifier = try net.follower(
            "notifier", of: ingest, [.sos], security: net.security(.notifier))
        try net.run(until: { notifier.bus.isCaughtUp && ingest.bus.silentPeers.isEmpty })
        // Its loop and its thread of ZeroMQ stand still for the notifier.
        let began = ContinuousClock.now
        while notifier.bus.silentPeers.isEmpty, ContinuousClock.now - began < .seconds(10) {
            try notifier.turn()
            usleep(10_000)
        }
        let elapsed = ContinuousClock.now - began
        #expect(!notifier.bus.silentPeers.isEmpty)
        #expect(elapsed < .seconds(3), "\(elapsed)")
    }
}

@Suite struct `A receive queue` {
    private static let limits = ReceiveQueue.Limits(
        messagesPerSender: 3, bytesPerSender: 100, bytes: 150)

    private static func message(_ size: Int) -> ZeroMQSocket.Message {
        ZeroMQSocket.Message(frames: [[UInt8](repeating: 0, count: size)])
    }

    /// Adds a message if it may be added.
    private static func add(_ size: Int, from sender: Int32, to queue: inout ReceiveQueue) -> Bool {
        guard queue.admits(from: sender, bytes: size) else { return false }
        queue.append(message(size), from: sender)
        return true
    }

    @Test func `gives one message of each sender in turn`() {
        var queue = ReceiveQueue(Self.limits)
        for (size, sender) in [(1, 7), (2, 7), (3, 7), (4, 8), (5, 9), (6, 8)] as [(Int, Int32)] {
            #expect(Self.add(size, from: sender, to: &queue))
        }
        var sizes: [Int] = []
        while let message = queue.popFirst() { sizes.append(message.byteCount) }
        #expect(sizes == [1, 4, 5, 2, 6, 3])
        #expect(queue.isEmpty)
    }

    @Test func `is bounded for each sender, and in all but for a first message`() {
        var queue = ReceiveQueue(Self.limits)
        #expect((0..<5).map { _ in Self.add(1, from: 7, to: &queue) }.count { $0 } == 3)
        #expect(Self.add(60, from: 8, to: &queue))
        #expect(!Self.add(60, from: 8, to: &queue), "more than 100 of one sender")
        #expect(Self.add(80, from: 9, to: &queue))
        #expect(!Self.add(10, from: 9, to: &queue), "more than 150 in all")
        #expect(Self.add(90, from: 10, to: &queue), "nothing of it waits")
        while queue.popFirst() != nil {}
        #expect(Self.add(100, from: 9, to: &queue), "there is room again")
    }
}
