import Glibc

/// A connection to a port of loopback on which a test says what it likes, byte by byte.
public final class RawLink {
    private let descriptor: Int32
    /// Everything that came back until now.
    public private(set) var heard = ""
    public private(set) var isClosed = false

    public init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
            throw TestFailure("nobody listens on port \(port)")
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Sends what there is room for, and reads what is there.
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
                heard += String(decoding: chunk[..<count], as: UTF8.self)
            }
        }
    }
}
