import Collections
import Directory
import Model

/// Ends trials: a trial becomes `lapsed` when its time is over.
struct Trials: Sendable {
    /// How many trials end in one turn.
    static let perTurnMax = 256

    /// Ends of all trials; zero for one whose end is not decided yet.
    private var ends = DeadlineHeap<PersonID>()

    init(_ directory: Replica) {
        ends = DeadlineHeap(
            directory.sortedPeople.filter { $0.plan == .trial }.map {
                DeadlineHeap.Entry($0.id, due: $0.trialEnds ?? .zero)
            })
    }

    /// When the next trial ends; nil if there is none.
    var next: Timestamp? { ends.next }

    /// Follows a change of the directory.
    mutating func apply(_ event: EventBody) {
        switch event {
        case .personChanged(let person) where person.plan == .trial:
            ends.set(person.id, due: person.trialEnds ?? .zero)
        case .personChanged(let person): ends.remove(person.id)
        case .personRemoved(let removal): ends.remove(removal.person)
        default: break
        }
    }

    /// The changes of people whose trial ends, or gets its end: accounts of older stores have none.
    mutating func expired(in directory: Replica, at now: Timestamp) -> [EventBody] {
        var events: [EventBody] = []
        while events.count < Trials.perTurnMax, let entry = ends.popDue(at: now) {
            guard var person = directory.person(entry.id), person.plan == .trial else { continue }
            if person.trialEnds != nil { person.plan = .lapsed }
            Trials.update(&person, in: directory, at: now)
            person.version += 1
            events.append(.personChanged(person))
        }
        return events
    }

    /// Sets the end of a trial that begins, and removes that of one that is over.
    static func update(_ person: inout Person, in directory: Replica, at now: Timestamp) {
        person.trialEnds =
            person.plan == .trial ? person.trialEnds ?? now + directory.rights.trial : nil
    }
}
