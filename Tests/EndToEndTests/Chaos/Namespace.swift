import Foundation
import Glibc
import TestSupport

/// A machine of its own for some processes: a network namespace on a bridge with this one.
final class Namespace {
    /// Whether this machine lets the tests have one.
    static func isPossible() async -> Bool {
        guard geteuid() == 0, let space = try? await Namespace() else { return false }
        await space.remove()
        return true
    }

    /// A number that no other bridge has: of the test program and of the namespace in it.
    nonisolated(unsafe) private static var made = 0
    private let number: Int
    private var name: String { "jaga-\(number)" }
    private var bridge: String { "jgb\(number)" }
    private var port: String { "jgp\(number)" }
    private var network: String { "10.87.\(number % 250)" }

    /// Where processes inside find this machine.
    var outside: String { "\(network).254" }
    /// Another address of this machine, once it has it.
    var elsewhere: String { "\(network).253" }
    /// Where this machine finds processes inside.
    var inside: String { "\(network).1" }

    /// - Throws: where the system does not permit it
    init() async throws {
        Namespace.made += 1
        number = Int(getpid()) % 9_000 * 10 + Namespace.made % 10
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

    /// No packet passes in either direction, and nobody is told: the cable is pulled.
    func cut() async throws { try await ip("link set \(port) down") }

    func heal() async throws { try await ip("link set \(port) up") }

    /// This machine is found under its other address from now on, and no longer under the first.
    func moveOutside() async throws {
        try await ip("address del \(outside)/24 dev \(bridge)")
        try await ip("address add \(elsewhere)/24 dev \(bridge)")
    }

    /// Gives a name to an address, for processes that are started inside.
    func name(_ host: String, _ address: String) throws {
        let folder = "/etc/netns/\(name)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        // In place: who is inside sees the same file.
        let file = fopen("\(folder)/hosts", "w")
        fputs("127.0.0.1 localhost\n\(address) \(host)\n", file)
        fclose(file)
    }

    /// What starts a program inside.
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
