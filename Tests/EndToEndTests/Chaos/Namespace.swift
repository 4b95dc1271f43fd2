import Foundation
import Glibc
import TestSupport

/// A network namespace for some processes, connected to this machine by a bridge.
final class Namespace {
    /// Whether the tests may create one on this machine.
    static func isPossible() async -> Bool {
        guard geteuid() == 0, let space = try? await Namespace() else { return false }
        await space.remove()
        return true
    }

    /// A unique number, of the test program and of the namespace in it.
    nonisolated(unsafe) private static var count = 0
    private let number: Int
    private var name: String { "jaga-\(number)" }
    private var bridge: String { "jgb\(number)" }
    private var port: String { "jgp\(number)" }
    private var network: String { "10.87.\(number % 250)" }

    /// Address of this machine for processes inside.
    var outside: String { "\(network).254" }
    /// Another address of this machine, once it is added.
    var otherOutside: String { "\(network).253" }
    /// Address of the processes inside for this machine.
    var inside: String { "\(network).1" }

    /// - Throws: if the system does not permit it
    init() async throws {
        Namespace.count += 1
        number = Int(getpid()) % 9_000 * 10 + Namespace.count % 10
        try await ip("link add \(bridge) type bridge")
        try await ip("address add \(outside)/24 dev \(bridge)")
        try await ip("link set \(bridge) up")
        try await ip("netns add \(name)")
        try await ip("link add \(port) type veth peer name eth0 netns \(name)")
        try await ip("link set \(port) master \(bridge) up")
        for words in ["link set lo up", "link set eth0 up", "address add \(inside)/24 dev eth0"] {
            try await ip("-n \(name) \(words)")
        }
    }

    /// Drops all packets in both directions.
    func cut() async throws { try await ip("link set \(port) down") }

    func heal() async throws { try await ip("link set \(port) up") }

    /// Moves this machine to its other address; the first one stops working.
    func moveOutside() async throws {
        try await ip("address del \(outside)/24 dev \(bridge)")
        try await ip("address add \(otherOutside)/24 dev \(bridge)")
    }

    /// Maps a name to an address, for processes that are started inside.
    func name(_ host: String, _ address: String) throws {
        let folder = "/etc/netns/\(name)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        // In place, so that processes inside see the same file.
        let file = fopen("\(folder)/hosts", "w")
        fputs("127.0.0.1 localhost\n\(address) \(host)\n", file)
        fclose(file)
    }

    /// The command prefix that starts a program inside.
    func command(_ program: String) -> [String] { ["netns", "exec", name, program] }
    static let starter = Programs.installed("ip")

    func remove() async {
        try? await ip("netns delete \(name)")
        try? await ip("link delete \(bridge)")
        try? FileManager.default.removeItem(atPath: "/etc/netns/\(name)")
    }

    private func ip(_ words: String) async throws {
        let arguments = words.split(separator: " ").map(String.init)
        let capture = try Capture(Namespace.starter, arguments)
        _ = await eventually { capture.process.reap() != nil }
        guard capture.process.exitStatus == 0 else {
            throw TestFailure("ip \(words): \(capture.text)")
        }
    }
}
