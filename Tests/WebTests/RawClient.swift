import Glibc

/// A non-blocking client that sends and receives raw HTTP.
final class RawClient {
    /// One received response.
    struct Answer: Equatable {
        var status: Int
        var headers: [String: String]
        var body: String
    }

    private var socket: Int32
    private(set) var unsent: [UInt8] = []
    private(set) var received: [UInt8] = []
    /// Whether the server closed the connection.
    private(set) var isClosed = false
    /// Maximum number of bytes that ``advance()`` receives.
    var receivesAtMost = Int.max

    /// - Parameter window: size of the kernel's receive buffer, bytes; nil = default
    init(port: Int, window: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var window {
            setsockopt(
                socket, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Refused(code: errno) }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    }

    struct Refused: Error {
        let code: Int32
    }

    deinit { hangUp() }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        unsent += bytes
        advance()
    }

    /// Closes the connection at once.
    func hangUp() {
        if socket >= 0 { close(socket) }
        socket = -1
    }

    /// Sends and receives as much as possible without blocking.
    func advance() {
        guard socket >= 0 else { return }
        while !unsent.isEmpty {
            let count = Glibc.send(socket, unsent, unsent.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { break }
            unsent.removeFirst(count)
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var left = receivesAtMost
        while left > 0 {
            let count = recv(socket, &buffer, min(left, buffer.count), 0)
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isClosed = true }
            guard count > 0 else { return }
            received += buffer[..<count]
            left -= count
        }
    }

    /// The complete responses, oldest first.
    func answers(toHead: Bool = false) -> [Answer] {
        var answers: [Answer] = []
        var rest = received[...]
        while let (answer, next) = RawClient.answer(in: rest, toHead: toHead) {
            if answer.status >= 200 { answers.append(answer) }
            rest = next
        }
        return answers
    }

    private static func answer(
        in bytes: ArraySlice<UInt8>, toHead: Bool
    ) -> (Answer, rest: ArraySlice<UInt8>)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
        }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        let length = toHead ? 0 : Int(headers["content-length"] ?? "0") ?? 0
        let body = bytes[end.upperBound...]
        guard body.count >= length else { return nil }
        return (
            Answer(
                status: status, headers: headers,
                body: String(decoding: body.prefix(length), as: UTF8.self)), body.dropFirst(length)
        )
    }
}
