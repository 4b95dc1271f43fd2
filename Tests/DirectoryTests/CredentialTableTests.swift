import Model
import Testing

@testable import Directory

@Suite struct `A table of credentials` {
    /// 64 digits of which only the last eight depend on the number.
    private func digits(_ number: Int, first: Character = "a") -> String {
        let last = String(number, radix: 16)
        return String(repeating: first, count: 56) + String(repeating: "0", count: 8 - last.count)
            + last
    }

    private func make(_ number: UInt64, _ hash: String, device: Bool = true) -> Credential {
        Credential(
            id: credential(number), hash: hash, person: person(number),
            device: device ? DeviceID(ID128(high: 9, low: number)) : nil, created: now)
    }

    @Test func `returns stored credentials, with hexadecimal hashes and others`() {
        let hashes = [
            "0123456789abcdef0123456789abcdeffedcba9876543210fedcba98765432ff",
            "0123456789ABCDEF0123456789ABCDEFFEDCBA9876543210FEDCBA98765432FF", "h1", "",
            digits(7) + "0",
        ]
        var table = CredentialTable()
        for (number, hash) in hashes.enumerated() {
            let value = make(UInt64(number), hash, device: number % 2 == 0)
            table[value.id] = value
        }
        for (number, hash) in hashes.enumerated() {
            let value = make(UInt64(number), hash, device: number % 2 == 0)
            #expect(table[value.id] == value)
            #expect(table.credential(hash: hash) == value)
        }
        #expect(table.count == hashes.count)
        #expect(table.values.count == hashes.count)
    }

    @Test func `keeps that a monitoring token has no principal`() {
        var table = CredentialTable()
        for hash in [digits(1), "text"] {
            let watching = Credential(
                id: credential(1), hash: hash, kind: .monitor, created: now)
            table[watching.id] = watching
            #expect(table[watching.id] == watching)
            #expect(table.credential(hash: hash) == watching)
            #expect(table.credential(hash: hash)?.principal == nil)
        }
    }

    @Test func `compares the whole hash`() {
        var table = CredentialTable()
        table[credential(1)] = make(1, digits(1))
        #expect(table.credential(hash: digits(2)) == nil)
        #expect(table.credential(hash: digits(1).uppercased()) == nil)
        #expect(table.credential(hash: String(digits(1).dropLast())) == nil)
    }

    @Test func `does not find rotated or removed credentials by their old hash`() {
        var table = CredentialTable()
        for (number, hash) in [(1, "b"), (2, "c")] as [(UInt64, Character)] {
            table[credential(number)] = make(number, digits(Int(number), first: hash))
        }
        table[credential(3)] = make(3, "text")
        table[credential(1)] = make(1, digits(1, first: "d"))
        table[credential(3)] = make(3, digits(3, first: "e"))
        table[credential(2)] = nil
        #expect(table.credential(hash: digits(1, first: "b")) == nil)
        #expect(table.credential(hash: digits(1, first: "d"))?.id == credential(1))
        #expect(table.credential(hash: digits(2, first: "c")) == nil)
        #expect(table.credential(hash: "text") == nil)
        #expect(table.credential(hash: digits(3, first: "e"))?.id == credential(3))
        #expect(table.count == 2)
    }
}
