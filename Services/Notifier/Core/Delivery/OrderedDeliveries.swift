import Collections
import Model

/// Identifies the messages to one recipient about one person on one channel. They are sent one at a
/// time in order of creation, because the last one to arrive must be the newest.
struct OrderingKey: Hashable, Sendable {
    /// Nil = only an address.
    var recipient: PersonID?
    /// Empty if the recipient is known: their other contact points have the same key.
    var address: String
    var channel: Channel
    var person: PersonID
}

/// FIFO queues of routine messages, one per ordering key. Calls for help are not ordered.
struct OrderedDeliveries: Sendable {
    private struct Member: Sendable {
        var order: UInt64
        var created: Timestamp
        var id: NotificationID

        func isBefore(_ other: Member) -> Bool {
            (order, created, id) < (other.order, other.created, other.id)
        }
    }

    private struct Queue: Sendable {
        var members = Fifo<Member>()
        var inFlightAttempts = 0
    }

    private var queues: [OrderingKey: Queue] = [:]
    private var behind: [Channel: Int] = [:]
    /// Order of the newest message.
    private var lastOrder: UInt64 = 0

    /// Returns the order for a new message.
    mutating func nextOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    /// Makes sure that new messages come after this order.
    mutating func reserve(_ order: UInt64?) { lastOrder = max(lastOrder, order ?? 0) }

    /// Messages behind the first of their queue.
    func waiting(on channel: Channel) -> Int { behind[channel, default: 0] }

    func first(in key: OrderingKey) -> NotificationID? { queues[key]?.members.first?.id }

    /// Whether no message of a key is in flight.
    func isFree(_ key: OrderingKey) -> Bool { (queues[key]?.inFlightAttempts ?? 0) == 0 }

    /// Inserts a message by its order.
    mutating func insert(_ message: Notification, in key: OrderingKey) {
        let member = Member(
            order: message.order ?? 0, created: message.created, id: message.id)
        var queue = queues.removeValue(forKey: key) ?? Queue()
        if queue.members.count > 0 { behind[key.channel, default: 0] += 1 }
        queue.members.insert(member) { $0.isBefore($1) }
        queues[key] = queue
    }

    mutating func removeFirst(of key: OrderingKey) {
        guard queues[key]?.members.popFirst() != nil else { return }
        if let left = queues[key]?.members.count, left > 0 {
            behind[key.channel, default: 0] -= 1
        }
        removeIfEmpty(key)
    }

    mutating func started(in key: OrderingKey) {
        queues[key, default: Queue()].inFlightAttempts += 1
    }

    mutating func finished(in key: OrderingKey) {
        queues[key]?.inFlightAttempts -= 1
        removeIfEmpty(key)
    }

    private mutating func removeIfEmpty(_ key: OrderingKey) {
        guard let queue = queues[key], queue.members.count == 0,
            queue.inFlightAttempts <= 0
        else { return }
        queues[key] = nil
    }
}

extension Notification {
    /// Key of its queue; nil = not ordered.
    var orderingKey: OrderingKey? {
        guard severity == .routine, let person else { return nil }
        return OrderingKey(
            recipient: recipient, address: recipient == nil ? address : "", channel: channel,
            person: person)
    }
}
