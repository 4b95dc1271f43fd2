import CLinux
import Glibc
import Model

/// Notifies systemd of the service's state by datagrams, as in sd_notify(3).
///
/// The event loop sends the watchdog's heartbeat: a stuck service stops sending and is restarted.
public final class ServiceManager {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let addressSize: socklen_t
    /// Maximum interval between heartbeats; nil = no watchdog.
    public let watchdog: Duration?
    private var lastBeat: Duration?

    /// - Returns: nil without `NOTIFY_SOCKET` in the environment
    /// - Throws: if `NOTIFY_SOCKET` is not a socket address, since systemd would wait forever
    public init?(
        environment: [String: String] = Configuration.processEnvironment()
    ) throws(SystemError) {
        guard let socket = environment["NOTIFY_SOCKET"] else { return nil }
        guard let (address, size) = ServiceManager.address(of: socket) else {
            throw SystemError(
                EINVAL, "notify \(socket)",
                hint: "Set NOTIFY_SOCKET to a path, or to @ and a name, of at most 107 bytes.")
        }
        self.address = address
        addressSize = size
        watchdog = ServiceManager.watchdog(environment)
        descriptor = clinux_socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(errno, "open a socket to \(socket)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reports that the service accepts requests.
    ///
    /// - Parameter status: text for `systemctl status`
    public func ready(_ status: String) throws(SystemError) {
        try send("READY=1\nSTATUS=\(status.filter { !$0.isNewline })")
    }

    /// Reports that the service is stopping.
    public func stopping() { try? send("STOPPING=1") }

    /// Reports that a turn of the event loop ended. Sends a heartbeat every quarter of the allowed
    /// interval, so that one may be lost.
    ///
    /// - Parameter now: monotonic time
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
        if count != text.count { throw SystemError(errno, "send \(state) to systemd") }
    }

    /// Parses a path, or `@` and the name of an abstract socket.
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
        // A path ends with a zero; in an abstract name every byte counts.
        let size = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
        return (address, socklen_t(size))
    }

    /// The interval for this process; nil if the variable belongs to its parent.
    private static func watchdog(_ environment: [String: String]) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init),
            microseconds > 0
        else { return nil }
        if let owner = environment["WATCHDOG_PID"], owner != String(getpid()) { return nil }
        return .microseconds(microseconds)
    }
}
