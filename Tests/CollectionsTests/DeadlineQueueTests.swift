import Collections
import Model
import TestSupport
import Testing

@Suite struct `A deadline queue` {
    @Test(arguments: 0..<10)
    func `pops due items, earliest first, equal times in insertion order`(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed))
        var list: [(due: Timestamp, item: Int)] = []
        var queue = DeadlineQueue<Int>()
        for item in 0..<1000 {
            let time = Timestamp(seconds: Int64(Int.random(in: 0..<30, using: &chance)))
            if item % 5 != 4 {
                queue.insert(item, due: time)
                list.append((time, item))
            } else {
                let due = list.enumerated().filter { $0.element.due <= time }
                    .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
                    .map(\.element.item)
                var popped: [Int] = []
                while let item = queue.pop(due: time) { popped.append(item) }
                #expect(popped == due)
                list.removeAll { $0.due <= time }
            }
            #expect(queue.count == list.count && queue.isEmpty == list.isEmpty)
            #expect(queue.nextDue == list.map(\.due).min())
        }
    }
}
