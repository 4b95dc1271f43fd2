import Model

/// A queue of messages that share nothing with the others: no place, no limit.
struct Lane: Hashable, Sendable {
    var isSafety: Bool
    var channel: Channel

    /// Safety first.
    static let all: [Lane] = [true, false].flatMap { isSafety in
        Channel.allCases.map { Lane(isSafety: isSafety, channel: $0) }
    }

    var inFlightMax: Int { isSafety ? Limits.safetyInFlightMax : Limits.newsInFlightMax }
}

/// Everything that waits to be sent, lane by lane: first tries before further ones.
struct Lanes: Sendable {
    private var fresh: [Lane: Fifo<NotificationID>] = [:]
    private var again: [Lane: Fifo<NotificationID>] = [:]
    private var inFlight: [Lane: Int] = [:]
    /// Waits that are short enough to be kept here.
    private var waiting = DeadlineQueue<(NotificationID, Lane)>()

    var nextDue: Timestamp? { waiting.nextDue }
    var waitingCount: Int { waiting.count }

    /// Messages waiting in the lanes of zone news.
    var newsWaiting: Int {
        Lane.all.filter { !$0.isSafety }.reduce(0) { $0 + count(in: $1) }
    }

    func count(in lane: Lane) -> Int { (fresh[lane]?.count ?? 0) + (again[lane]?.count ?? 0) }

    func inFlight(in lane: Lane) -> Int { inFlight[lane, default: 0] }

    mutating func append(_ id: NotificationID, to lane: Lane, isRetry: Bool) {
        if isRetry {
            again[lane, default: Fifo()].append(id)
        } else {
            fresh[lane, default: Fifo()].append(id)
        }
    }

    mutating func append(_ id: NotificationID, to lane: Lane, due: Timestamp) {
        waiting.insert((id, lane), due: due)
    }

    /// Moves what has waited long enough to the ends of its lanes.
    mutating func wake(at now: Timestamp) {
        while let (id, lane) = waiting.pop(due: now) { append(id, to: lane, isRetry: true) }
    }

    /// The next message of a lane; nil when it is empty or full of attempts.
    mutating func next(in lane: Lane) -> NotificationID? {
        guard inFlight(in: lane) < lane.inFlightMax else { return nil }
        return fresh[lane]?.popFirst() ?? again[lane]?.popFirst()
    }

    mutating func started(in lane: Lane) { inFlight[lane, default: 0] += 1 }
    mutating func finished(in lane: Lane) {
        inFlight[lane] = max(0, inFlight(in: lane) - 1)
    }
}

/// First in, first out.
struct Fifo<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Puts it in its place among elements that are in order; at once where that is the end.
    mutating func insert(_ element: Element, by isBefore: (Element, Element) -> Bool) {
        var place = elements.count
        while place > head, isBefore(element, elements[place - 1]) { place -= 1 }
        elements.insert(element, at: place)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            head += 1
            if head == elements.count || head >= 1024 {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }
}
