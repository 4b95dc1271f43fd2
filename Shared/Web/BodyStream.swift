import CMicroHTTPD

/// Step of a streamed response.
public enum StreamStep: Hashable, Sendable {
    /// Status, headers and the first piece.
    case begin(Response)
    case piece([UInt8])
    /// The body is complete.
    case end
    /// The body is incomplete: the connection is aborted, so that the client notices.
    case cut
}

/// Body of a streamed response.
///
/// The service appends pieces; the HTTP library reads them when the connection is writable. While
/// there is nothing to send, the connection is suspended.
final class BodyStream {
    private enum End { case open, whole, broken }

    /// The library's connection, valid until the request is completed.
    private let connection: OpaquePointer
    private var bytes: [UInt8]
    /// Bytes of ``bytes`` that the library has read.
    private var sent = 0
    private var end = End.open
    private var isSuspended = false
    private let unsentBytesMax: Int
    /// Bytes read by the library since the client was last up to date.
    private(set) var readBytes = 0
    /// Whether the client was up to date at some time since the last ``catchUp()``.
    private var hasCaughtUp = true

    /// - Parameter unsentBytesMax: with more unsent bytes, the response is aborted
    init(connection: OpaquePointer, first: [UInt8], unsentBytesMax: Int) {
        self.connection = connection
        self.unsentBytesMax = unsentBytesMax
        bytes = first
    }

    /// Bytes that the library has not read yet.
    var unsentBytes: Int { bytes.count - sent }

    /// Returns whether the client is up to date, or was since the last call.
    func catchUp() -> Bool {
        defer { hasCaughtUp = false }
        return hasCaughtUp || unsentBytes == 0
    }

    func apply(_ step: StreamStep) {
        guard case .open = end else { return }
        switch step {
        case .begin: return
        case .piece(let piece) where unsentBytes + piece.count > unsentBytesMax:
            end = .broken
            bytes = []
            sent = 0
        case .piece(let piece):
            if sent == bytes.count {
                // The client was up to date until now.
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

    /// Copies bytes into the library's buffer.
    private func copy(into room: UnsafeMutableRawBufferPointer) -> Int {
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
        readBytes += count
        if unsentBytes == 0 {
            hasCaughtUp = true
            readBytes = 0
        }
        return count
    }

    // MARK: - For the library

    /// `MHD_CONTENT_READER_END_OF_STREAM` and `MHD_CONTENT_READER_END_WITH_ERROR`.
    private static let whole = -1
    private static let broken = -2
    /// `MHD_SIZE_UNKNOWN`.
    private static let sizeUnknown = UInt64.max
    /// Size of the library's buffer.
    private static let blockBytes = 32 << 10

    /// Creates a response of the library that owns this stream.
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
        return stream.copy(into: UnsafeMutableRawBufferPointer(start: room, count: size))
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        Unmanaged<BodyStream>.fromOpaque(context!).release()
    }
}
