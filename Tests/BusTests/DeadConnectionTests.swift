import Foundation
import Glibc
import Runtime
import TestSupport
import Testing
import Wire

@testable import Bus

@Suite struct `A closed socket` {
    /// Runs in its own process, which a failure would end.
    ///
    /// ZeroMQ's reaper thread hardly gets processor time, as on a busy machine. So connections of
    /// closed sockets stay open, receive frames, and lose their peer. It needs both processors, so
    /// it is one of the long tests.
    @Test(.enabled(if: getenv("LONG_TESTS") != nil))
    func `ends no process while its connections wait for their end`() async throws {
        await #expect(processExitsWith: .success) {
            let near = try ZeroMQContext()
            // The first socket starts the threads of its context.
            _ = try ZeroMQSocket(.subscribe, in: near)
            let reaper = try #require(try Thread.named("Reaper"))
            let far = try ZeroMQContext()
            var publisher: ZeroMQSocket? = try ZeroMQSocket(.publish, in: far)
            let endpoint = try #require(try publisher?.bind(to: "tcp://127.0.0.1:*"))
            var subscribers = try (0..<200).map { _ in
                let socket = try ZeroMQSocket(.subscribe, in: near)
                socket.subscribe(to: Heads.topic)
                try socket.connect(to: endpoint)
                return socket
            }
            let frame = Heads.topic + [UInt8](repeating: 1, count: 200)
            var waiting = Array(subscribers.indices)
            for _ in 0..<1000 where !waiting.isEmpty {
                publisher?.send(frame)
                usleep(10_000)
                waiting.removeAll { subscribers[$0].receive() != nil }
            }
            #expect(waiting.isEmpty)
            try Thread.starve(reaper)
            subscribers = []
            for _ in 0..<300 {
                publisher?.send(frame)
                usleep(1000)
            }
            publisher = nil
            // Several intervals of any heartbeat.
            usleep(3_000_000)
            // The contexts would wait for the starved thread.
            _exit(0)
        }
    }
}

@Suite(.enabled(if: Namespace.isPossible, "needs root and ip")) struct `A connection` {
    /// Runs in its own process with its own network, in which one connection loses all packets of
    /// one direction. Without detection the kernel would send them again for 15 minutes.
    @Test(arguments: ["sport", "dport"])
    func `that carries nothing any more is replaced within 5 s`(direction: String) async throws {
        await #expect(processExitsWith: .success) { [direction] in
            try Namespace.enter()
            let net = try Guarded()
            let ingest = try net.ingest()
            let asker = try net.rawAsker(of: ingest, .notifier)
            let exchange = {
                var isReplied = false
                while asker.next() != nil {}
                try net.run(until: {
                    _ = asker.sendRequest(Control.headsRequest.encoded(), to: 0)
                    while let event = asker.next() {
                        if case .replied = event { isReplied = true }
                    }
                    return isReplied
                })
            }
            try exchange()
            let control = try #require(ingest.bus.endpoints.control)
            let port = try #require(try Namespace.localPort(ofConnectionTo: control))
            try Namespace.ip("rule add pref 10 ipproto tcp \(direction) \(port) blackhole")
            // Requests and replies that were on their way.
            try net.run(for: .milliseconds(300))
            let start = ContinuousClock.now
            try exchange()
            let elapsed = ContinuousClock.now - start
            #expect(elapsed < .seconds(5), "\(elapsed)")
            #expect(try Namespace.localPort(ofConnectionTo: control) != port)
        }
    }
}

/// A thread of this process, by its number.
private enum Thread {
    /// The thread with a word in its name; nil without one.
    static func named(_ word: String) throws -> Int32? {
        let folder = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .first {
                try String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8).contains(word)
            }
            .flatMap { Int32($0) }
    }

    /// Lets a thread run only when a processor has nothing else to do, and keeps that one busy.
    static func starve(_ thread: Int32) throws {
        var allowed = cpu_set_t()
        _ = try affinity("sched_getaffinity")(0, MemoryLayout<cpu_set_t>.size, &allowed)
        var one = cpu_set_t()
        withUnsafeMutableBytes(of: &one) { one in
            withUnsafeBytes(of: allowed) { allowed in
                guard let index = allowed.firstIndex(where: { $0 != 0 }) else { return }
                one[index] = 1 << UInt8(allowed[index].trailingZeroBitCount)
            }
        }
        let setAffinity = try affinity("sched_setaffinity")
        try #require(setAffinity(thread, MemoryLayout<cpu_set_t>.size, &one) == 0)
        var parameters = sched_param()
        try #require(sched_setscheduler(thread, idleOnly, &parameters) == 0)
        let processor = one
        Foundation.Thread.detachNewThread {
            var processor = processor
            _ = setAffinity(0, MemoryLayout<cpu_set_t>.size, &processor)
            while true {}
        }
    }

    /// `SCHED_IDLE` of Linux.
    private static let idleOnly: Int32 = 5

    /// A function that Swift's Glibc does not declare.
    private static func affinity(
        _ name: String
    ) throws -> @convention(c) (pid_t, Int, UnsafeMutablePointer<cpu_set_t>) -> Int32 {
        let function = try #require(dlsym(dlopen(nil, RTLD_NOW), name))
        return unsafeBitCast(
            function,
            to: (@convention(c) (pid_t, Int, UnsafeMutablePointer<cpu_set_t>) -> Int32).self)
    }
}

/// The network of a process of its own.
private enum Namespace {
    static let isPossible = geteuid() == 0 && Programs.installed("ip") != "ip"

    /// Gives the calling thread, and those that it starts, a network with a loopback interface.
    static func enter() throws {
        // Swift's Glibc declares neither the function nor CLONE_NEWNET.
        let unshare = unsafeBitCast(
            try #require(dlsym(dlopen(nil, RTLD_NOW), "unshare")),
            to: (@convention(c) (Int32) -> Int32).self)
        try #require(unshare(0x4000_0000) == 0)
        try ip("link set lo up")
        // Local addresses otherwise come before all other rules.
        try ip("rule add pref 100 lookup local")
        try ip("rule del pref 0")
    }

    static func ip(_ words: String) throws {
        let child = try ChildProcess(
            path: Programs.installed("ip"),
            arguments: words.split(separator: " ").map(String.init), environment: [:],
            diesWithParent: false)
        while child.reap() == nil { usleep(1000) }
        try #require(child.exitStatus == 0, "ip \(words)")
    }

    /// The local port of the established connection to an endpoint of this machine.
    static func localPort(ofConnectionTo endpoint: String) throws -> UInt16? {
        let wanted = try #require(endpoint.split(separator: ":").last.flatMap { UInt16($0) })
        let table = try String(contentsOfFile: "/proc/thread-self/net/tcp", encoding: .utf8)
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            let ports = words[1...2].map { UInt16($0.suffix(4), radix: 16) }
            if ports[1] == wanted, words[3] == "01" { return ports[0] }
        }
        return nil
    }
}
