import Collections
import Testing

@Suite struct `A FIFO queue` {
    @Test func `keeps order at both ends`() {
        var fifo = Fifo<Int>()
        var model: [Int] = []
        for number in 0..<1000 {
            fifo.append(number)
            model.append(number)
            if number % 3 != 0 { #expect(fifo.popFirst() == model.removeFirst()) }
            if number % 50 == 0 {
                fifo.removeLast { $0 > number - 3 }
                model.removeAll { $0 > number - 3 }
            }
            #expect(fifo.count == model.count)
            #expect(fifo.first == model.first)
            if let last = model.indices.last { #expect(fifo[last] == model[last]) }
        }
        while let number = fifo.popFirst() { #expect(number == model.removeFirst()) }
        #expect(model.isEmpty)
        #expect(fifo.isEmpty)
    }

    @Test func `keeps its order while it grows and shrinks`() {
        var fifo = Fifo<Int>()
        var next = 0
        var expected = 0
        for round in 1...200 {
            for _ in 0..<round {
                fifo.append(next)
                next += 1
            }
            for _ in 0..<(round * 2 / 3) {
                #expect(fifo.first == expected)
                #expect(fifo.popFirst() == expected)
                expected += 1
            }
            #expect(fifo.count == next - expected)
        }
        while let value = fifo.popFirst() {
            #expect(value == expected)
            expected += 1
        }
        #expect(expected == next && fifo.isEmpty && fifo.first == nil)
    }

    @Test func `inserts in order, after equal elements`() {
        var fifo = Fifo<(key: Int, name: String)>()
        fifo.append((0, "popped"))
        fifo.popFirst()
        for (key, name) in [(2, "a"), (1, "b"), (2, "c"), (3, "d"), (1, "e")] {
            fifo.insert((key, name)) { $0.key < $1.key }
        }
        var names = ""
        while let element = fifo.popFirst() { names += element.name }
        #expect(names == "beacd")
    }

    @Test func `replaces the first and the newest matching element`() {
        var fifo = Fifo<Int>()
        fifo.replaceFirst(9)
        for number in 1...4 { fifo.append(number) }
        fifo.popFirst()
        fifo.replaceFirst(20)
        #expect(fifo.replaceLast { $0 < 4 ? $0 + 30 : nil })
        #expect(!fifo.replaceLast { $0 == 1 ? 0 : nil })
        #expect((0..<fifo.count).map { fifo[$0] } == [20, 33, 4])
        fifo.removeAll()
        #expect(fifo.isEmpty)
    }
}
