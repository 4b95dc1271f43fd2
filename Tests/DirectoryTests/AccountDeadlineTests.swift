import Directory
import Model
import Testing

@Suite struct `Deadlines of an account` {
    private let id = PersonID(ID128(high: 1, low: 1))
    private let guardian = PersonID(ID128(high: 1, low: 2))
    private let day = Timestamp(seconds: 1_800_000_000)

    private func due(_ person: Person) -> [String: Timestamp] {
        Dictionary(uniqueKeysWithValues: person.accountDeadlines.map { ($0.kind.rawValue, $0.due) })
    }

    @Test func `are the end of a trial, and nothing for other plans`() {
        var person = Person(id: id, name: "Anna", plan: .trial, trialEnds: day)
        #expect(due(person) == ["trial-end": day])
        #expect(person.accountDeadlines.allSatisfy { $0.person == id && $0.emergency == nil })
        person.plan = .paid
        #expect(person.accountDeadlines.isEmpty)
        person.plan = .trial
        person.trialEnds = nil
        #expect(person.accountDeadlines.isEmpty)
    }

    @Test func `are the takeover of a ward, and its notice a week before`() {
        var ward = Person(
            id: id, name: "Fitri", plan: .paid, guardians: [guardian], wardUntil: day)
        #expect(
            due(ward) == ["take-over": day, "take-over-notice": day - .seconds(7 * 86_400)])
        ward.guardians = []
        #expect(ward.accountDeadlines.isEmpty)
    }

    @Test func `differ by person, kind and date`() {
        let ward = Person(
            id: id, name: "Fitri", plan: .trial, trialEnds: day, guardians: [guardian],
            wardUntil: day)
        var later = ward
        later.trialEnds = day + .seconds(1)
        later.wardUntil = day + .seconds(1)
        let other = Person(id: guardian, name: "Budi", plan: .trial, trialEnds: day)
        let ids = [ward, later, other].flatMap(\.accountDeadlines).map(\.id)
        #expect(ids.count == 7 && Set(ids).count == 7)
        #expect(ward.accountDeadlines.map(\.id) == ward.accountDeadlines.map(\.id))
    }

    @Test func `are handled by membership, and carry no emergency`() {
        for kind in [DeadlineKind.trialEnd, .takeOverNotice, .takeOver] {
            #expect(kind.rules.handler == .membership && kind.rules.scheduler == .timer)
        }
    }
}
