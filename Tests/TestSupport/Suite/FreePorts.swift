import Glibc

/// Ports of loopback that nobody listens on, below those that the system gives to outgoing
/// connections.
public enum FreePorts {
    private static let range = 12_000..<31_000

    /// A number from which the given distances are all free.
    public static func base(of distances: [Int]) -> Int {
        while true {
            let base = Int.random(in: range)
            if distances.allSatisfy({ isFree(base + $0) }) { return base }
        }
    }

    /// One free port.
    public static func one() -> Int { base(of: [0]) }

    public static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        return withLoopback(port) { bind(descriptor, $0, $1) == 0 && listen(descriptor, 1) == 0 }
    }
}

/// Calls with the address 127.0.0.1 and that port.
func withLoopback<Result>(
    _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    return withUnsafePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
