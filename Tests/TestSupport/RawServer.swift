import Glibc

/// A server for arbitrary bytes; the test decides what it sends.
public final class RawServer {
    /// One accepted connection.
    public final class Connection {
        fileprivate let socket: Int32
        public fileprivate(set) var received = ""
        public fileprivate(set) var isOpen = true

        fileprivate init(_ socket: Int32) { self.socket = socket }

        public func send(_ text: String) {
            _ = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        }

        public func close() {
            if isOpen { Glibc.close(socket) }
            isOpen = false
        }
    }

    public let port: Int
    private let listening: Int32
    public private(set) var connections: [Connection] = []
    /// Called for a new connection.
    public var greet: (Connection) -> Void = { _ in }
    /// Called with newly received bytes.
    public var onReceive: (Connection, String) -> Void = { _, _ in }

    public init() {
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listening
        withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(socket, $0, size)
                _ = getsockname(socket, $0, &size)
            }
        }
        listen(listening, 64)
        port = Int(UInt16(bigEndian: name.sin_port))
    }

    deinit { stop() }

    public func stop() {
        for connection in connections { connection.close() }
        Glibc.close(listening)
    }

    /// Accepts connections and reads what has arrived.
    public func advance() {
        while true {
            let socket = accept(listening, nil, nil)
            guard socket >= 0 else { break }
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            let connection = Connection(socket)
            connections.append(connection)
            greet(connection)
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for connection in connections where connection.isOpen {
            let count = recv(connection.socket, &buffer, buffer.count, 0)
            if count == 0 { connection.close() }
            guard count > 0 else { continue }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            connection.received += text
            onReceive(connection, text)
        }
    }
}
