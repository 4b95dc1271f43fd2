import Directory
import Model

@testable import JourneysCore

/// Ids that tests can read: the n-th of its kind.
func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 1, low: number)) }
func device(_ number: UInt64) -> DeviceID { DeviceID(ID128(high: 2, low: number)) }
func circle(_ number: UInt64) -> CircleID { CircleID(ID128(high: 4, low: number)) }

let start = Timestamp(seconds: 1_800_000_000)

/// Journeys with a directory, a clock set by hand, and a store, so that a test can take the process
/// down at any time.
struct Bench {
    var directory = Replica()
    var journeys = Journeys(Journeys.Stored())
    var now = start
    var store = MemoryStore()
    private var answers: [UInt64: JourneyAnswer] = [:]
    private var nextRequest: UInt64 = 1

    /// Anna (1), Ben (2) and guardian Cho (3) are in circle 1, Dan (4) and Anna in circle 2; Eve
    /// (5) is alone.
    init() {
        for number in 1...5 as ClosedRange<UInt64> {
            directory.apply(.personChanged(Person(id: person(number), name: "P\(number)")))
        }
        directory.apply(aCircle(1, [member(1, .admin), member(2), member(3, .guardian)]))
        directory.apply(aCircle(2, [member(4, .admin), member(1)]))
    }

    mutating func handle(_ input: Journeys.Input) {
        var turn = Turn<Journeys.Effect>(now: now, directory: directory)
        journeys.handle(input, &turn)
        for effect in turn.effects {
            switch effect {
            case .save(let change): store.perform(change)
            case .answer(let request, let answer): answers[request] = answer
            }
        }
    }

    mutating func change(_ change: EventBody) {
        handle(.directoryChanging(change, at: now))
        directory.apply(change)
    }

    mutating func wait(_ seconds: Int) { now = now + .seconds(seconds) }

    mutating func endTurn() { handle(.turnEnd) }

    /// The process dies and starts again from its store.
    mutating func restart() { journeys = Journeys(store.stored) }

    /// Anna's phone reports fixes of so many seconds after `start`.
    mutating func report(at seconds: Int64...) {
        for second in seconds { handle(.fix(fix(at: second), of: person(1))) }
    }

    /// Starts, stops, resets or removes a journey of somebody.
    @discardableResult
    mutating func journey(
        _ action: JourneyAction, of number: UInt64 = 1, _ journey: Int64? = nil,
        as principal: Principal? = nil
    ) -> JourneyAnswer? {
        defer { nextRequest += 1 }
        handle(
            .request(
                JourneyRequest(
                    request: nextRequest, principal: principal ?? .person(person(number)),
                    person: person(number), number: journey, action: action)))
        return answers[nextRequest]
    }
}

func fix(at seconds: Int64) -> Fix {
    Fix(
        time: start + .seconds(seconds),
        position: Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000))
}

func member(
    _ number: UInt64, _ role: Role = .member, sharing: Sharing = .on, precision: Precision = .exact
) -> Membership {
    Membership(
        person: person(number), role: role, joined: start, sharing: sharing, precision: precision,
        trackerID: "P\(number)")
}

func aCircle(
    _ number: UInt64, _ members: [Membership], seePositions: Bool = true
) -> EventBody {
    .circleChanged(
        Circle(
            id: circle(number), name: "C\(number)", members: members,
            membersSeePositions: seePositions))
}
