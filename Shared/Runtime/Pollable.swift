import CZeroMQ

/// What the loop waits for: a ZeroMQ socket, or a file descriptor and its directions.
public typealias PollItem = zmq_pollitem_t

extension PollItem {
    /// Waits until the descriptor can be read, written, or either.
    public init(descriptor: Int32, read: Bool = true, write: Bool = false) {
        let events = (read ? ZMQ_POLLIN : 0) | (write ? ZMQ_POLLOUT : 0)
        self.init(socket: nil, fd: descriptor, events: Int16(events), revents: 0)
    }

    /// Waits until the ZeroMQ socket has a message.
    public init(socket: UnsafeMutableRawPointer) {
        self.init(socket: socket, fd: -1, events: Int16(ZMQ_POLLIN), revents: 0)
    }
}

/// Something that the one loop of a process waits for.
///
/// The loop only wakes up; after it each owner drains what it owns without waiting.
public protocol Pollable: AnyObject {
    /// Adds what to wait for in the coming wait.
    func appendPollItems(to items: inout [PollItem])
    /// The longest sensible wait in milliseconds: nil = no opinion, 0 = at once.
    var waitMilliseconds: Int? { get }
}

/// The one wait of a process.
public enum Loop {
    /// Waits until one of them is ready or the time is over; a signal ends the wait early.
    ///
    /// - Parameter milliseconds: at most so long; shortened to the smallest opinion
    public static func wait(on pollables: [any Pollable], atMost milliseconds: Int) {
        var items: [PollItem] = []
        var wait = max(0, milliseconds)
        for pollable in pollables {
            pollable.appendPollItems(to: &items)
            if let opinion = pollable.waitMilliseconds { wait = min(wait, max(0, opinion)) }
        }
        let count = Int32(items.count)
        // Failure means EINTR, or a descriptor closed under us, which its owner finds on draining.
        _ = items.withUnsafeMutableBufferPointer { zmq_poll($0.baseAddress, count, wait) }
    }
}
