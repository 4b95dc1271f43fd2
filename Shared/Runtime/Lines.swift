import CLinux
import Glibc
import Model
import Synchronization

/// Lines to one descriptor that wait for nobody: a terminal that was stopped with Ctrl-S or is
/// slow, a pipe that nobody empties, a logger that hangs. A service that waited for one of them
/// would hear nobody.
///
/// A line that is not taken at once is left out, and counted. One that is taken in part is finished
/// before anything else is written, so that lines stay lines.
public final class Lines: Sendable {
    /// Bytes that a pipe takes in one piece or not at all.
    public static let pieceBytes = 4096

    private enum Way: Sendable {
        /// Negative descriptors: all is dropped.
        case nowhere
        case socket
        /// To a descriptor that does not wait, or whose file never lets wait.
        case plain(Int32)
        /// Others may be shared with processes that want to wait. Asking first does not help where
        /// a terminal has less room than the line takes.
        case asking
    }

    private struct Owed {
        /// Written before anything else.
        var rest: [UInt8] = []
        /// Lines that were left out since the last notice.
        var leftOut = 0
    }

    private let descriptor: Int32
    private let way: Way
    private let owed = Mutex(Owed())

    /// - Parameter descriptor: negative = nowhere; nothing of it is changed, and it stays the
    ///   caller's to close
    public init(to descriptor: Int32) {
        self.descriptor = descriptor
        way = Lines.way(to: descriptor)
    }

    deinit {
        if case .plain(let own) = way, own != descriptor { close(own) }
    }

    /// Whether two descriptors lead to the same terminal, pipe, socket or file.
    public static func areOne(_ one: Int32, _ other: Int32) -> Bool {
        var first = stat()
        var second = stat()
        return fstat(one, &first) == 0 && fstat(other, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// A line with its end that fits in one piece: a longer one ends with "...".
    public static func piece(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if bytes.count >= pieceBytes {
            bytes.removeLast(bytes.count - pieceBytes + 4)
            while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
            if let last = bytes.last, last & 0xC0 == 0xC0 { bytes.removeLast() }
            bytes += Array("...".utf8)
        }
        return bytes + [0x0A]
    }

    /// Writes a line, or leaves it out.
    ///
    /// - Parameter notice: a line that says how many were left out; comes before the next taken one
    public func write(_ line: [UInt8], notice: (_ leftOut: Int) -> [UInt8]) {
        owed.withLock { owed in
            if owed.leftOut > 0, take(notice(owed.leftOut), &owed) { owed.leftOut = 0 }
            if owed.leftOut > 0 || !take(line, &owed) { owed.leftOut += 1 }
        }
    }

    /// Writes a text that nobody shall miss: what is not taken now comes before all that follows.
    public func promise(_ text: String) {
        owed.withLock { owed in
            owed.rest += Array(text.utf8)
            settle(&owed)
        }
    }

    /// Promises what tells of the lines that were left out, where no line follows any more.
    public func promiseNotice(_ notice: (_ leftOut: Int) -> [UInt8]) {
        owed.withLock { owed in
            guard owed.leftOut > 0 else { return }
            owed.rest += notice(owed.leftOut)
            owed.leftOut = 0
            settle(&owed)
        }
    }

    /// Writes what was promised or begun, as far as that is taken.
    ///
    /// - Parameter limit: waits so long at most until all is taken
    public func settle(within limit: Duration = .zero) {
        var left = limit.milliseconds
        while !owed.withLock({ settle(&$0) }), left > 0 {
            usleep(10_000)
            left -= 10
        }
    }

    /// Whether nothing is owed any more.
    @discardableResult
    private func settle(_ owed: inout Owed) -> Bool {
        owed.rest.removeFirst(push(owed.rest[...]))
        return owed.rest.isEmpty
    }

    /// Whether it was taken; so it is, too, where its rest follows later.
    private func take(_ line: [UInt8], _ owed: inout Owed) -> Bool {
        guard settle(&owed) else { return false }
        let count = push(line[...])
        guard count > 0 else { return false }
        owed.rest = Array(line[count...])
        return true
    }

    /// Bytes that were taken without waiting.
    private func push(_ bytes: ArraySlice<UInt8>) -> Int {
        if case .nowhere = way { return bytes.count }
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.prefix(Lines.pieceBytes).withUnsafeBytes(pushOnce)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    private func pushOnce(_ piece: UnsafeRawBufferPointer) -> Int {
        switch way {
        case .nowhere: piece.count
        case .socket:
            send(
                descriptor, piece.baseAddress, piece.count,
                Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        case .plain(let own): Glibc.write(own, piece.baseAddress, piece.count)
        case .asking:
            takesSome ? Glibc.write(descriptor, piece.baseAddress, piece.count) : 0
        }
    }

    private var takesSome: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&item, 1, 0) > 0
    }

    /// Terminals and pipes are opened anew: O_NONBLOCK belongs to what is opened, and what this
    /// process got is the shell's, too.
    private static func way(to descriptor: Int32) -> Way {
        guard descriptor >= 0 else { return .nowhere }
        var kind = stat()
        // Whatever is opened next would get the number, and the lines.
        guard fstat(descriptor, &kind) == 0 else { return .nowhere }
        if kind.st_mode & S_IFMT == S_IFSOCK { return .socket }
        guard kind.st_mode & S_IFMT == S_IFIFO || isatty(descriptor) == 1 else {
            return .plain(descriptor)
        }
        let own = clinux_open(
            "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY, 0)
        return own >= 0 ? .plain(own) : .asking
    }
}
