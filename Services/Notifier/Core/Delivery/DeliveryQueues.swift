import Model

/// Messages that wait to be sent: lanes by class and channel, and the order of routine messages.
struct DeliveryQueues: Sendable {
    private var lanes = DeliveryQueue()
    private var ordered = OrderedDeliveries()

    var nextDue: Timestamp? { lanes.nextDue }

    /// Messages that wait in memory for a retry.
    var retrying: Int { lanes.waitingCount }

    /// Routine messages that wait.
    var routineWaiting: Int {
        Channel.allCases.reduce(lanes.waiting(.routine)) { $0 + ordered.waiting(on: $1) }
    }

    /// Messages about accounts that wait.
    var accountWaiting: Int { lanes.waiting(.account) }

    /// Load of every lane, safety first.
    var load: [LaneLoad] {
        Lane.all.map {
            LaneLoad(
                kind: $0.kind, channel: $0.channel,
                waiting: lanes.count(in: $0)
                    + ($0.kind == .routine ? ordered.waiting(on: $0.channel) : 0),
                inFlight: lanes.inFlight(in: $0))
        }
    }

    /// Gives a routine message its place in the order of creation.
    mutating func setOrder(of message: inout Notification) {
        if message.orderingKey != nil, message.order == nil { message.order = ordered.nextOrder() }
    }

    /// Makes sure that new messages come after this order.
    mutating func reserve(_ order: UInt64?) { ordered.reserve(order) }

    /// Appends a message that is ready to be sent to its lane.
    mutating func append(_ message: Notification, isRetry: Bool) {
        lanes.append(message.id, to: message.lane, about: message.person, isRetry: isRetry)
    }

    /// Appends a message to its lane at a time.
    mutating func append(_ message: Notification, due: Timestamp) {
        lanes.append(message.id, to: message.lane, about: message.person, due: due)
    }

    /// Moves due retries to their lanes.
    mutating func wake(at now: Timestamp) { lanes.wake(at: now) }

    /// Removes and returns the next message of a lane; nil if it is empty or at its limit.
    mutating func next(in lane: Lane) -> NotificationID? { lanes.next(in: lane) }

    mutating func started(_ message: Notification) {
        lanes.started(in: message.lane, about: message.person)
        if let key = message.orderingKey { ordered.started(in: key) }
    }

    mutating func finished(_ message: Notification) {
        lanes.finished(in: message.lane, about: message.person)
        if let key = message.orderingKey { ordered.finished(in: key) }
    }

    // MARK: Order

    /// Inserts a message into the order.
    ///
    /// - Returns: true if it may be sent as soon as its lane allows
    mutating func insert(_ message: Notification, in book: NotificationBook) -> Bool {
        guard let key = message.orderingKey, message.isHeld != true else { return true }
        ordered.insert(message, in: key)
        return isNext(message, in: book)
    }

    /// Whether a message is the next of its order.
    mutating func isNext(_ message: Notification, in book: NotificationBook) -> Bool {
        guard let key = message.orderingKey, message.isHeld != true else { return true }
        return first(in: key, book) == message.id && ordered.isFree(key)
    }

    /// Moves the next message to its lane after one was settled or deferred.
    mutating func releaseNext(
        after message: Notification, in book: NotificationBook, at now: Timestamp
    ) {
        guard let key = message.orderingKey, let id = first(in: key, book), ordered.isFree(key),
            let next = book[id], let due = next.due, due <= now
        else { return }
        append(next, isRetry: next.attempts > 0)
    }

    /// The first waiting message, which a newer one makes due now; nil if it is due or its gateway
    /// asked to wait.
    mutating func deferred(
        before message: Notification, in book: NotificationBook, at now: Timestamp
    ) -> Notification? {
        guard let key = message.orderingKey, let id = first(in: key, book), id != message.id,
            ordered.isFree(key), let waiting = book[id], let due = waiting.due, now < due,
            !(waiting.gatewayBackoffs ?? [:]).contains(where: { now < $0.value })
        else { return nil }
        return waiting
    }

    /// The first message that is waiting or in flight. Messages held for the operator do not block
    /// others.
    private mutating func first(in key: OrderingKey, _ book: NotificationBook) -> NotificationID? {
        while let id = ordered.first(in: key) {
            if let message = book[id], message.isPending, message.isHeld != true { return id }
            ordered.removeFirst(of: key)
        }
        return nil
    }
}

/// Messages waiting and in flight in one lane.
package struct LaneLoad: Hashable, Sendable {
    package var kind: LaneClass
    package var channel: Channel
    package var waiting: Int
    package var inFlight: Int
}
