import Glibc

/// Network addresses of this machine.
enum NetworkAddress {
    struct Interface: Hashable {
        var name: String
        var address: String
    }

    /// The address of this machine in the local network. Sends no packets.
    static func ofLAN() -> String? { choose(from: ofInterfaces(), outward: outward()) }

    /// Returns the outward address if it is private, else the first private address. Bridges of
    /// containers and virtual machines are ignored, since phones cannot reach them.
    ///
    /// - Parameter outward: address of the default route; nil = none
    static func choose(from interfaces: [Interface], outward: String?) -> String? {
        let all = interfaces.filter { isPrivate($0.address) && !isVirtual($0.name) }
        return all.first { $0.address == outward }?.address ?? all.first?.address
    }

    private static func isVirtual(_ name: String) -> Bool {
        ["docker", "br-", "veth", "virbr", "podman", "cni", "lxc", "lxdbr"]
            .contains(where: name.hasPrefix)
    }

    /// 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16.
    static func isPrivate(_ address: String) -> Bool {
        let parts = address.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 4 else { return false }
        return parts[0] == 10 || (parts[0] == 172 && (16...31).contains(parts[1]))
            || (parts[0] == 192 && parts[1] == 168)
    }

    /// IPv4 addresses of active interfaces except loopback.
    private static func ofInterfaces() -> [Interface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [Interface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = Int32(bitPattern: entry.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
                let address = entry.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
                let text = text(of: address)
            else { continue }
            found.append(Interface(name: String(cString: entry.ifa_name), address: text))
        }
        return found
    }

    /// The local address of a datagram socket connected to a reserved address.
    private static func outward() -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(9).bigEndian
        inet_pton(AF_INET, "192.0.2.1", &name.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard connect(descriptor, address, size) == 0,
                    getsockname(descriptor, address, &size) == 0
                else { return nil }
                return text(of: address)
            }
        }
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard getnameinfo(address, size, &host, UInt32(host.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(
            decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
