import Parsing
import Testing

@Suite struct `A serialized tree` {
    @Test func `is compact and survives a round trip`() throws {
        let json: JSON = [
            "z": 1, "a": [0.1, -1.5e300, 100.0, 1e-7, .integer(.min)], "t": "\"\\/\n\r\t\u{1}é😀",
            "n": nil, "b": [true, false], "o": .object([]), "": .array([]),
        ]
        #expect(try JSON.parse(json.serialized()) == json)
        let text =
            #"{"z":1,"a":[0.1,-1.5e+300,100.0,1e-07,-9223372036854775808],"#
            + #""t":"\"\\/\n\r\t\u0001é😀","n":null,"b":[true,false],"o":{},"":[]}"#
        #expect(json.text == text)
    }

    @Test func `has null for numbers that JSON does not allow`() {
        #expect(JSON.array([.number(.infinity), .number(.nan)]).text == "[null,null]")
    }
}

@Suite struct `A value of a tree` {
    @Test func `has only the accessor of its type`() throws {
        let json = try JSON.parse(#"{"a":5,"b":5.0,"c":5.5,"d":"5.5","e":true,"f":null,"a":6}"#)
        #expect(json["a"]?.int == 5)
        #expect(json["a"]?.double == 5)
        #expect(json["b"]?.int == 5)
        #expect(json["c"]?.int == nil)
        #expect(json["d"]?.double == nil)
        #expect(json["d"]?.string == "5.5")
        #expect(json["e"]?.bool == true)
        #expect(json["e"]?.int == nil)
        #expect(json["f"]?.isNull == true)
        #expect(json["g"] == nil)
        #expect(json["a"]?["b"] == nil)
        #expect(JSON.array([1, 2])[1] == 2)
        #expect(JSON.array([1, 2])[2] == nil)
    }

    @Test(arguments: [
        (JSON.string("3.14"), 3.14), (.string("-1e2"), -100), (.integer(4), 4), (.number(0.5), 0.5),
    ])
    func `accepts numeric text only if requested`(
        json: JSON, number: Double
    ) {
        #expect(json.numberOrNumericString == number)
    }

    @Test(arguments: ["nan", "inf", "0x10", "", " 1", "1e999", "1,5", true, nil] as [JSON])
    func `is no number otherwise`(json: JSON) {
        #expect(json.numberOrNumericString == nil)
    }
}
