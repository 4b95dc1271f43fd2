import Collections
import Wire

/// Bounded queue of received messages of one socket, with separate bounds per sender.
///
/// ZeroMQ's own receive queues are unlimited here (see ``ZeroMQSocket``). They are drained into
/// this queue, which drops messages above its bounds. Messages are taken round-robin over senders:
/// a flooding sender delays and loses only its own messages.
struct ReceiveQueue {
    /// Bounds of the queue.
    struct Limits: Hashable {
        var messagesPerSender: Int
        var bytesPerSender: Int
        /// Of all senders together. A sender without waiting messages may exceed it by one message.
        var bytes: Int
    }

    private struct Waiting {
        var messages = Fifo<ZeroMQSocket.Message>()
        var bytes = 0
    }

    private let limits: Limits
    /// By the file descriptor of their connection.
    private var senders: [Int32: Waiting] = [:]
    private var order = Fifo<Int32>()
    private var bytes = 0

    init(_ limits: Limits) { self.limits = limits }

    var isEmpty: Bool { order.isEmpty }

    /// Returns whether a message is within the bounds.
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

    /// Removes the next message, round-robin over senders.
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
