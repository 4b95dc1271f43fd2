import Foundation
import Hashing
import Model
import Runtime
import Testing
import Wire

@testable import Bus

@Suite struct `Streams with keys` {
    @Test func `reach all permitted roles, once and in order`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let evaluator = try net.follower(
            "evaluator", of: ingest, [.input(1)], computes: [.events(1)],
            security: net.security(.evaluator))
        evaluator.onApply = { bus, stream, record in
            try bus.append(Node.record(.events(1), bus.end(of: .events(1)) + 1), to: .events(1))
        }
        let notifier = try net.follower(
            "notifier", of: ingest, [.events(1), .sos], security: net.security(.notifier))
        let onlooker = try net.follower(
            "tail-1", of: ingest, [.input(1), .events(1), .sos], security: net.security(.operator)
        ) { $0.acknowledges = false }
        try ingest.append(50, to: .input(1))
        try ingest.append(5, to: .sos)
        try net.run(until: {
            onlooker.has(.events(1)).count == 50 && notifier.has(.events(1)).count == 50
                && ingest.bus.acknowledged(.events(1), by: "notifier") == 50
                && ingest.bus.acknowledged(.input(1), by: "evaluator") == 50
                && onlooker.has(.sos).count == 5 && notifier.has(.sos).count == 5
                && onlooker.has(.input(1)).count == 50
        })
        for party in [evaluator, notifier, onlooker] {
            for (stream, applied) in party.applied {
                #expect(applied == Array(1...UInt64(applied.count)), "\(stream)")
            }
        }
        #expect(net.parties.allSatisfy { $0.bus.counters.peersRejected == 0 })
        #expect(net.parties.flatMap(\.rejections).isEmpty)
    }

    @Test func `continue after their publisher was restarted`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let notifier = try net.follower(
            "notifier", of: ingest, [.sos], security: net.security(.notifier))
        for round in 1...3 {
            try ingest.append(10, to: .sos)
            try net.run(until: { notifier.has(.sos).count == 10 * round })
            try ingest.restart()
        }
        #expect(notifier.has(.sos) == Array(1...30))
        #expect(net.parties.flatMap(\.rejections).isEmpty)
    }

    /// Runs in its own process, where nothing else opens files.
    @Test func `leave no descriptors open of replaced connections`() async throws {
        await #expect(processExitsWith: .success) {
            func openFiles() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            let net = try Guarded()
            let asker = try net.rawAsker(of: net.ingest(), .notifier)
            try net.run(for: .milliseconds(200))
            let before = try openFiles()
            for _ in 0..<100 {
                asker.reconnect(to: 0)
                try net.run(for: .milliseconds(5))
            }
            // The last ones are closed by a ZeroMQ thread; a leak would be hundreds.
            try net.run(until: { try openFiles() < before + 50 })
        }
    }

    @Test func `accept an old key beside the new one`() throws {
        let net = try Guarded()
        let old = try CurveKeyPair.generate()
        let ingest = try net.ingest {
            $0.security = try net.security(.ingest, old: [.notifier: old.publicKey])
        }
        try ingest.append(3, to: .sos)
        let parties = try [
            net.follower(
                "notifier", of: ingest, [.sos], security: net.security(.notifier, own: old)),
            net.follower("notifier", of: ingest, [.sos], security: net.security(.notifier)),
        ]
        try net.run(until: { parties.allSatisfy { $0.has(.sos).count == 3 } })
    }

    @Test func `are rejected beyond loopback without keys`() throws {
        var configuration = Bus.Configuration(name: "notifier")
        configuration.publishEndpoint = "tcp://0.0.0.0:*"
        let bound = #expect(throws: BusError.self) { try ZeroMQTransport(configuration) }
        #expect(bound?.code == "unprotected")
        configuration.publishEndpoint = nil
        configuration.peers = [
            Bus.Peer(
                name: "ingest", publishEndpoint: "tcp://192.0.2.1:8201",
                controlEndpoint: "tcp://192.0.2.1:8301", streams: [.sos])
        ]
        let connected = #expect(throws: BusError.self) { try ZeroMQTransport(configuration) }
        #expect(connected?.code == "unprotected")
    }
}

@Suite struct `A peer without the right key` {
    /// A fault, and how each side reports it.
    enum Case: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case stranger, noKeys, keysToWhoHasNone, wrongServerKey

        var testDescription: String { rawValue }
    }

    @Test(arguments: Case.allCases)
    func `is rejected, and both sides report it once`(wrong: Case) throws {
        let net = try Guarded()
        let ingest = try net.ingest {
            if wrong == .keysToWhoHasNone { $0.security = nil }
        }
        try ingest.append(10, to: .sos)
        let stranger = try CurveKeyPair.generate()
        let security: BusSecurity? =
            switch wrong {
            case .stranger: try net.security(.notifier, own: stranger)
            case .noKeys: nil
            case .keysToWhoHasNone: try net.security(.notifier)
            case .wrongServerKey: try net.security(.notifier, server: stranger.publicKey)
            }
        let notifier = try net.follower("notifier", of: ingest, [.sos], security: security)
        try net.run(until: {
            ingest.bus.counters.peersRejected >= 4 && notifier.bus.counters.peersRejected >= 4
        })
        let theirs: PeerRejection.Reason =
            switch wrong {
            case .stranger: .unknownKey(fingerprint: stranger.publicKey.fingerprint)
            case .noKeys, .keysToWhoHasNone: .mechanism
            case .wrongServerKey: .foreignServerKey
            }
        // The side that reads the other's greeting later may only see the connection close.
        #expect(ingest.reasons.filter { $0 != .interrupted } == [theirs])
        #expect(
            ingest.rejections.allSatisfy { $0.rejection.address == "127.0.0.1" && $0.count == 1 })
        let ours: Set<PeerRejection.Reason> =
            switch wrong {
            case .stranger: [.rejected]
            case .noKeys, .keysToWhoHasNone: [.mechanism, .interrupted]
            case .wrongServerKey: [.interrupted]
            }
        #expect(!notifier.reasons.isEmpty)
        #expect(Set(notifier.reasons).isSubset(of: ours), "\(notifier.notices)")
        #expect(notifier.rejections.allSatisfy { $0.rejection.isOurs && $0.count == 1 })
        #expect(notifier.applied.isEmpty && notifier.bus.lags.map(\.head) == [0])
        let metrics = Metrics()
        ingest.bus.writeMetrics(metrics)
        let total = ingest.bus.counters.peersRejected
        #expect(metrics.render().contains("jaga_bus_peers_rejected_total \(total)\n"))
    }

    @Test func `is accepted once the keys are right`() throws {
        let net = try Guarded()
        let ingest = try net.ingest { $0.security = nil }
        try ingest.append(10, to: .sos)
        let notifier = try net.follower(
            "notifier", of: ingest, [.sos], security: net.security(.notifier))
        try net.run(until: { notifier.bus.counters.peersRejected > 0 })
        try ingest.restart { $0.security = try net.security(.ingest) }
        try net.run(until: { notifier.has(.sos).count == 10 })
    }
}

@Suite struct `A role that may not` {
    @Test func `derive streams cannot propose records`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        let timer = try net.follower(
            "timer", of: ingest, [.sos], computes: [.events(1)], security: net.security(.timer))
        try net.run(until: { timer.bus.isCaughtUp(.sos) })
        try timer.append(3, to: .events(1))
        try net.run(until: { ingest.reasons.contains(.forbidden(.timer, "connect to proposals")) })
        try net.run(for: .seconds(1))
        #expect(ingest.bus.end(of: .events(1)) == 0)
        #expect(ingest.reasons == [.forbidden(.timer, "connect to proposals")])
        #expect(ingest.bus.counters.peersRejected >= 1)
    }

    @Test func `read inputs cannot subscribe to them or request them`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        try ingest.append(10, to: .input(1))
        let notifier = try net.follower(
            "notifier", of: ingest, [.input(1), .sos], security: net.security(.notifier))
        let wanted: [PeerRejection.Reason] = [
            .forbidden(.notifier, "connect to inputs"), .forbidden(.notifier, "read in/1"),
        ]
        try net.run(until: { wanted.allSatisfy(ingest.reasons.contains) })
        try ingest.append(10, to: .input(1))
        try net.run(for: .seconds(1))
        #expect(notifier.has(.input(1)).isEmpty)
        #expect(ingest.reasons.count == 2, "one notice each")
    }

    @Test func `read any stream of a publisher cannot connect to it`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        try ingest.append(10, to: .input(1))
        let membership = try net.follower(
            "membership", of: ingest, [.input(1)], security: net.security(.membership))
        let wanted: [PeerRejection.Reason] = [
            .forbidden(.membership, "connect to inputs"),
            .forbidden(.membership, "connect to requests"),
        ]
        try net.run(until: { wanted.allSatisfy(ingest.reasons.contains) })
        #expect(membership.applied.isEmpty && membership.bus.lags.map(\.head) == [0])
        #expect(ingest.reasons.count == 2, "one notice each")
    }

    @Test func `write, such as the operator, can only observe`() throws {
        let net = try Guarded()
        let ingest = try net.ingest()
        try ingest.append(4, to: .sos)
        var received: [Control] = []
        ingest.bus.hooks.coordinate = { request, _ in received.append(request) }
        let onlooker = try net.follower(
            "tail", of: ingest, [.sos], security: net.security(.operator))
        let impostor = try net.follower(
            "notifier", of: ingest, [.sos], security: net.security(.operator))
        let member = ID128(high: 1, low: 2)
        let evaluator = try net.rawAsker(of: ingest, .evaluator)
        let joiner = try net.rawAsker(of: ingest, .operator)
        try net.run(until: {
            joiner.sendRequest(Control.join(member: member, logic: 1...1).encoded(), to: 0)
        })
        let claim = Control.acknowledge(consumer: "notifier", entries: [])
        try net.run(until: { joiner.sendRequest(claim.encoded(), to: 0) })
        try net.run(until: {
            evaluator.sendRequest(Control.join(member: member, logic: 1...2).encoded(), to: 0)
        })
        let wanted: [PeerRejection.Reason] = [
            .forbidden(.operator, "lease partitions"),
            .forbidden(.operator, "say hello as notifier"),
            .forbidden(.operator, "acknowledge as notifier"),
        ]
        try net.run(until: {
            wanted.allSatisfy(ingest.reasons.contains) && onlooker.has(.sos).count == 4
                && !received.isEmpty
        })
        #expect(received == [.join(member: member, logic: 1...2)])
        #expect(impostor.applied.isEmpty)
        #expect(ingest.bus.acknowledged(.sos, by: "notifier") == 0)
    }
}
