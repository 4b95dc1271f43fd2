import Glibc
import Runtime

/// Looks a name up without stopping the loop: the resolver of the C library waits for name servers,
/// so another program asks it.
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

    /// Ends it; ``addresses()`` says soon that there are none.
    func giveUp() { child.send(SIGKILL) }

    /// Numeric addresses, empty where there are none; nil while nothing is known yet.
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
