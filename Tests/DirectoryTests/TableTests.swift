import Model
import TestSupport
import Testing

@testable import Directory

/// A key with few distinct hashes, so that many keys collide.
private struct Number: TableKey {
    var value: UInt64
    var tableHash: UInt32 { UInt32(value % 40) }

    init(_ value: UInt64) { self.value = value }
}

/// Compares tables and lists with dictionaries.
@Suite struct TableTests {
    @Test(arguments: [1, 2, 3])
    func `a table equals a dictionary after random changes`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var table = Table<Number, UInt64>()
        var plain: [Number: UInt64] = [:]
        for step in 0..<4000 {
            let key = Number(UInt64.random(in: 0..<300, using: &chance))
            // It grows and shrinks alternately.
            let isRemoved =
                UInt64.random(in: 0..<10, using: &chance) < (step / 1000 % 2 == 0 ? 3 : 7)
            let value: UInt64? = isRemoved ? nil : chance.next()
            table[key] = value
            plain[key] = value
            #expect(table.count == plain.count && table[key] == plain[key])
            if chance.next() % 4 == 0 {
                let isThere = table.update(key) { $0 &+= 1 } != nil
                if isThere { plain[key, default: 0] &+= 1 }
                #expect(isThere == (plain[key] != nil))
                #expect(table.read(key) { $0 } == plain[key])
            }
        }
        for key in (0..<300).map(Number.init) { #expect(table[key] == plain[key]) }
        #expect(Set(table.keys) == Set(plain.keys))
        #expect(table == Table(plain.map { ($0.key, $0.value) }))
    }

    @Test func `lists are ascending, and empty ones are removed`() {
        var chance = SeededGenerator(seed: 4)
        var lists = Lists<Number, Int>()
        var plain: [Number: Set<Int>] = [:]
        for _ in 0..<3000 {
            let key = Number(UInt64.random(in: 0..<20, using: &chance))
            let id = Int.random(in: 0..<4, using: &chance)
            if Bool.random(using: &chance) {
                lists.insert(id, under: key)
                plain[key, default: []].insert(id)
            } else {
                lists.remove(id, under: key)
                plain[key]?.remove(id)
            }
            let expected = plain[key].map { $0.sorted() } ?? []
            #expect(lists[key] == (expected.isEmpty ? nil : expected))
        }
    }
}
