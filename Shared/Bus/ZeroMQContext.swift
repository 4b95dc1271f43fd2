import CZeroMQ
import Glibc

/// Owns a ZeroMQ context with its I/O thread. Closed after the last of its sockets.
final class ZeroMQContext {
    let pointer: UnsafeMutableRawPointer
    private var monitors = 0

    init() throws(BusError) {
        guard let pointer = zmq_ctx_new() else { throw ZeroMQSocket.error("open context") }
        self.pointer = pointer
    }

    deinit { while zmq_ctx_term(pointer) != 0, zmq_errno() == EINTR {} }

    /// A unique endpoint for a socket monitor.
    func monitorEndpoint() -> String {
        monitors += 1
        return "inproc://monitor-\(monitors)"
    }
}
