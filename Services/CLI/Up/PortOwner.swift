import Foundation
import Glibc

/// Who listens on a port, as far as /proc tells.
enum PortOwner {
    /// Whether nobody else listens there.
    static func isFree(_ port: Int, address: String = "127.0.0.1") -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else { return true }
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // Anything but a taken port is for its user to explain, who has better words for it.
        return bound == 0 ? listen(descriptor, 1) == 0 : errno != EADDRINUSE
    }

    /// `nginx, process 4711`; nil when /proc does not tell.
    ///
    /// The kernel's tables may miss a line while others change, so they are read up to twenty
    /// times.
    static func describe(_ port: Int) -> String? {
        for _ in 0..<20 {
            if let process = process(on: port) { return "\(name(of: process)), process \(process)" }
        }
        return nil
    }

    private static func process(on port: Int) -> Int? {
        let sockets = Set(["tcp", "tcp6"].flatMap { listeners(on: port, table: $0) })
        guard !sockets.isEmpty else { return nil }
        let files = FileManager.default
        let processes = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int($0) }.sorted().first { process in
            let folder = "/proc/\(process)/fd"
            return ((try? files.contentsOfDirectory(atPath: folder)) ?? []).contains { name in
                let target = try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return target.map(sockets.contains) ?? false
            }
        }
    }

    /// Listening sockets as /proc/PID/fd names them, `socket:[4711]`.
    private static func listeners(on port: Int, table: String) -> [String] {
        let wanted = String(format: ":%04X", port)
        let text = (try? String(contentsOfFile: "/proc/net/\(table)", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 9, words[1].hasSuffix(wanted), words[3] == "0A" else { return nil }
            return "socket:[\(words[9])]"
        }
    }

    private static func name(of process: Int) -> String {
        let text = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "a program"
    }
}
