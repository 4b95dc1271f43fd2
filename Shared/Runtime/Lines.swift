import Glibc

/// Writes that never wait for whoever reads: a terminal that was stopped with Ctrl-S, a pipe that
/// nobody empties, a logger that hangs. A service that waited for one of them would hear nobody.
public enum Lines {
    /// Bytes that a pipe takes in one piece, and without waiting where it takes any.
    public static let pieceBytes = 4096

    /// Whether a piece can be written without waiting. So it is, too, where the reader has left:
    /// writing tells.
    private static func takes(_ descriptor: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&item, 1, 0)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }

    /// Writes as much of it as is taken without waiting.
    ///
    /// - Parameter descriptor: negative = nowhere
    /// - Returns: whether that was all; where there is no reader any more nothing is left to do
    public static func offer(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        // `poll` waits for such a one for ever.
        guard descriptor >= 0 else { return true }
        var rest = bytes[...]
        while !rest.isEmpty {
            guard takes(descriptor) else { return false }
            let piece = rest.prefix(pieceBytes)
            let count = piece.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return true }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
