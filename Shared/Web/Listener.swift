import CLinux
import Glibc

/// Opens the listening socket of a server.
enum Listener {
    /// Opens, binds and listens.
    ///
    /// - Parameter port: 0 = any free port
    /// - Throws: ``WebError``
    static func open(address: String, port: Int) throws(WebError) -> (socket: Int32, port: Int) {
        let operation = "listen on \(address):\(port)"
        guard var name = socketAddress(address, port) else {
            throw WebError(
                .badAddress, operation: operation, message: "not an IPv4 address and port",
                hint: "Use a numeric address such as 127.0.0.1 or 0.0.0.0, and a port below 65536.")
        }
        let socket = clinux_tcp_socket()
        guard socket >= 0 else { throw failure(operation, port, errno) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withGenericAddress(&name) { bind(socket, $0, size) }
        guard bound == 0, listen(socket, 4096) == 0 else {
            let code = errno
            close(socket)
            throw failure(operation, port, code)
        }
        var actual = sockaddr_in()
        var actualSize = size
        _ = withGenericAddress(&actual) { getsockname(socket, $0, &actualSize) }
        return (socket, Int(UInt16(bigEndian: actual.sin_port)))
    }

    private static func socketAddress(_ address: String, _ port: Int) -> sockaddr_in? {
        guard let port = UInt16(exactly: port) else { return nil }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        let numeric = address == "localhost" ? "127.0.0.1" : address
        guard inet_pton(AF_INET, numeric, &name.sin_addr) == 1 else { return nil }
        return name
    }

    private static func failure(_ operation: String, _ port: Int, _ code: Int32) -> WebError {
        let message = String(cString: strerror(code))
        switch code {
        case EADDRINUSE:
            return WebError(
                .portInUse, operation: operation,
                message: "port \(port) is in use by another process",
                hint: "Stop it, or choose another port: `ss -ltnp 'sport = :\(port)'` shows it.")
        case EADDRNOTAVAIL:
            return WebError(
                .badAddress, operation: operation, message: message,
                hint: "Use an address of this machine: `ip address` lists them.")
        case EACCES:
            return WebError(
                .system, operation: operation, message: message,
                hint: "Choose a port from 1024 on, since lower ones need a privilege.")
        default:
            return WebError(
                .system, operation: operation, message: message,
                hint: "Check the limit of open files (`ulimit -n`) and the system log.")
        }
    }
}

/// Numeric text of an IPv4 client address; empty for anything else.
func addressText(_ address: UnsafePointer<sockaddr>?) -> String {
    guard let address, address.pointee.sa_family == sa_family_t(AF_INET) else { return "" }
    return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin_addr.s_addr) { address in
            String(unsafeUninitializedCapacity: 15) { text in
                var count = 0
                func put(_ byte: UInt8) {
                    text[count] = byte
                    count += 1
                }
                for (place, byte) in address.enumerated() {
                    if place > 0 { put(UInt8(ascii: ".")) }
                    if byte > 99 { put(48 + byte / 100) }
                    if byte > 9 { put(48 + byte / 10 % 10) }
                    put(48 + byte % 10)
                }
                return count
            }
        }
    }
}

private func withGenericAddress<Result>(
    _ name: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
}
