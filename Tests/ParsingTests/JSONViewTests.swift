import Parsing
import Testing

@Suite struct `A view of JSON` {
    private let text = Array(
        #"{"a":[1,{"b":[2.5,[],{}],"b":7},"x"],"":null,"n":"3.14","deep":{"a":{"a":true}},"z":-1}"#
            .utf8)

    @Test func `has the same values as the tree`() throws {
        let tree = try JSON.parse(text)
        try JSONView.read(text) { view in
            #expect(view.json == tree)
            #expect(view["z"]?.number == -1 && view["n"]?.number == 3.14)
            #expect(view["a"]?.elements?.count == 3)
            let elements = view["a"]?.elements.map { Array($0) } ?? []
            #expect(elements.map(\.json) == tree["a"]?.array)
            #expect(elements[1]["b"]?.json == [2.5, [], [:]])
            #expect(elements[2].isText("x") && !elements[2].isText("y"))
            #expect(elements[2].string == "x")
            #expect(view["deep"]?["a"]?["a"]?.json == true)
            #expect(view[""]?.isNull == true)
        }
    }

    @Test func `has no values for missing members`() throws {
        try JSONView.read(text) { view in
            #expect(view["b"] == nil && view["a"]?["b"] == nil)
            #expect(view.elements == nil && view.number == nil && view.string == nil)
            #expect(view["a"]?.isObject == false && view.isObject)
            #expect(view["deep"]?.number == nil && view["n"]?.elements == nil)
        }
    }

    @Test(arguments: ["", "{", "[1,]", "nulls", "{\"a\":1}{}"])
    func `rejects text that is not JSON`(text: String) {
        #expect(throws: ParseError.self) { try JSONView.read(Array(text.utf8)) { _ in } }
    }
}
