import CMicroHTTPD
import Glibc

/// The HTTP library, driven as in services, with the response `[]` to every request: the limit of
/// a service.
struct Limit {
    /// State of a request: whether it waits for its response.
    private final class Exchange {
        let connection: OpaquePointer
        var isReady = false

        init(_ connection: OpaquePointer) { self.connection = connection }
    }

    /// Requests of one turn of the loop.
    private final class Turn { var complete: [Exchange] = [] }

    private let turn = Turn()
    private let daemon: OpaquePointer

    init(port: Int) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0)
        var yes: Int32 = 1
        setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        name.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, listen(listening, 1024) == 0,
            let daemon = cmhd_start(
                listening, { _, _, _ in .YES }, { _, _, _, _ in }, Limit.handle, Limit.complete,
                { _, _, _ in nil },
                Unmanaged.passUnretained(turn).toOpaque(),
                cmhd_limits(
                    connections: 1000, idle_seconds: 60, connection_memory: 32_768))
        else { fatalError("cannot serve port \(port)") }
        self.daemon = daemon
    }

    private static let handle: MHD_AccessHandlerCallback = {
        context, connection, _, _, _, upload, uploadBytes, slot in
        guard let pointer = slot!.pointee else {
            slot!.pointee = Unmanaged.passRetained(Exchange(connection!)).toOpaque()
            return .YES
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        if uploadBytes!.pointee > 0 {
            uploadBytes!.pointee = 0
            return .YES
        }
        guard exchange.isReady else {
            Unmanaged<Turn>.fromOpaque(context!).takeUnretainedValue().complete.append(exchange)
            MHD_suspend_connection(connection)
            return .YES
        }
        let response = MHD_create_response_from_buffer(
            2, UnsafeMutableRawPointer(mutating: Limit.responseBody), .RESPMEM_PERSISTENT)
        defer { MHD_destroy_response(response) }
        return MHD_queue_response(connection, 200, response)
    }

    private static let complete: MHD_RequestCompletedCallback = { _, _, slot, _ in
        guard let pointer = slot!.pointee else { return }
        Unmanaged<Exchange>.fromOpaque(pointer).release()
        slot!.pointee = nil
    }

    /// `[]`; never freed.
    nonisolated(unsafe) private static let responseBody: UnsafeRawPointer = {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 2, alignment: 1)
        bytes.copyMemory(from: "[]", byteCount: 2)
        return UnsafeRawPointer(bytes)
    }()

    func run() {
        Main.printLine("ready")
        while !Main.isInputClosed {
            var item = pollfd(fd: cmhd_epoll_fd(daemon), events: Int16(POLLIN), revents: 0)
            var milliseconds: CUnsignedLongLong = 0
            let hasTimeout = MHD_get_timeout(daemon, &milliseconds) == .YES
            // Requests that arrived while responses were sent are handled at once.
            let wait =
                turn.complete.isEmpty ? (hasTimeout ? Int32(min(milliseconds, 100)) : 100) : 0
            poll(&item, 1, wait)
            MHD_run(daemon)
            for exchange in turn.complete {
                exchange.isReady = true
                MHD_resume_connection(exchange.connection)
            }
            turn.complete.removeAll(keepingCapacity: true)
            MHD_run(daemon)
        }
        MHD_stop_daemon(daemon)
    }
}
