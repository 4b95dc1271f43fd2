import CMicroHTTPD

/// One step of an answer whose body comes piece by piece.
public enum StreamStep: Hashable, Sendable {
    /// Status, headers and the first piece.
    case begin(Response)
    case piece([UInt8])
    /// The body is whole.
    case end
    /// Something is missing: the client hears that it did not get the whole.
    case cut
}

/// The body of an answer between the service, which appends pieces when it has them, and the HTTP
/// library, which asks when there is room on the connection.
///
/// While there is nothing to send the connection is suspended.
final class BodyStream {
    private enum End { case open, whole, broken }

    /// The library's connection, valid until the request is completed.
    private let connection: OpaquePointer
    private var bytes: [UInt8]
    /// Bytes of the first piece that are sent.
    private var sent = 0
    private var end = End.open
    private var isSuspended = false
    private let unsentBytesMax: Int
    /// Bytes that were taken since nothing was left to take.
    private(set) var takenBytes = 0
    /// Since ``catchUp()`` was asked nothing was left to take, at least for a moment.
    private var hasCaughtUp = true

    /// - Parameter unsentBytesMax: with more that waits, the body is broken off
    init(connection: OpaquePointer, first: [UInt8], unsentBytesMax: Int) {
        self.connection = connection
        self.unsentBytesMax = unsentBytesMax
        bytes = first
    }

    /// Bytes that the library has not taken yet.
    var unsentBytes: Int { bytes.count - sent }

    /// Whether its reader has everything, or had since this was asked last.
    func catchUp() -> Bool {
        defer { hasCaughtUp = false }
        return hasCaughtUp || unsentBytes == 0
    }

    func take(_ step: StreamStep) {
        guard case .open = end else { return }
        switch step {
        case .begin: return
        case .piece(let piece) where unsentBytes + piece.count > unsentBytesMax:
            end = .broken
            bytes = []
            sent = 0
        case .piece(let piece):
            if sent == bytes.count {
                // Nobody was behind until now.
                hasCaughtUp = true
                bytes.removeAll(keepingCapacity: true)
                sent = 0
            }
            bytes += piece
        case .end: end = .whole
        case .cut: end = .broken
        }
        resume()
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
    }

    /// The library has room for so many bytes.
    private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        if case .broken = end { return BodyStream.broken }
        let count = min(room.count, unsentBytes)
        guard count > 0 else {
            if case .whole = end { return BodyStream.whole }
            isSuspended = true
            MHD_suspend_connection(connection)
            return 0
        }
        bytes[sent..<sent + count].withUnsafeBytes { room.copyMemory(from: $0) }
        sent += count
        takenBytes += count
        if unsentBytes == 0 {
            hasCaughtUp = true
            takenBytes = 0
        }
        return count
    }

    // MARK: - For the library

    /// What the library takes for the end of a body, and for a body that cannot go on.
    private static let whole = -1
    private static let broken = -2
    /// What the library takes for "nobody knows how long".
    private static let sizeUnknown = UInt64.max
    /// Bytes asked for at a time.
    private static let blockBytes = 32 << 10

    /// A response of the library that holds this stream.
    func makeMessage() -> OpaquePointer? {
        let held = Unmanaged.passRetained(self)
        let message = MHD_create_response_from_callback(
            BodyStream.sizeUnknown, BodyStream.blockBytes, BodyStream.read, held.toOpaque(),
            BodyStream.release)
        if message == nil { held.release() }
        return message
    }

    private static let read: MHD_ContentReaderCallback = { context, _, room, size in
        let stream = Unmanaged<BodyStream>.fromOpaque(context!).takeUnretainedValue()
        return stream.fill(UnsafeMutableRawBufferPointer(start: room, count: size))
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        Unmanaged<BodyStream>.fromOpaque(context!).release()
    }
}
