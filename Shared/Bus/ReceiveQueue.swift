import Wire

/// Messages of one socket that were received and wait to be handled, bounded for each sender.
///
/// ZeroMQ's own receive queues have no limit here (see ``ZeroMQSocket``), so they are emptied into
/// this one, which drops what is too much. Senders take turns, and the bounds are separate for each
/// of them: one that floods delays and loses its own messages, not those of others.
struct ReceiveQueue {
    /// How much may wait.
    struct Limits: Hashable {
        var messagesPerSender: Int
        var bytesPerSender: Int
        /// Of all senders. A sender of which nothing waits may add one message more.
        var bytes: Int
    }

    private struct Waiting {
        var messages = Fifo<ZeroMQSocket.Message>()
        var bytes = 0
    }

    private let limits: Limits
    /// By the number of their connection.
    private var senders: [Int32: Waiting] = [:]
    private var order = Fifo<Int32>()
    private var bytes = 0

    init(_ limits: Limits) { self.limits = limits }

    var isEmpty: Bool { order.isEmpty }

    /// Whether a message may be added.
    func admits(from sender: Int32, bytes size: Int) -> Bool {
        guard let waiting = senders[sender] else { return true }
        return waiting.messages.count < limits.messagesPerSender
            && waiting.bytes + size <= limits.bytesPerSender && bytes + size <= limits.bytes
    }

    mutating func append(_ message: ZeroMQSocket.Message, from sender: Int32) {
        let size = message.byteCount
        if senders[sender] == nil { order.append(sender) }
        senders[sender, default: Waiting()].messages.append(message)
        senders[sender]?.bytes += size
        bytes += size
    }

    /// The next message, of each sender in turn.
    mutating func popFirst() -> ZeroMQSocket.Message? {
        guard let sender = order.popFirst(),
            let message = senders[sender]?.messages.popFirst()
        else { return nil }
        let size = message.byteCount
        bytes -= size
        senders[sender]?.bytes -= size
        if senders[sender]?.messages.isEmpty == true {
            senders[sender] = nil
        } else {
            order.append(sender)
        }
        return message
    }
}
