import Model
import Parsing
import Testing

/// People and the operator as actors.
@Suite struct `Actors` {
    private struct Row: Codable, Equatable {
        var id: Int
        var by: Actor
    }

    private let person = PersonID(ID128(high: 1, low: 2))

    @Test func `the operator is an absent member, as in older rows`() throws {
        let row = Row(id: 7, by: .operator)
        #expect(try JSON.encode(row) == ["id": 7])
        #expect(try JSON.parse(#"{"id":7}"#).decode(Row.self) == row)
        #expect(try JSON.parse(#"{"id":7,"by":null}"#).decode(Row.self) == row)
    }

    @Test func `a person is an id`() throws {
        let row = Row(id: 7, by: .person(person))
        let json: JSON = ["id": 7, "by": .string(person.description)]
        #expect(try JSON.encode(row) == json)
        #expect(try json.decode(Row.self) == row)
    }

    @Test func `a phone acts for its person`() {
        #expect(Actor(.device(DeviceID(.zero), of: person)) == .person(person))
        #expect(Actor(.operator) == .operator && Actor.operator.person == nil)
    }
}
