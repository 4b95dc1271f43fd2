import Glibc
import Runtime

/// Finds the process that listens on a port, by /proc.
enum PortOwner {
    /// Whether no process listens on the port.
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
        // Other errors are reported with more detail by the program that uses the port.
        return bound == 0 ? listen(descriptor, 1) == 0 : errno != EADDRINUSE
    }

    /// A description such as `nginx, process 4711`; nil if unknown.
    ///
    /// The kernel's tables may omit lines while they change, so they are read up to three times.
    static func describe(_ port: Int) -> String? {
        for _ in 0..<3 {
            if let process = process(on: port) { return "\(name(of: process)), process \(process)" }
        }
        return nil
    }

    private static func process(on port: Int) -> Int? {
        let sockets = Set(["tcp", "tcp6"].flatMap { listeners(on: port, table: $0) })
        guard !sockets.isEmpty else { return nil }
        return names(in: "/proc").compactMap { Int($0) }.sorted().first { process in
            let folder = "/proc/\(process)/fd"
            return names(in: folder).contains { name in
                target(of: "\(folder)/\(name)").map(sockets.contains) ?? false
            }
        }
    }

    /// Listening sockets in the form of /proc/PID/fd, `socket:[4711]`.
    private static func listeners(on port: Int, table: String) -> [String] {
        let digits = String(port, radix: 16, uppercase: true)
        let wanted = ":" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return text(of: "/proc/net/\(table)").split(separator: "\n").dropFirst().compactMap {
            line in
            let words = line.split(separator: " ")
            guard words.count > 9, words[1].hasSuffix(wanted), words[3] == "0A" else { return nil }
            return "socket:[\(words[9])]"
        }
    }

    private static func name(of process: Int) -> String {
        let name = text(of: "/proc/\(process)/comm").prefix { $0 != "\n" }
        return name.isEmpty ? "a program" : String(name)
    }

    private static func text(of path: String) -> String {
        String(decoding: (try? Files.read(path)) ?? [], as: UTF8.self)
    }

    /// Names in a folder whose content may change meanwhile.
    private static func names(in folder: String) -> [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }

    private static func target(of link: String) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &text, text.count)
        guard count > 0 else { return nil }
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
