import Directory
import Model
import Testing

@testable import IngestCore

/// Answers to questions by SMS for positions. Family: circle 1 has Anna, Ben and the guardian Cho;
/// circle 2 has Dan and Anna.
@Suite struct PositionsBySMSTests {
    private func reporting() -> Bench {
        var bench = Bench()
        for number in 1...4 {
            bench.deliver([observation(at: -60 * Int64(number))], from: UInt64(number))
        }
        return bench
    }

    private func ask(
        _ bench: inout Bench, _ number: UInt64, asked: Timestamp? = nil
    ) -> PositionsAnswer? {
        let request = PositionsRequest(
            person: person(number), query: PositionQueryID(ID128(high: 70, low: number)),
            at: asked ?? bench.now)
        bench.handle(
            .deliveries(
                Event(
                    id: EventID(ID128(high: 71, low: number)), time: bench.now,
                    body: .positionsRequested(request))))
        guard case .positionsAnswered(let answer)? = bench.observed.last?.body,
            answer.query == request.query
        else { return nil }
        return answer
    }

    @Test func `names everybody of all circles who shares, newest first, and records the look`()
        throws
    {
        var bench = reporting()
        let answer = try #require(ask(&bench, 1))
        #expect(answer.positions.map(\.person) == [person(2), person(3), person(4)])
        #expect(answer.positions.allSatisfy { $0.fix != nil })
        let looks = bench.access.filter { $0.viewer == person(1) }
        #expect(Set(looks.map(\.person)) == [person(2), person(3), person(4)])
        #expect(looks.allSatisfy { $0.kind == .positions })
    }

    @Test func `obeys sharing, pauses and precision`() throws {
        var bench = reporting()
        let pause = bench.now + .seconds(3600)
        bench.change(
            aCircle(
                1,
                [
                    member(1, .admin), member(2, precision: .zone),
                    member(3, .guardian, sharing: .pausedUntil(pause)),
                ]))
        bench.change(aCircle(2, [member(4, .admin, sharing: .off), member(1)]))
        let answer = try #require(ask(&bench, 1))
        let byPerson = Dictionary(
            uniqueKeysWithValues: answer.positions.map { ($0.person, $0) })
        #expect(byPerson[person(2)]?.fix == nil && byPerson[person(2)]?.taken != nil)
        #expect(byPerson[person(3)]?.isPaused == true && byPerson[person(3)]?.taken == nil)
        #expect(byPerson[person(4)] == nil, "who shares nothing is not named")
        #expect(!bench.access.contains { [person(3), person(4)].contains($0.person) })
    }

    @Test func `a circle setting that hides positions from members holds here, too`() throws {
        var bench = reporting()
        bench.change(
            aCircle(
                1, [member(1, .admin), member(2), member(3, .guardian)], seePositions: false))
        #expect(try #require(ask(&bench, 2)).positions.isEmpty)
        #expect(try #require(ask(&bench, 3)).positions.count == 2)
    }

    @Test func `a question that is read late is not answered, and is no look`() {
        var bench = reporting()
        #expect(ask(&bench, 1, asked: bench.now - .seconds(301)) == nil)
        #expect(bench.access.isEmpty)
    }

    @Test func `names eight, and how many more there are`() throws {
        var people: [EventBody] = []
        for number in UInt64(6)...15 {
            people.append(aPerson(number, name: "P\(number)"))
            people.append(aDevice(number, of: number))
        }
        var bench = Bench(
            family + people
                + [aCircle(3, [member(5, .admin)] + (UInt64(6)...15).map { member($0) })])
        let answer = try #require(ask(&bench, 5))
        #expect(answer.positions.count == 8 && answer.more == 2)
    }
}
