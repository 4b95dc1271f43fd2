import CZeroMQ

/// A ZeroMQ socket, or a file descriptor with directions, for the event loop to poll.
public typealias PollItem = zmq_pollitem_t

extension PollItem {
    /// Polls a descriptor for reading, writing or both.
    public init(descriptor: Int32, read: Bool = true, write: Bool = false) {
        let events = (read ? ZMQ_POLLIN : 0) | (write ? ZMQ_POLLOUT : 0)
        self.init(socket: nil, fd: descriptor, events: Int16(events), revents: 0)
    }

    /// Polls a ZeroMQ socket for messages.
    public init(socket: UnsafeMutableRawPointer) {
        self.init(socket: socket, fd: -1, events: Int16(ZMQ_POLLIN), revents: 0)
    }
}

/// A source of events for a process's event loop.
///
/// The loop only waits; then each owner drains its sources without blocking.
public protocol Pollable: AnyObject {
    /// Appends what to poll next.
    func appendPollItems(to items: inout [PollItem])
    /// The maximum wait, milliseconds; nil = unlimited, 0 = do not wait.
    var waitMilliseconds: Int? { get }
}

/// The event loop's wait.
public enum Loop {
    /// Waits until a source is ready or the time is over; a signal ends the wait early.
    ///
    /// - Parameter milliseconds: maximum wait, further limited by the sources
    public static func wait(on pollables: [any Pollable], atMost milliseconds: Int) {
        var items: [PollItem] = []
        var wait = max(0, milliseconds)
        for pollable in pollables {
            pollable.appendPollItems(to: &items)
            if let opinion = pollable.waitMilliseconds { wait = min(wait, max(0, opinion)) }
        }
        let count = Int32(items.count)
        // An error is EINTR or a closed descriptor, which its owner detects on draining.
        _ = items.withUnsafeMutableBufferPointer { zmq_poll($0.baseAddress, count, wait) }
    }
}
