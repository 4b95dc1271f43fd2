import Model
import Parsing
import Testing

private let person = PersonID(ID128(high: 1, low: 2))
private let circle = CircleID(ID128(high: 3, low: 4))

private enum Choice: Hashable, Codable {
    case plain
    case one(Int)
    case named(text: String, inner: [Int?])
}

private struct Everything: Hashable, Codable {
    var z = "text"
    var a = [1, 2]
    var optional: Int?
    var choice = Choice.plain
    var map = ["k": 1.5]
    var nested: [[UInt8]] = [[1], []]
    var big: UInt64 = 5
    var float: Float = 0.25
    var extra: JSON = ["free": [1, nil]]
}

@Suite struct `Codable values as JSON` {
    @Test func `members are in the order of their declaration`() throws {
        let text = try JSON.encode(Everything()).text
        #expect(
            text == #"{"z":"text","a":[1,2],"choice":{"plain":{}},"map":{"k":1.5},"#
                + #""nested":[[1],[]],"big":5,"float":0.25,"extra":{"free":[1,null]}}"#)
    }

    @Test(arguments: [
        Choice.plain, .one(5), .named(text: "t", inner: [1, nil, 3]),
    ])
    private func `a value survives a round trip`(choice: Choice) throws {
        var value = Everything()
        value.choice = choice
        value.optional = 7
        #expect(try JSON.encode(value).decode(Everything.self) == value)
    }

    @Test func `types of the model survive a round trip`() throws {
        let fix = Fix(
            time: Timestamp(milliseconds: 1_700_000_000_123),
            position: Coordinate(latitudeE7: 31_234_567, longitudeE7: -1_012_345_678),
            accuracyCentimetres: 1234, altitudeCentimetres: -50, courseDegrees: 359)
        #expect(try JSON.encode(fix).decode(Fix.self) == fix)
        let value = Circle(
            id: circle, name: "Ours",
            members: [
                Membership(
                    person: person, role: .guardian, joined: .zero,
                    sharing: .pausedUntil(Timestamp(seconds: 5)), trackerID: "ab")
            ], escalation: [EscalationTier(roles: [.admin], people: [person])])
        #expect(try JSON.encode(value).decode(Circle.self) == value)
    }

    @Test func `integers may have a decimal point`() throws {
        #expect(try JSON.parse("[5.0, 5e0, 5]").decode([UInt8].self) == [5, 5, 5])
        #expect(try JSON.parse("[5]").decode([Double].self) == [5])
    }

    @Test(arguments: [
        (#"{"members":[{},{"role":"x"}]}"#, "name", ParseError.Code.missing),
        (#"{"name":"n","rank":"1"}"#, "rank", .mismatch),
        (#"{"name":"n","rank":1.5}"#, "rank", .mismatch),
        (#"{"name":"n","rank":300}"#, "rank", .mismatch),
        (#"{"name":null,"rank":1}"#, "name", .mismatch),
        (
            #"{"name":"n","rank":1,"members":[{"role":"admin"},{"role":"x"}]}"#, "members[1].role",
            .mismatch
        ),
        (#"{"name":"n","rank":1,"members":[{"role":"admin"},{}]}"#, "members[1].role", .missing),
        (#"{"name":"n","rank":1,"members":{}}"#, "members", .mismatch),
        (#"[]"#, "", .mismatch),
    ])
    func `an error names the path`(text: String, path: String, code: ParseError.Code) throws {
        struct Member: Decodable { var role: Role }
        struct Group: Decodable {
            var name: String
            var rank: UInt8
            var members: [Member]
        }
        let json = try JSON.parse(text)
        let error = #expect(throws: ParseError.self) { try json.decode(Group.self) }
        #expect(error?.path == path)
        #expect(error?.code == code)
    }

    @Test func `an infinite number cannot be encoded`() {
        let error = #expect(throws: ParseError.self) { try JSON.encode(["a": [1.0, .infinity]]) }
        #expect(error?.path == "a[1]")
    }
}
