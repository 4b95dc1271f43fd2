import CLinux
import Glibc
import Model

/// Whoever started this process and wants to hear how it goes, by datagrams as sd_notify(3) of
/// systemd describes them. Without `NOTIFY_SOCKET` in the environment there is nobody.
///
/// The loop itself tells that it turns: one that is stuck falls silent, and is started again.
public final class ServiceManager {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let addressSize: socklen_t
    /// It must hear at least so often; nil = it does not mind.
    public let watchdog: Duration?
    private var lastBeat: Duration?

    /// - Returns: nil where nobody wants to hear
    /// - Throws: where `NOTIFY_SOCKET` is no address of a socket: then systemd would wait in vain
    public init?(
        environment: [String: String] = Configuration.processEnvironment()
    ) throws(SystemError) {
        guard let socket = environment["NOTIFY_SOCKET"] else { return nil }
        guard let (address, size) = ServiceManager.address(of: socket) else {
            throw SystemError(
                EINVAL, "tell \(socket) that the service runs",
                hint: "NOTIFY_SOCKET is a path, or @ and a name, of at most 107 bytes.")
        }
        self.address = address
        addressSize = size
        watchdog = ServiceManager.watchdog(environment)
        descriptor = clinux_socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(errno, "open a socket to \(socket)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The service takes requests from now on.
    ///
    /// - Parameter status: what `systemctl status` shows
    public func ready(_ status: String) throws(SystemError) {
        try send("READY=1\nSTATUS=\(status.filter { !$0.isNewline })")
    }

    /// The service was told to end and does so.
    public func stopping() { try? send("STOPPING=1") }

    /// A turn of the loop has ended. Told on at most four times in the time that is allowed between
    /// two, so that one that is lost does no harm.
    ///
    /// - Parameter now: of a clock that never jumps
    public func beat(_ now: Duration) {
        guard let watchdog else { return }
        if let lastBeat, now - lastBeat < watchdog / 4 { return }
        lastBeat = now
        try? send("WATCHDOG=1")
    }

    private func send(_ state: String) throws(SystemError) {
        var address = address
        let text = Array(state.utf8)
        let count = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor, text, text.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0,
                    addressSize)
            }
        }
        if count != text.count { throw SystemError(errno, "tell systemd \(state)") }
    }

    /// A path, or `@` and a name that no file stands for.
    private static func address(of text: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(text.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count > 1, bytes.count < room, !bytes.contains(0) else { return nil }
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        guard isAbstract || bytes[0] == UInt8(ascii: "/") else { return nil }
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // A path ends with a zero; every byte of a name without a file counts.
        let size = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
        return (address, socklen_t(size))
    }

    /// Of this process, not of one whose environment it has from its parent.
    private static func watchdog(_ environment: [String: String]) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init),
            microseconds > 0
        else { return nil }
        if let owner = environment["WATCHDOG_PID"], owner != String(getpid()) { return nil }
        return .microseconds(microseconds)
    }
}
