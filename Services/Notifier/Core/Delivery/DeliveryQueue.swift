import Collections
import Model

/// Class of messages that share queues and limits, the most urgent first.
package enum LaneClass: String, Hashable, Sendable, CaseIterable {
    case safety, account, routine

    /// In-flight attempts of one lane.
    var inFlightMax: Int {
        switch self {
        case .safety: Limits.safetyInFlightMax
        case .account: Limits.accountInFlightMax
        case .routine: Limits.routineInFlightMax
        }
    }
}

/// Queue for one class and channel, with its own limit of attempts.
struct Lane: Hashable, Sendable {
    var kind: LaneClass
    var channel: Channel

    /// All lanes, safety first.
    static let all: [Lane] = LaneClass.allCases.flatMap { kind in
        Channel.allCases.map { Lane(kind: kind, channel: $0) }
    }

    var inFlightMax: Int { kind.inFlightMax }

    /// In-flight attempts about one person, so that a slow gateway leaves room for others.
    var inFlightOfPersonMax: Int { inFlightMax * 3 / 4 }
}

/// Messages that wait to be sent, by lane.
///
/// Within a lane, the people whom messages are about take turns, so one person's messages do not
/// delay those of others. First attempts precede retries, but every fourth attempt is a retry if
/// one waits.
struct DeliveryQueue: Sendable {
    private var fresh: [Lane: FairQueue] = [:]
    private var again: [Lane: FairQueue] = [:]
    /// First attempts since the last retry.
    private var freshInRow: [Lane: Int] = [:]
    private var inFlight: [Lane: Int] = [:]
    private var inFlightOf: [Lane: [PersonID?: Int]] = [:]
    /// Retries that wait in memory for their time.
    private var waiting = DeadlineQueue<(NotificationID, Lane, PersonID?)>()

    var nextDue: Timestamp? { waiting.nextDue }
    var waitingCount: Int { waiting.count }

    /// Messages in all lanes of a class.
    func waiting(_ kind: LaneClass) -> Int {
        Channel.allCases.reduce(0) { $0 + count(in: Lane(kind: kind, channel: $1)) }
    }

    func count(in lane: Lane) -> Int { (fresh[lane]?.count ?? 0) + (again[lane]?.count ?? 0) }

    func inFlight(in lane: Lane) -> Int { inFlight[lane, default: 0] }

    /// Appends a message that is ready to be sent.
    ///
    /// - Parameter person: whom the message is about
    mutating func append(
        _ id: NotificationID, to lane: Lane, about person: PersonID?, isRetry: Bool
    ) {
        if isRetry {
            again[lane, default: FairQueue()].append(id, of: person)
        } else {
            fresh[lane, default: FairQueue()].append(id, of: person)
        }
    }

    mutating func append(
        _ id: NotificationID, to lane: Lane, about person: PersonID?, due: Timestamp
    ) {
        waiting.insert((id, lane, person), due: due)
    }

    /// Moves due retries to the ends of their lanes.
    mutating func wake(at now: Timestamp) {
        while let (id, lane, person) = waiting.pop(due: now) {
            append(id, to: lane, about: person, isRetry: true)
        }
    }

    /// Removes and returns the next message of a lane; nil if it is empty or at its limit.
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

/// FIFO per person; people take turns.
struct FairQueue: Sendable {
    private var messages: [PersonID?: Fifo<NotificationID>] = [:]
    /// People with waiting messages, the next one first.
    private var turns = Fifo<PersonID?>()
    private(set) var count = 0

    mutating func append(_ id: NotificationID, of person: PersonID?) {
        if messages[person] == nil { turns.append(person) }
        messages[person, default: Fifo()].append(id)
        count += 1
    }

    /// - Parameter busy: people to skip; they keep their turn
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
