import Glibc
import Runtime

/// Resolves a host name without blocking the loop, in a child process, because the C library's
/// resolver blocks.
final class NameLookup {
    private let child: ChildProcess
    private var output: [UInt8] = []

    init(_ host: String) throws(SystemError) {
        child = try ChildProcess(
            path: "/usr/bin/getent", arguments: ["ahosts", host], environment: [:])
    }

    deinit {
        giveUp()
        _ = child.reap()
    }

    /// Kills the child process; ``addresses()`` then returns an empty list.
    func giveUp() { child.send(SIGKILL) }

    /// Returns numeric addresses, empty if there are none; nil while the lookup is running.
    func addresses() -> [String]? {
        while let bytes = child.drain(), !bytes.isEmpty { output += bytes }
        guard let status = child.reap() else { return nil }
        while let bytes = child.drain(), !bytes.isEmpty { output += bytes }
        guard status == 0 else { return [] }
        var found: [String] = []
        for line in output.split(separator: 0x0A) {
            let address = String(decoding: line.prefix { $0 > 0x20 }, as: UTF8.self)
            if !address.isEmpty, !found.contains(address) { found.append(address) }
        }
        return found
    }

    func appendPollItems(to items: inout [PollItem]) { child.appendPollItems(to: &items) }
}
