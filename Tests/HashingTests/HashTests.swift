import Hashing
import Model
import Testing

private let counting = ID128(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)

@Suite struct `A hash` {
    @Test func `agrees with another implementation`() {
        let abc = Array("abc".utf8)
        #expect(Hex.encode(Hash.blake2b128(abc).bytes) == "cf4ab791c62b8d2b2109c90275287816")
        #expect(
            Hex.encode(Hash.blake2b256(abc))
                == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
        #expect(
            Hex.encode(Hash.blake2b256(abc, key: Array(0..<32)))
                == "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f")
        #expect(
            Hex.encode(Hash.sha256(abc))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// Test cases 1 and 6 of RFC 4231.
    @Test func `with a key agrees with RFC 4231`() {
        let short = Hash.hmacSHA256(
            Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20))
        #expect(
            Hex.encode(short) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let long = Hash.hmacSHA256(
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xaa, count: 131))
        #expect(
            Hex.encode(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(Hash.isEqual(short, short) && !Hash.isEqual(short, long))
        #expect(!Hash.isEqual(short, Array(short.dropLast())) && Hash.isEqual([], []))
    }

    @Test func `of a chain has little-endian fields`() {
        let link = Hash.chain(
            previous: 0x0123_4567_89AB_CDEF, id: counting, kind: 32, schema: 1,
            payload: Array("payload".utf8))
        #expect(link == 0xE61A_93E2_62C5_CDD6)
    }

    @Test(arguments: 0..<5)
    func `of a chain depends on every field`(field: Int) {
        func link(changing: Int?) -> UInt64 {
            Hash.chain(
                previous: changing == 0 ? 1 : 0, id: changing == 1 ? counting : .zero,
                kind: changing == 2 ? 1 : 0, schema: changing == 3 ? 1 : 0,
                payload: changing == 4 ? [1] : [0])
        }
        #expect(link(changing: field) != link(changing: nil))
    }

    @Test func `of parts depends on their kinds and lengths`() {
        let id = Hash.id("zone", .id(counting), .none, .number(-7), .parts("a"))
        #expect(Hex.encode(id.bytes) == "4ac3a05dbfa9aaf4f51d2be0d869ea80")
        #expect(Hash.id("ab", "c") != Hash.id("a", "bc"))
        #expect(Hash.id("a") != Hash.id(.bytes(Array("a".utf8))))
        #expect(Hash.id("a", .none) != Hash.id("a", ""))
        #expect(Hash.id(.number(UInt64.max)) != Hash.id(.number(-1)))
        #expect(Hash.id(.number(UInt8(5))) == Hash.id(.number(5)))
    }

    @Test func `of an event differs by kind, person, subject and cause`() {
        let person = PersonID(counting)
        let ids = [
            Hash.derivedID(kind: .zoneEntered, person: person, subject: "s", cause: counting),
            Hash.derivedID(kind: .zoneExited, person: person, subject: "s", cause: counting),
            Hash.derivedID(kind: .zoneEntered, person: nil, subject: "s", cause: counting),
            Hash.derivedID(kind: .zoneEntered, person: person, cause: counting),
            Hash.derivedID(kind: .zoneEntered, person: person, subject: "s", cause: .zero),
        ]
        #expect(Set(ids).count == ids.count)
    }

    @Test func `of a person's id decides the partition by its first byte`() {
        #expect(Partition.of(PersonID(counting)).number == 62)
    }
}

@Suite struct `Text forms of bytes` {
    @Test(arguments: 0..<70)
    func `hexadecimal and base64 round-trip`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64.encode(bytes, alphabet: .url), alphabet: .url) == bytes)
    }

    @Test func `base64 has two alphabets`() {
        #expect(Base64.encode([0xFB, 0xFF, 0xFE, 0xFF]) == "+//+/w==")
        #expect(Base64.encode([0xFB, 0xFF, 0xFE, 0xFF], alphabet: .url) == "-__-_w")
    }

    @Test(arguments: ["+//+/w=", "+//+/w", "-__-_w==", "+//+/x==", "a b=", "=", "?"])
    func `non-canonical base64 is rejected`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["0", "0g", "é"])
    func `invalid hexadecimal is rejected`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
