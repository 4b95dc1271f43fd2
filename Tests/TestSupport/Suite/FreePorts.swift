import Glibc
import Synchronization

/// Free loopback ports below the range of outgoing connections. No port is given to two tests of
/// one test process: a program may bind its port long after the test chose it.
public enum FreePorts {
    private static let range = 12_000..<31_000
    private static let given = Mutex<Set<Int>>([])

    /// A base port whose given offsets are all free.
    public static func base(of distances: [Int]) -> Int {
        while true {
            let base = Int.random(in: range)
            let ports = distances.map { base + $0 }
            let isNew = given.withLock { given in
                guard given.isDisjoint(with: ports), ports.allSatisfy(isFree) else { return false }
                given.formUnion(ports)
                return true
            }
            if isNew { return base }
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

/// Calls the closure with the address 127.0.0.1 and that port.
func withLoopback<Result>(
    _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withAddress("127.0.0.1", port, body)
}

/// Calls the closure with an IPv4 or IPv6 address and that port.
func withAddress<Result>(
    _ address: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    let port = in_port_t(truncatingIfNeeded: port).bigEndian
    if address.contains(":") {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port
        inet_pton(AF_INET6, address, &name.sin6_addr)
        return withGeneral(name, body)
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port
    inet_pton(AF_INET, address, &name.sin_addr)
    return withGeneral(name, body)
}

private func withGeneral<Name, Result>(
    _ name: Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withUnsafePointer(to: name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<Name>.size))
        }
    }
}
