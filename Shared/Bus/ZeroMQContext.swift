import CZeroMQ
import Glibc

/// Owns a context of ZeroMQ: its thread, and the names within it, such as that of the ZAP handler.
/// Sockets keep it alive; it ends with the last of them.
final class ZeroMQContext {
    let pointer: UnsafeMutableRawPointer
    private var monitors = 0

    init() throws(BusError) {
        guard let pointer = zmq_ctx_new() else { throw ZeroMQSocket.error("open context") }
        self.pointer = pointer
    }

    deinit { while zmq_ctx_term(pointer) != 0, zmq_errno() == EINTR {} }

    /// A name for a monitor that no other has.
    func monitorEndpoint() -> String {
        monitors += 1
        return "inproc://monitor-\(monitors)"
    }
}
