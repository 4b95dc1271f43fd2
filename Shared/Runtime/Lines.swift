import CLinux
import Glibc
import Model
import Synchronization

/// Writes lines to a descriptor without blocking, so that a stopped terminal, a full pipe or a
/// hanging logger cannot block a service.
///
/// Lines that the descriptor does not accept are dropped and counted. A partially written line is
/// finished before anything else, so that lines stay intact.
public final class Lines: Sendable {
    /// Bytes that a pipe writes atomically.
    public static let atomicBytes = 4096

    private enum Target: Sendable {
        /// Negative descriptors: everything is dropped.
        case none
        case socket
        /// A nonblocking descriptor, or a file, which never blocks.
        case nonblocking(Int32)
        /// A descriptor shared with processes that expect it to block; polled before each write. A
        /// terminal with less space than the line may still block.
        case polled
    }

    private struct Pending {
        /// Bytes to write before anything else.
        var rest: [UInt8] = []
        /// The number of lines dropped since the last notice.
        var dropped = 0
    }

    private let descriptor: Int32
    private let target: Target
    private let pending = Mutex(Pending())

    /// - Parameter descriptor: negative = drop everything; it is not modified and not closed
    public init(to descriptor: Int32) {
        self.descriptor = descriptor
        target = Lines.target(of: descriptor)
    }

    deinit {
        if case .nonblocking(let own) = target, own != descriptor { close(own) }
    }

    /// Whether two descriptors refer to the same terminal, pipe, socket or file.
    public static func areSame(_ one: Int32, _ other: Int32) -> Bool {
        var first = stat()
        var second = stat()
        return fstat(one, &first) == 0 && fstat(other, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// A line with its line feed that fits into one atomic write; longer lines are cut and end with
    /// "...".
    public static func line(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if bytes.count >= atomicBytes {
            bytes.removeLast(bytes.count - atomicBytes + 4)
            while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
            if let last = bytes.last, last & 0xC0 == 0xC0 { bytes.removeLast() }
            bytes += Array("...".utf8)
        }
        return bytes + [0x0A]
    }

    /// Writes a line, or drops it.
    ///
    /// - Parameter notice: returns a line about dropped lines, written before the next accepted one
    public func write(_ line: [UInt8], notice: (_ dropped: Int) -> [UInt8]) {
        pending.withLock { pending in
            if pending.dropped > 0, accept(notice(pending.dropped), &pending) {
                pending.dropped = 0
            }
            if pending.dropped > 0 || !accept(line, &pending) { pending.dropped += 1 }
        }
    }

    /// Queues a text that must not be dropped; it is written before all later lines.
    public func enqueue(_ text: String) {
        pending.withLock { pending in
            pending.rest += Array(text.utf8)
            flush(&pending)
        }
    }

    /// Queues a notice about dropped lines, if there are any, when no further line follows.
    public func enqueueNotice(_ notice: (_ dropped: Int) -> [UInt8]) {
        pending.withLock { pending in
            guard pending.dropped > 0 else { return }
            pending.rest += notice(pending.dropped)
            pending.dropped = 0
            flush(&pending)
        }
    }

    /// Writes queued bytes as far as the descriptor accepts them.
    ///
    /// - Parameter limit: maximum time to wait until everything is written
    public func flush(within limit: Duration = .zero) {
        var left = limit.milliseconds
        while !pending.withLock({ flush(&$0) }), left > 0 {
            usleep(10_000)
            left -= 10
        }
    }

    /// Returns whether nothing is queued any more.
    @discardableResult
    private func flush(_ pending: inout Pending) -> Bool {
        pending.rest.removeFirst(writeSome(pending.rest[...]))
        return pending.rest.isEmpty
    }

    /// Returns whether the line was accepted, even if its rest is queued.
    private func accept(_ line: [UInt8], _ pending: inout Pending) -> Bool {
        guard flush(&pending) else { return false }
        let count = writeSome(line[...])
        guard count > 0 else { return false }
        pending.rest = Array(line[count...])
        return true
    }

    /// Returns the number of bytes written without blocking.
    private func writeSome(_ bytes: ArraySlice<UInt8>) -> Int {
        if case .none = target { return bytes.count }
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.prefix(Lines.atomicBytes).withUnsafeBytes(writeOnce)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    private func writeOnce(_ piece: UnsafeRawBufferPointer) -> Int {
        switch target {
        case .none: piece.count
        case .socket:
            send(
                descriptor, piece.baseAddress, piece.count,
                Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        case .nonblocking(let own): Glibc.write(own, piece.baseAddress, piece.count)
        case .polled:
            isWritable ? Glibc.write(descriptor, piece.baseAddress, piece.count) : 0
        }
    }

    private var isWritable: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&item, 1, 0) > 0
    }

    /// Reopens terminals and pipes, since O_NONBLOCK belongs to the open file description, which
    /// this process shares with the shell.
    private static func target(of descriptor: Int32) -> Target {
        guard descriptor >= 0 else { return .none }
        var kind = stat()
        // A closed descriptor's number could be reused by the next file opened.
        guard fstat(descriptor, &kind) == 0 else { return .none }
        if kind.st_mode & S_IFMT == S_IFSOCK { return .socket }
        guard kind.st_mode & S_IFMT == S_IFIFO || isatty(descriptor) == 1 else {
            return .nonblocking(descriptor)
        }
        let own = clinux_open(
            "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY, 0)
        return own >= 0 ? .nonblocking(own) : .polled
    }
}
