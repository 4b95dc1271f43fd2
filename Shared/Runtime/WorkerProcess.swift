import CLinux
import Glibc

/// A child process that answers each message with one message.
///
/// For work that would block the event loop or may have to be aborted: the owner kills the process
/// and starts another. A message is its length (32 bits, little-endian) and its bytes. Calls never
/// block.
public final class WorkerProcess {
    /// The result of ``receive()``.
    public enum Received: Equatable {
        case message([UInt8])
        case nothing
        /// The process ended, or sent an invalid message.
        case ended
    }

    public let pid: Int32
    private var socket: Int32
    private var unsent: ArraySlice<UInt8> = []
    private var received: [UInt8] = []

    static let messageBytesMax = 64 << 20
    private static let lengthBytes = 4

    /// - Parameter path: path of the program; `/proc/self/exe` = the program of this process
    public init(
        path: String, arguments: [String], environment: [String: String] = [:]
    ) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_socket_pair(&ends) == 0 else { throw SystemError(errno, "open a socket pair") }
        pid = try ChildProcess.start(
            path, arguments, environment,
            ChildProcess.Streams(input: ends[1], output: ends[1], kept: ends[0]),
            deathSignal: SIGKILL, hasOwnGroup: false)
        socket = ends[0]
    }

    deinit { kill() }

    /// CPU time of the process, microseconds; nil once it ended.
    public var processorMicroseconds: Int64? {
        let used = clinux_processor_microseconds(pid)
        return used < 0 ? nil : used
    }

    /// Queues a message and writes as much as the socket accepts.
    public func send(_ message: [UInt8]) {
        unsent += WorkerProcess.framed(message)
        flush()
    }

    /// The next complete message.
    public func receive() -> Received {
        flush()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while socket >= 0 {
            let count = read(socket, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { break }
            if count == 0 {
                kill()
                break
            }
            received += chunk[..<count]
        }
        guard let message = WorkerProcess.nextMessage(from: &received) else {
            return socket < 0 ? .ended : .nothing
        }
        return .message(message)
    }

    /// Kills the process and waits for its end.
    public func kill() {
        guard socket >= 0 else { return }
        close(socket)
        socket = -1
        _ = Glibc.kill(pid, SIGKILL)
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }

    public func appendPollItems(to items: inout [PollItem]) {
        guard socket >= 0 else { return }
        items.append(PollItem(descriptor: socket, read: true, write: !unsent.isEmpty))
    }

    private func flush() {
        while socket >= 0, !unsent.isEmpty {
            let count = unsent.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            unsent = unsent.dropFirst(count)
        }
        unsent = []
    }

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count).littleEndian, Array.init) + message
    }

    /// Nil if no message is complete.
    private static func nextMessage(from bytes: inout [UInt8]) -> [UInt8]? {
        guard bytes.count >= lengthBytes else { return nil }
        let length = bytes.prefix(lengthBytes).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= lengthBytes + length else { return nil }
        let message = Array(bytes[lengthBytes..<(lengthBytes + length)])
        bytes.removeFirst(lengthBytes + length)
        return message
    }

    // MARK: In the worker

    /// Answers messages until the owner ends; the complete `main` of a worker.
    ///
    /// - Parameter memoryBytes: limit of the worker's address space
    public static func serve(memoryBytes: Int, _ answer: ([UInt8]) -> [UInt8]) {
        clinux_yield_to_others(memoryBytes)
        while let head = readExactly(lengthBytes) {
            let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length <= messageBytesMax, let message = readExactly(length) else { return }
            guard writeAll(framed(answer(message))) else { return }
        }
    }

    private static func readExactly(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                read(0, $0.baseAddress! + filled, count - filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }

    private static func writeAll(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
