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

    /// Attempts at once about one person: a slow gateway leaves room for others.
    var inFlightOfPersonMax: Int { inFlightMax * 3 / 4 }
}

/// Everything that waits to be sent, lane by lane. Within a lane the people whom messages are about
/// take turns, so one person's many messages delay nobody else's. First attempts go before further
/// ones, but one of four is a further one where any waits.
struct Lanes: Sendable {
    private var fresh: [Lane: TurnQueue] = [:]
    private var again: [Lane: TurnQueue] = [:]
    /// First attempts since the last further one.
    private var freshInRow: [Lane: Int] = [:]
    private var inFlight: [Lane: Int] = [:]
    private var inFlightOf: [Lane: [PersonID?: Int]] = [:]
    /// Waits that are short enough to be kept here.
    private var waiting = DeadlineQueue<(NotificationID, Lane, PersonID?)>()

    var nextDue: Timestamp? { waiting.nextDue }
    var waitingCount: Int { waiting.count }

    /// Messages waiting in the lanes of zone news.
    var newsWaiting: Int {
        Lane.all.filter { !$0.isSafety }.reduce(0) { $0 + count(in: $1) }
    }

    func count(in lane: Lane) -> Int { (fresh[lane]?.count ?? 0) + (again[lane]?.count ?? 0) }

    func inFlight(in lane: Lane) -> Int { inFlight[lane, default: 0] }

    /// - Parameter person: whom the message is about
    mutating func append(
        _ id: NotificationID, to lane: Lane, about person: PersonID?, isRetry: Bool
    ) {
        if isRetry {
            again[lane, default: TurnQueue()].append(id, of: person)
        } else {
            fresh[lane, default: TurnQueue()].append(id, of: person)
        }
    }

    mutating func append(
        _ id: NotificationID, to lane: Lane, about person: PersonID?, due: Timestamp
    ) {
        waiting.insert((id, lane, person), due: due)
    }

    /// Moves what has waited long enough to the ends of its lanes.
    mutating func wake(at now: Timestamp) {
        while let (id, lane, person) = waiting.pop(due: now) {
            append(id, to: lane, about: person, isRetry: true)
        }
    }

    /// The next message of a lane; nil when it is empty or full of attempts.
    mutating func next(in lane: Lane) -> NotificationID? {
        guard inFlight(in: lane) < lane.inFlightMax else { return nil }
        let busy = Set(
            inFlightOf[lane, default: [:]].filter { $0.value >= lane.inFlightOfPersonMax }.keys)
        if freshInRow[lane, default: 0] >= Limits.freshInRowMax,
            let id = again[lane]?.popFirst(besides: busy)
        {
            freshInRow[lane] = 0
            return id
        }
        if let id = fresh[lane]?.popFirst(besides: busy) {
            freshInRow[lane, default: 0] += 1
            return id
        }
        freshInRow[lane] = 0
        return again[lane]?.popFirst(besides: busy)
    }

    mutating func started(in lane: Lane, about person: PersonID?) {
        inFlight[lane, default: 0] += 1
        inFlightOf[lane, default: [:]][person, default: 0] += 1
    }

    mutating func finished(in lane: Lane, about person: PersonID?) {
        inFlight[lane] = max(0, inFlight(in: lane) - 1)
        guard let count = inFlightOf[lane]?[person] else { return }
        inFlightOf[lane]?[person] = count > 1 ? count - 1 : nil
    }
}

/// Messages in the order in which they came, person by person; people take turns.
struct TurnQueue: Sendable {
    private var messages: [PersonID?: Fifo<NotificationID>] = [:]
    /// People with waiting messages; the first one is next.
    private var turns = Fifo<PersonID?>()
    private(set) var count = 0

    mutating func append(_ id: NotificationID, of person: PersonID?) {
        if messages[person] == nil { turns.append(person) }
        messages[person, default: Fifo()].append(id)
        count += 1
    }

    /// - Parameter busy: people whose messages have to wait; they keep their place
    mutating func popFirst(besides busy: Set<PersonID?> = []) -> NotificationID? {
        for _ in 0..<turns.count {
            guard let person = turns.popFirst() else { return nil }
            if busy.contains(person) {
                turns.append(person)
                continue
            }
            guard let id = messages[person]?.popFirst() else { continue }
            count -= 1
            if messages[person]?.count == 0 {
                messages[person] = nil
            } else {
                turns.append(person)
            }
            return id
        }
        return nil
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
