import Model
import TestSupport
import Testing

@Suite struct IdentifierTests {
    @Test func `text form has the prefix and 26 lower-case characters`() {
        #expect(PersonID(.zero).description == "per_00000000000000000000000000")
        let largest = PersonID(ID128(high: .max, low: .max))
        #expect(largest.description == "per_7zzzzzzzzzzzzzzzzzzzzzzzzz")
    }

    @Test func `text and JSON round-trip`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let raw = ID128(high: generator.next(), low: generator.next())
            #expect(ZoneID(ZoneID(raw).description) == ZoneID(raw))
            #expect(ID128(bytes: raw.bytes) == raw)
        }
    }

    @Test(arguments: [
        "", "per_", "dev_00000000000000000000000000", "per_0000000000000000000000000",
        "per_80000000000000000000000000", "per_0000000000000000000000000u",
        "per_0000000000000000000000000A", "PER_00000000000000000000000000",
    ])
    func `rejects other prefixes, lengths, letters and more than 128 bits`(text: String) {
        #expect(PersonID(text) == nil)
    }
}
