import Model

/// What one recipient is told of one person on one channel. Of that, one message is on its way at
/// a time, in the order in which they were made: the last to arrive is what holds.
struct Line: Hashable, Sendable {
    /// Nil where they are only an address.
    var recipient: PersonID?
    /// Empty where the recipient is known: another contact point of theirs is the same line.
    var address: String
    var channel: Channel
    var person: PersonID
}

/// The lines in which news waits for what was made before. Calls for help stand in none.
struct Queues: Sendable {
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
        var flights = 0
    }

    private var queues: [Line: Queue] = [:]
    private var behind: [Channel: Int] = [:]
    /// Given to the message that was made last.
    private var lastOrder: UInt64 = 0

    /// The place of a new message in the order of all.
    mutating func nextOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    /// A message of before had this place: new ones come after it.
    mutating func learn(_ order: UInt64?) { lastOrder = max(lastOrder, order ?? 0) }

    /// Messages that wait for others.
    func waiting(on channel: Channel) -> Int { behind[channel, default: 0] }

    func first(in line: Line) -> NotificationID? { queues[line]?.members.first?.id }

    /// Whether nothing of a line is on its way.
    func isFree(_ line: Line) -> Bool { (queues[line]?.flights ?? 0) == 0 }

    /// Behind all that were made before it.
    mutating func insert(_ message: Notification, in line: Line) {
        let member = Member(
            order: message.order ?? 0, created: message.created, id: message.id)
        var queue = queues.removeValue(forKey: line) ?? Queue()
        if queue.members.count > 0 { behind[line.channel, default: 0] += 1 }
        queue.members.insert(member) { $0.isBefore($1) }
        queues[line] = queue
    }

    mutating func removeFirst(of line: Line) {
        guard queues[line]?.members.popFirst() != nil else { return }
        if let left = queues[line]?.members.count, left > 0 {
            behind[line.channel, default: 0] -= 1
        }
        forgetIfEmpty(line)
    }

    mutating func started(in line: Line) { queues[line, default: Queue()].flights += 1 }

    mutating func finished(in line: Line) {
        queues[line]?.flights -= 1
        forgetIfEmpty(line)
    }

    private mutating func forgetIfEmpty(_ line: Line) {
        guard let queue = queues[line], queue.members.count == 0, queue.flights <= 0 else { return }
        queues[line] = nil
    }
}

extension Notification {
    /// Where it waits for its turn; nil = it waits for no other.
    var line: Line? {
        guard severity == .news, let person else { return nil }
        return Line(
            recipient: recipient, address: recipient == nil ? address : "", channel: channel,
            person: person)
    }
}

// News of a person is told in its order: each message waits for those before it.
extension Notifier {
    /// A message takes its place; true if it may be attempted as soon as its lane allows.
    mutating func lineUp(_ message: Notification) -> Bool {
        guard let line = message.line, message.isHeld != true else { return true }
        queues.insert(message, in: line)
        return isNext(message)
    }

    /// Whether it is a message's turn.
    mutating func isNext(_ message: Notification) -> Bool {
        guard let line = message.line, message.isHeld != true else { return true }
        return first(in: line) == message.id && queues.isFree(line)
    }

    /// The first of a line that still waits, or is on its way; nil = nothing of it does. What the
    /// operator is to decide about holds nothing up.
    private mutating func first(in line: Line) -> NotificationID? {
        while let id = queues.first(in: line) {
            if let message = notifications[id], message.isPending, message.isHeld != true {
                return id
            }
            queues.removeFirst(of: line)
        }
        return nil
    }

    /// A message is through, or has to wait: whose turn it is now goes to its lane.
    mutating func advance(_ message: Notification, _ turn: Turn) {
        guard let line = message.line, let id = first(in: line), queues.isFree(line),
            let next = notifications[id], let due = next.due, due <= turn.now
        else { return }
        lanes.append(id, to: next.lane, about: next.person, isRetry: next.attempts > 0)
    }

    /// There is something new to tell: what waits before it for another attempt is tried now,
    /// unless its gateway has asked for patience.
    mutating func hasten(before message: Notification, _ turn: inout Turn) {
        guard let line = message.line, let id = first(in: line), id != message.id,
            queues.isFree(line), var waiting = notifications[id], let due = waiting.due,
            turn.now < due,
            !(waiting.gatewaysResting ?? [:]).contains(where: { turn.now < $0.value })
        else { return }
        unwant(waiting.clock, &turn)
        waiting.clock = nil
        waiting.due = turn.now
        keep(waiting, isChange: false, &turn)
        lanes.append(id, to: waiting.lane, about: waiting.person, isRetry: true)
    }

    /// Messages that wait to be told as news.
    var newsWaiting: Int {
        Channel.allCases.reduce(lanes.newsWaiting) { $0 + queues.waiting(on: $1) }
    }
}
