import Directory
import IngestCore
import Model
import Testing

@Suite struct HistoryRulesTests {
    @Test func `nobody's history is kept longer than they agreed to`() {
        var replica = Replica()
        replica.apply(aPerson(1))
        replica.apply(aPerson(2))
        let anna = member(1, .member)
        var ben = member(2, .member)
        ben.agreedHistoryDays = 7
        replica.apply(
            .circleChanged(
                Circle(id: circle(1), name: "C", members: [anna, ben], historyDays: 20)))
        let rules = HistoryRules()
        let now = Timestamp(seconds: 1_800_000_000)
        func days(_ number: UInt64) -> Int64? {
            rules.historyStart(person(number), in: replica, at: now).map {
                (now - $0).milliseconds / 86_400_000
            }
        }
        #expect(days(1) == 20)
        #expect(days(2) == 7)
    }
}
