import Glibc

/// A connection to a loopback port for arbitrary bytes.
public final class RawLink {
    private let descriptor: Int32
    /// Everything received so far.
    public private(set) var received = ""
    public private(set) var isClosed = false

    /// - Parameter source: its source address, in 127.0.0.0/8 or `::1`
    public init(port: Int, from source: String = "127.0.0.1") throws {
        let isSix = source.contains(":")
        descriptor = socket(isSix ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = withAddress(source, 0) { bind(descriptor, $0, $1) } == 0
        let httpServer = isSix ? source : "127.0.0.1"
        guard isBound, withAddress(httpServer, port, { connect(descriptor, $0, $1) }) == 0 else {
            throw TestFailure("nobody listens on port \(port), or there is no \(source)")
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Sends as much as possible, and reads what has arrived.
    public func send(_ text: String = "") {
        if !text.isEmpty, !isClosed {
            let count = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno != EAGAIN { isClosed = true }
        }
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while !isClosed {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EAGAIN { return }
            if count <= 0 {
                isClosed = true
            } else {
                received += String(decoding: chunk[..<count], as: UTF8.self)
            }
        }
    }
}
