import Collections
import Model
import TestSupport
import Testing

@Suite struct `A deadline heap` {
    private func at(_ seconds: Int) -> Timestamp { Timestamp(seconds: Int64(seconds)) }

    private func drain(_ queue: inout DeadlineHeap<Int>, at now: Timestamp) -> [Int] {
        var ids: [Int] = []
        while let entry = queue.popDue(at: now) { ids.append(entry.id) }
        return ids
    }

    @Test func `pops expired deadlines, earliest first, and keeps the rest`() {
        var queue = DeadlineHeap<Int>()
        for (id, due) in [(1, 30), (2, 10), (3, 20), (4, 40)] { queue.set(id, due: at(due)) }
        #expect(queue.next == at(10))
        #expect(queue.popDue(at: at(9)) == nil)
        #expect(drain(&queue, at: at(30)) == [2, 3, 1])
        #expect(queue.count == 1 && queue.next == at(40))
    }

    @Test func `has one deadline per id, the one set last`() {
        var queue = DeadlineHeap<Int>()
        queue.set(1, due: at(10))
        queue.set(2, due: at(20))
        queue.set(1, due: at(30))
        #expect(queue.count == 2)
        #expect(drain(&queue, at: at(20)) == [2])
        queue.set(1, due: at(5))
        #expect(drain(&queue, at: at(20)) == [1])
        #expect(queue.isEmpty && queue.next == nil)
    }

    @Test func `forgets cancelled deadlines`() {
        var queue = DeadlineHeap<Int>()
        queue.set(1, due: at(10))
        queue.set(2, due: at(20))
        #expect(queue.remove(1) == at(10))
        #expect(queue.remove(1) == nil)
        #expect(drain(&queue, at: at(99)) == [2])
    }

    @Test func `orders equal deadlines by id, regardless of insertion`() {
        var up = DeadlineHeap((0..<50).map { .init($0, due: at(7)) })
        var down = DeadlineHeap<Int>()
        for id in (0..<50).reversed() { down.set(id, due: at(7)) }
        #expect(drain(&up, at: at(7)) == Array(0..<50))
        #expect(drain(&down, at: at(7)) == Array(0..<50))
    }

    @Test func `is built from many entries, with the last of an id counting`() {
        var queue = DeadlineHeap([
            .init(1, due: at(50)), .init(2, due: at(20)), .init(1, due: at(10)),
        ])
        #expect(queue.count == 2)
        #expect(drain(&queue, at: at(99)) == [1, 2])
    }

    @Test(arguments: 0..<20)
    func `agrees with a plain list under random operations`(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed))
        var list: [Int: Timestamp] = [:]
        var queue = DeadlineHeap<Int>()
        for _ in 0..<2000 {
            let id = Int.random(in: 0..<60, using: &chance)
            let time = at(Int.random(in: 0..<100, using: &chance))
            switch Int.random(in: 0..<4, using: &chance) {
            case 0, 1:
                queue.set(id, due: time)
                list[id] = time
            case 2: #expect(queue.remove(id) == list.removeValue(forKey: id))
            default:
                let expected = list.filter { $0.value <= time }
                    .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
                #expect(drain(&queue, at: time) == expected)
                for id in expected { list[id] = nil }
            }
            #expect(queue.count == list.count)
            #expect(queue.next == list.values.min())
        }
    }

    @Test func `handles a million deadlines`() {
        var chance = SeededGenerator(seed: 1)
        let count = 1_000_000
        var queue = DeadlineHeap(
            (0..<count).map { .init($0, due: at(Int.random(in: 0..<count, using: &chance))) })
        for id in 0..<1000 { queue.set(id, due: at(-1 - id)) }
        for id in 1000..<2000 { queue.remove(id) }
        #expect(queue.count == count - 1000)
        #expect(drain(&queue, at: at(-1)) == (0..<1000).reversed())
        var last = Timestamp.zero
        for _ in 0..<10_000 {
            guard let entry = queue.popDue(at: .distantFuture) else { break }
            #expect(entry.due >= last)
            last = entry.due
        }
        #expect(queue.count == count - 12_000)
    }
}
